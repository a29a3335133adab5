/** Moves through time: from change to change, by keys from day to day. */
import { useEffect, useId, useState } from 'preact/hooks';
import { formatDay, formatNumber } from '../../parts/text.js';
import { countUntil, type Moment } from './moments.js';

interface ScrubberProps {
  readonly label: string;
  readonly moments: readonly Moment[];
  /** Undefined: now. */
  readonly at: string | undefined;
  readonly onMove: (at: string) => void;
}

/** Milliseconds that a slider rests before its time is asked for. */
const rest = 200;

export function Scrubber({ label, moments, at, onMove }: ScrubberProps) {
  const id = useId();
  const settled = at === undefined ? moments.length : countUntil(moments, at);
  const [moved, setMoved] = useState<number>();
  const index = moved ?? settled;
  useEffect(() => {
    const time = moved === undefined ? undefined : timeOf(moments, moved);
    if (time === undefined) return undefined;
    const timer = setTimeout(() => {
      setMoved(undefined);
      onMove(time);
    }, rest);
    return () => clearTimeout(timer);
  }, [moved]);

  function turnDay(key: string): boolean {
    if (key !== 'PageUp' && key !== 'PageDown') return false;
    setMoved(key === 'PageUp' ? nextDay(moments, index) : previousDay(moments, index));
    return true;
  }

  const text = describe(moments, index);
  return (
    <div class="field scrubber">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={moments.length}
        value={index}
        aria-valuetext={text}
        onInput={({ currentTarget }) => setMoved(Number(currentTarget.value))}
        onKeyDown={(event) => {
          if (turnDay(event.key)) event.preventDefault();
        }}
      />
      <p class="hint">
        {formatNumber(index)} of {formatNumber(moments.length)}: {text}
      </p>
    </div>
  );
}

/** 0: before anything happened. */
function timeOf(moments: readonly Moment[], index: number): string | undefined {
  const first = moments[0]?.at;
  if (index > 0 || first === undefined) return moments[index - 1]?.at;
  return new Date(Date.parse(first) - 1).toISOString();
}

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

function describe(moments: readonly Moment[], index: number): string {
  const moment = moments[index - 1];
  return moment === undefined ? 'before the first change' : times.format(new Date(moment.at));
}

const dayAt = (moments: readonly Moment[], index: number): string => {
  const at = moments[index - 1]?.at;
  return at === undefined ? '' : formatDay(at);
};

/** The last moment of the next day that has any. */
function nextDay(moments: readonly Moment[], index: number): number {
  let to = Math.min(index + 1, moments.length);
  while (to < moments.length && dayAt(moments, to) === dayAt(moments, index)) to += 1;
  const day = dayAt(moments, to);
  while (to < moments.length && dayAt(moments, to + 1) === day) to += 1;
  return to;
}

/** The last moment of the day before that has any; 0 before the first. */
function previousDay(moments: readonly Moment[], index: number): number {
  const day = dayAt(moments, index);
  let to = index;
  while (to > 0 && dayAt(moments, to) === day) to -= 1;
  return to;
}
