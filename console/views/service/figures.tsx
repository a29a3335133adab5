/** Charts of the last hour, from samples that the page keeps. */
import { useEffect, useMemo } from 'preact/hooks';
import { ErrorNote, Loading } from '../../parts/answer.js';
import { Chart, type Series } from '../../parts/chart.js';
import { formatNumber } from '../../parts/text.js';
import type { Sample } from '../../figures-text.js';
import { sampleFault, samples, sampleSeconds, startSampling } from '../../samples.js';

type Reading = (sample: Sample) => number | undefined;
type Line = readonly [label: string, read: Reading];

const perSecond =
  (name: string, labels = {}): Reading =>
  ({ growth, seconds }) => {
    const grown = growth(name, labels);
    return grown === undefined ? undefined : grown / seconds;
  };

/** Of a histogram: the mean of what was observed since the sample before, in milliseconds. */
const meanMs =
  (name: string): Reading =>
  ({ growth }) => {
    const count = growth(`${name}_count`);
    const sum = growth(`${name}_sum`);
    return count === undefined || sum === undefined || count === 0 ? undefined : (sum / count) * 1_000;
  };

const requests = 'audience_http_request_duration_seconds_count';
const charts: readonly { readonly title: string; readonly lines: readonly Line[] }[] = [
  {
    title: 'Requests a second',
    lines: [
      ['answered', perSecond(requests, { code: /^[123]/ })],
      ['refused (4xx)', perSecond(requests, { code: /^4/ })],
      ['failed (5xx)', perSecond(requests, { code: /^5/ })],
    ],
  },
  {
    title: 'Milliseconds, mean',
    lines: [
      ['a request', meanMs('audience_http_request_duration_seconds')],
      ['a commit of the log', meanMs('audience_log_commit_seconds')],
    ],
  },
  {
    title: 'Events appended a second',
    lines: [['events', perSecond('audience_events_appended_total')]],
  },
  {
    title: 'Lag of the views, in events',
    lines: [['events behind', ({ sum }) => sum('audience_projection_lag_events')]],
  },
  {
    title: 'E-mails that wait',
    lines: [
      ['requested', ({ sum }) => sum('audience_emails', { state: 'requested' })],
      ['to be tried again', ({ sum }) => sum('audience_emails', { state: 'deferred' })],
      ['held', ({ sum }) => sum('audience_emails', { state: 'held' })],
      ['in doubt', ({ sum }) => sum('audience_emails', { state: 'in_doubt' })],
    ],
  },
  {
    title: 'Memory in MB',
    lines: [
      [
        'of the process',
        ({ sum }) => {
          const bytes = sum('audience_process_resident_memory_bytes');
          return bytes === undefined ? undefined : bytes / 1e6;
        },
      ],
    ],
  },
];

const format = (value: number): string => formatNumber(Math.round(value * 100) / 100);
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const formatAt = (time: string | number): string => clock.format(new Date(time));

export function Figures() {
  useEffect(startSampling, []);
  const taken = samples.value;
  const times = useMemo(() => taken.map(({ at }) => at), [taken]);
  return (
    <section aria-labelledby="figures">
      <h2 id="figures">Since this page was opened</h2>
      <p class="quiet">
        Measured in the process that answers, every {sampleSeconds} seconds, for at most an hour. For a longer history,
        use Prometheus: <code>GET /metrics</code>.
      </p>
      {sampleFault.value !== undefined && <ErrorNote error={sampleFault.value} />}
      {taken.length < 2 ? (
        <Loading what="Waiting for the second sample" />
      ) : (
        <div class="columns">
          {charts.map(({ title, lines }) => (
            <LiveChart key={title} title={title} lines={lines} taken={taken} times={times} />
          ))}
        </div>
      )}
    </section>
  );
}

interface LiveChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly taken: readonly Sample[];
  readonly times: readonly number[];
}

function LiveChart({ title, lines, taken, times }: LiveChartProps) {
  const series = useMemo(
    () =>
      lines.map(([label, read], at): Series => ({
        label,
        values: taken.map((sample) => read(sample) ?? null),
        colour: `--chart-${at + 1}`,
      })),
    [lines, taken],
  );
  return <Chart title={title} times={times} series={series} format={format} formatAt={formatAt} />;
}
