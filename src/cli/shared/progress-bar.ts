/** Shows progress: one line that is overwritten on a terminal, a line every few seconds elsewhere. */
import type { Progress } from '../../flow/progress.js';
import { duration, formatCount } from './numbers.js';

const refreshMs = 100;
const lineEveryMs = 5_000;
const barWidth = 24;

export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export type ProgressBar = ReturnType<typeof createProgressBar>;

export function createProgressBar(screen: Terminal, now: () => number, counted = 'events') {
  const isTerminal = screen.isTTY === true;
  const everyMs = isTerminal ? refreshMs : lineEveryMs;
  let phase: string | undefined;
  let start = { at: 0, done: 0 };
  let lastShown = 0;
  let visible = false;

  function draw(progress: Progress, at: number): void {
    lastShown = at;
    const line = lineFor(progress, { milliseconds: at - start.at, done: progress.done - start.done, counted });
    if (!isTerminal) screen.write(`${line}\n`);
    // Back to the first column, and what is left of the line is wiped out; never wider than the terminal.
    else screen.write(`\r${line.slice(0, (screen.columns ?? 80) - 1)}\u001b[K`);
    visible = isTerminal;
  }

  return {
    /** To be called often; draws now and then. A new phase begins a new count of the speed. */
    report(progress: Progress): void {
      const at = now();
      if (progress.phase !== phase) {
        phase = progress.phase;
        start = { at, done: progress.done };
        lastShown = at;
      } else if (at - lastShown >= everyMs) draw(progress, at);
    },
    clear(): void {
      if (visible) screen.write('\r\u001b[K');
      visible = false;
    },
  };
}

function lineFor(
  { phase, done, total }: Progress,
  { counted, ...since }: { readonly milliseconds: number; readonly done: number; readonly counted: string },
): string {
  const { milliseconds } = since;
  const perSecond = milliseconds === 0 ? 0 : (since.done / milliseconds) * 1_000;
  const speed = `${formatCount(Math.round(perSecond))} ${counted}/s`;
  if (total === undefined) return `${phase}  ${formatCount(done)} ${counted}  ${speed}`;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(share * barWidth);
  const bar = `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]`;
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const left = perSecond === 0 || done > total ? '' : `  ${duration(Math.ceil((total - done) / perSecond))} left`;
  return `${phase}  ${bar} ${percent}  ${formatCount(done)} of ${formatCount(total)} ${counted}  ${speed}${left}`;
}
