/** What became of e-mail over time, and why. */
import { useLocation } from 'preact-iso';
import { useMemo } from 'preact/hooks';
import type { components } from '../../../client/client.js';
import { to } from '../../addresses.js';
import { useAnswer } from '../../answers.js';
import { Show } from '../../parts/answer.js';
import { Chart, type Series } from '../../parts/chart.js';
import { RangeFields, formatUtcDay, queryOf, useRange } from '../../parts/range.js';
import { seriesOf, whyAttemptsFailed, whyNotDelivered } from './reasons.js';

type Row = components['schemas']['EmailOutcomesRow'];
type Count = Exclude<keyof Row, 'from' | 'to' | 'reasons'>;

const charts: readonly { readonly title: string; readonly counts: readonly (readonly [Count, string])[] }[] = [
  {
    title: 'E-mails',
    counts: [
      ['requested', 'requested'],
      ['sent', 'sent'],
      ['failed', 'failed'],
    ],
  },
  {
    title: 'What went wrong',
    counts: [
      ['deferred', 'attempts that failed'],
      ['bounced', 'bounced'],
      ['complained', 'called spam'],
      ['unverified', 'reports not verified'],
      ['held', 'held'],
      ['in_doubt', 'in doubt'],
      ['reopened', 'released'],
    ],
  },
];

const whyCharts = [
  { title: 'Why attempts failed', labelOf: whyAttemptsFailed, without: 'No attempt failed in these days.' },
  {
    title: 'Why e-mails bounced or were cancelled',
    labelOf: whyNotDelivered,
    without: 'No e-mail bounced or was cancelled in these days.',
  },
] as const;

export function Outcomes() {
  const range = useRange();
  const { route } = useLocation();
  const answer = useAnswer(
    (client, signal) => client.getEmailOutcomes({ query: queryOf(range), signal }),
    [range.from, range.to, range.interval],
  );
  return (
    <section aria-labelledby="outcomes">
      <h2 id="outcomes">Over time</h2>
      <RangeFields
        range={range}
        onChange={(change) => route(to('/emails', undefined, { show: 'outcomes', ...range, ...change }), true)}
      />
      <p class="quiet">Days are in UTC.</p>
      <Show answer={answer}>{({ data: { rows } }) => <Charts rows={rows} />}</Show>
    </section>
  );
}

function Charts({ rows }: { readonly rows: readonly Row[] }) {
  const times = useMemo(() => rows.map(({ from }) => from), [rows]);
  const drawn = useMemo(
    () => [
      ...charts.map(({ title, counts }) => ({
        title,
        series: counts.map(([name, label], at): Series => ({
          label,
          values: rows.map((row) => row[name]),
          colour: `--chart-${at + 1}`,
        })),
        without: '',
      })),
      ...whyCharts.map(({ labelOf, ...chart }) => ({ ...chart, series: seriesOf(rows, labelOf) })),
    ],
    [rows],
  );
  return (
    <>
      {drawn.map(({ title, series, without }) =>
        series.length === 0 ? (
          <p key={title} class="quiet">
            {without}
          </p>
        ) : (
          <Chart key={title} title={title} times={times} series={series} formatAt={formatUtcDay} />
        ),
      )}
    </>
  );
}
