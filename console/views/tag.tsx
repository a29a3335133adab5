/** One tag, and how it was used over time. */
import { useLocation } from 'preact-iso';
import { useMemo } from 'preact/hooks';
import type { AnswerOf, components } from '../../client/client.js';
import { to } from '../addresses.js';
import { isUnknown, useAnswer, type Answer } from '../answers.js';
import { ErrorNote, Show } from '../parts/answer.js';
import { Chart, type Series } from '../parts/chart.js';
import { Page } from '../parts/page.js';
import { RangeFields, formatUtcDay, queryOf, useRange, type Range } from '../parts/range.js';
import { Code, Time, Written } from '../parts/text.js';
import { Unknown } from '../parts/unknown.js';
import { may } from '../session.js';

type Row = components['schemas']['TagUseRow'];

export function Tag({ id = '' }: { readonly id?: string }) {
  const tag = useAnswer((client, signal) => client.getTag({ path: { tag_id: id }, signal }), [id]);
  const range = useRange();
  const use = useAnswer(
    async (client, signal) =>
      may('analytics:read') ? await client.getTagUse({ path: { tag_id: id }, query: queryOf(range), signal }) : null,
    [id, range.from, range.to, range.interval],
  );
  if (isUnknown(use.error)) return <Unknown what="tag" id={id} />;
  if (isUnknown(tag.error) && !may('analytics:read'))
    return (
      <Unknown what="tag" id={id}>
        If there was one, it was deleted.
      </Unknown>
    );
  return (
    <Page title="Tag" heading={tag.data === undefined ? 'Tag' : <Written text={tag.data.data.tag_name} />}>
      <p class="quiet">
        <Code>{id}</Code>
      </p>
      {isUnknown(tag.error) ? <p class="note">This tag was deleted.</p> : <ErrorNote error={tag.error} />}
      {may('analytics:read') && <Use id={id} range={range} answer={use} />}
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

interface UseProps {
  readonly id: string;
  readonly range: Range;
  readonly answer: Answer<AnswerOf<'getTagUse'> | null>;
}

function Use({ id, range, answer }: UseProps) {
  const { route } = useLocation();
  return (
    <section aria-labelledby="use">
      <h2 id="use">Use</h2>
      <RangeFields range={range} onChange={(change) => route(to('/tags', id, { ...range, ...change }), true)} />
      <Show answer={answer}>{(use) => use !== null && <Figures use={use} />}</Show>
    </section>
  );
}

const Figures = ({ use: { data, incomplete } }: { readonly use: AnswerOf<'getTagUse'> }) => (
  <>
    <p class="quiet">
      Each contact is counted once in each list. Days are in UTC. Created <Time at={data.created_at} />
      {data.deleted_at !== null && (
        <>
          , deleted <Time at={data.deleted_at} />
        </>
      )}
      .{incomplete === true && ' Some events cannot be read and are not counted.'}
    </p>
    <Charts rows={data.rows} />
  </>
);

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
