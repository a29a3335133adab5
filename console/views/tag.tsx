/** One tag, and how it was used over time. */
import { useLocation } from 'preact-iso';
import { useMemo } from 'preact/hooks';
import type { components } from '../../client/client.js';
import { to } from '../addresses.js';
import { useAnswer } from '../answers.js';
import { Show } from '../parts/answer.js';
import { Chart, type Series } from '../parts/chart.js';
import { Page } from '../parts/page.js';
import { RangeFields, formatUtcDay, queryOf, useRange } from '../parts/range.js';
import { Code, Time, Written } from '../parts/text.js';
import { may } from '../session.js';

type Row = components['schemas']['TagUseRow'];

export function Tag({ id = '' }: { readonly id?: string }) {
  const tag = useAnswer((client, signal) => client.getTag({ path: { tag_id: id }, signal }), [id]);
  return (
    <Page title="Tag" heading={tag.data === undefined ? 'Tag' : <Written text={tag.data.data.tag_name} />}>
      <p class="quiet">
        <Code>{id}</Code>
      </p>
      {may('analytics:read') ? <Use id={id} /> : <Show answer={tag}>{() => null}</Show>}
    </Page>
  );
}

const changes: readonly (readonly [keyof Row & string, string])[] = [
  ['attached', 'attached'],
  ['detached', 'detached'],
  ['erased', 'erased'],
  ['left_with_list', 'left with a list'],
  ['left_with_tag', 'left with the tag'],
];

function Use({ id }: { readonly id: string }) {
  const range = useRange();
  const { route } = useLocation();
  const answer = useAnswer(
    (client, signal) => client.getTagUse({ path: { tag_id: id }, query: queryOf(range), signal }),
    [id, range.from, range.to, range.interval],
  );
  return (
    <section aria-labelledby="use">
      <h2 id="use">Use</h2>
      <RangeFields range={range} onChange={(change) => route(to('/tags', id, { ...range, ...change }), true)} />
      <Show answer={answer}>
        {({ data, incomplete }) => (
          <>
            <p class="quiet">
              Counted is a contact in a list. Days in UTC. Created <Time at={data.created_at} />
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
  const inUse = useMemo(
    (): Series[] => [{ label: 'in use', values: rows.map(({ in_use }) => in_use), colour: '--chart-1' }],
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
      <Chart title="In use at the end of each interval" times={times} series={inUse} formatAt={formatUtcDay} />
      <Chart title="Changes" times={times} series={changed} formatAt={formatUtcDay} />
    </>
  );
}
