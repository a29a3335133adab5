/** How a list grew, over any range of days. */
import { useLocation } from 'preact-iso';
import { useMemo } from 'preact/hooks';
import type { components } from '../../../client/client.js';
import { to } from '../../addresses.js';
import { useAnswer } from '../../answers.js';
import { Show } from '../../parts/answer.js';
import { Chart, type Series } from '../../parts/chart.js';
import { RangeFields, formatUtcDay, queryOf, useRange } from '../../parts/range.js';
import { Time } from '../../parts/text.js';

type Row = components['schemas']['ListGrowthRow'];

const changes: readonly (readonly [keyof Row & string, string])[] = [
  ['joined', 'joined'],
  ['resubscribed', 'came back'],
  ['unsubscribed', 'unsubscribed'],
  ['erased', 'erased'],
  ['left_with_list', 'left with the list'],
];

export function Growth({ id }: { readonly id: string }) {
  const range = useRange();
  const { route } = useLocation();
  const answer = useAnswer(
    (client, signal) => client.getListGrowth({ path: { list_id: id }, query: queryOf(range), signal }),
    [id, range.from, range.to, range.interval],
  );
  return (
    <section aria-labelledby="growth">
      <h2 id="growth">Growth</h2>
      <RangeFields
        range={range}
        onChange={(change) => route(to('/lists', id, { show: 'growth', ...range, ...change }), true)}
      />
      <Show answer={answer}>
        {({ data, incomplete }) => (
          <>
            <p class="quiet">
              Days are in UTC. Created <Time at={data.created_at} />
              {data.deleted_at !== null && (
                <>
                  , deleted <Time at={data.deleted_at} />
                </>
              )}
              .{incomplete === true && ' Some events cannot be read and are not counted.'}
            </p>
            <Charts rows={data.rows} />
          </>
        )}
      </Show>
    </section>
  );
}

function Charts({ rows }: { readonly rows: readonly Row[] }) {
  const times = useMemo(() => rows.map(({ from }) => from), [rows]);
  const totals = useMemo(
    (): Series[] => [{ label: 'subscribed', values: rows.map(({ total }) => total), colour: '--chart-1' }],
    [rows],
  );
  const changed = useMemo(
    () =>
      changes.map(([name, label], at): Series => ({
        label,
        values: rows.map((row) => Number(row[name])),
        colour: `--chart-${at + 1}`,
      })),
    [rows],
  );
  return (
    <>
      <Chart title="Subscribed at the end of each interval" times={times} series={totals} formatAt={formatUtcDay} />
      <Chart title="Changes" times={times} series={changed} formatAt={formatUtcDay} />
    </>
  );
}
