/** Figures in the text form of Prometheus, and what changed between two looks. */

export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Seconds since the sample before; NaN for the first. */
  readonly seconds: number;
  /** `sum('audience_emails', { state: 'held' })`: of all series with these labels; undefined where there is none. */
  sum(name: string, labels?: Labels): number | undefined;
  /** Values of a label, of all series of this name. */
  values(name: string, label: string): readonly string[];
  /** How much a counter has grown since the sample before; undefined after a restart of the service. */
  growth(name: string, labels?: Labels): number | undefined;
}

type Labels = Readonly<Record<string, string | RegExp>>;

interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Prometheus text, as the service writes it. */
export function parseFigures(text: string): readonly Series[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? ([-+.\w]+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text] as const);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

function totalOf(series: readonly Series[], name: string, labels: Labels): number | undefined {
  const found = series.filter(
    (one) =>
      one.name === name &&
      Object.entries(labels).every(([label, wanted]) => {
        const value = one.labels[label] ?? '';
        return typeof wanted === 'string' ? value === wanted : wanted.test(value);
      }),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/** `before`: of the look before this one; undefined for the first. */
export function sampleOf(now: Look, before: Look | undefined): Sample {
  const startOf = ({ series }: Look): number | undefined => totalOf(series, 'audience_process_start_time_seconds', {});
  const isSameRun = before !== undefined && startOf(before) === startOf(now);
  return {
    at: now.at,
    seconds: before === undefined ? Number.NaN : (now.at - before.at) / 1_000,
    sum: (name, labels = {}) => totalOf(now.series, name, labels),
    values: (name, label) => [
      ...new Set(now.series.flatMap((one) => (one.name === name ? [one.labels[label] ?? ''] : []))),
    ],
    growth: (name, labels = {}) =>
      isSameRun ? (totalOf(now.series, name, labels) ?? 0) - (totalOf(before.series, name, labels) ?? 0) : undefined,
  };
}

export interface Look {
  readonly at: number;
  readonly series: readonly Series[];
}
