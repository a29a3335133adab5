/** A chart over time, and the same figures as a table for those who do not see charts. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { Table } from './answer.js';
import { formatNumber, formatTime } from './text.js';

export interface Series {
  readonly label: string;
  /** One a time; null where nothing is known. */
  readonly values: readonly (number | null)[];
  /** A variable of the style: `--chart-1`. */
  readonly colour: string;
}

interface ChartProps {
  /** What it shows; the name of the picture. */
  readonly title: string;
  /** ISO 8601, or milliseconds since the epoch; ascending. */
  readonly times: readonly (string | number)[];
  readonly series: readonly Series[];
  readonly format?: (value: number) => string;
  /** How a time is written in the table. */
  readonly formatAt?: (time: string | number) => string;
}

const height = 220;

export function Chart({ title, times, series, format = formatNumber, formatAt = formatTime }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isTableOpen, setTableOpen] = useState(false);
  const [pointed, setPointed] = useState<number>();
  const scheme = useColourScheme();

  const data = useMemo(
    (): uPlot.AlignedData => [
      times.map((time) => new Date(time).getTime() / 1_000),
      ...series.map(({ values }) => [...values]),
    ],
    [times, series],
  );
  const drawn = useRef<uPlot | undefined>(undefined);
  const newest = useRef(data);
  newest.current = data;
  const isEmpty = times.length === 0;
  const look = series.map(({ label, colour }) => `${label} ${colour}`).join();

  useEffect(() => {
    const element = place.current;
    if (element === null || isEmpty) return undefined;
    const fit = new ResizeObserver(() => drawn.current?.setSize({ width: element.clientWidth, height }));
    let isGone = false;
    void import('uplot').then(({ default: Plot }) => {
      if (isGone) return;
      drawn.current = new Plot(optionsOf({ series, format, element, onPoint: setPointed }), newest.current, element);
      fit.observe(element);
    });
    return () => {
      isGone = true;
      fit.disconnect();
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, [look, format, scheme, isEmpty]);
  useEffect(() => drawn.current?.setData(data), [data]);

  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      {isEmpty && <p class="quiet">No data for these days.</p>}
      <ul class="legend">
        {series.map(({ label, colour, values }) => (
          <li key={label}>
            <span class="swatch" style={{ background: `var(${colour})` }} /> {label}
            {pointed !== undefined && <b>{written(values[pointed], format)}</b>}
          </li>
        ))}
        {pointed !== undefined && <li class="quiet">{formatAt(times[pointed] ?? '')}</li>}
      </ul>
      <div ref={place} hidden={isEmpty} role="img" aria-label={`${title}. The table below has the same figures.`} />
      <details onToggle={({ currentTarget }) => setTableOpen(currentTarget.open)}>
        <summary>The figures as a table</summary>
        {isTableOpen && (
          <Table caption={title} columns={['Time', ...series.map(({ label }) => ({ number: label }))]}>
            {times.map((time, at) => (
              <tr key={time}>
                <td>{formatAt(time)}</td>
                {series.map(({ label, values }) => (
                  <td key={label} class="number">
                    {written(values[at], format)}
                  </td>
                ))}
              </tr>
            ))}
          </Table>
        )}
      </details>
    </figure>
  );
}

const written = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value);

interface Look extends Required<Pick<ChartProps, 'series' | 'format'>> {
  readonly element: HTMLElement;
  /** Which of the times is under the pointer. */
  readonly onPoint: (index: number | undefined) => void;
}

/** Three days, in seconds, on either side of a time that is alone. */
const around = (time = 0): [number, number] => [time - 259_200, time + 259_200];

function optionsOf({ series, format, element, onPoint }: Look): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: colour('--text-quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    scales: {
      x: { range: ({ data: [times] }, first, last) => (times.length > 1 ? [first, last] : around(times[0])) },
      y: { range: (_, least, most) => [Math.min(0, least), most === least ? most + 1 : most] },
    },
    axes: [
      // Pixels: a time with seconds must fit.
      { ...axis, space: 90, values: (...[, times, , , step]) => timesOnAxis(times, step) },
      { ...axis, size: 64, values: (_, values) => values.map(format) },
    ],
    series: [
      {},
      // Points are drawn where there is room for them: a single figure is nothing but a point.
      ...series.map(({ label, colour: name }) => ({ label, stroke: colour(name), width: 2 })),
    ],
  };
}

/** `times` and `step` in seconds. */
function timesOnAxis(times: readonly number[], step: number): string[] {
  const day = 86_400;
  const form: Intl.DateTimeFormatOptions =
    step < 60
      ? { timeStyle: 'medium' }
      : step < day
        ? { timeStyle: 'short' }
        : step < 28 * day
          ? { day: 'numeric', month: 'short' }
          : { month: 'short', year: 'numeric' };
  const written = new Intl.DateTimeFormat(undefined, form);
  return times.map((time) => written.format(time * 1_000));
}

/** Changes when the reader's theme does. */
function useColourScheme(): boolean {
  const query = matchMedia('(prefers-color-scheme: dark)');
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const follow = (): void => setDark(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  return isDark;
}
