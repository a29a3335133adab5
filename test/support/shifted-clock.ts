/** A clock that a test sets while the service runs. It moves `Date.now` of the main thread by the number in a file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export interface ShiftedClock {
  /** For the environment of the service. */
  readonly env: { readonly NODE_OPTIONS: string };
  /** Sets how far the clock is ahead, in milliseconds. */
  set(milliseconds: number): void;
  /** Removes the file, after the service has ended. */
  remove(): void;
}

export function createShiftedClock(): ShiftedClock {
  const folder = mkdtempSync(path.join(tmpdir(), 'audience-clock-'));
  const shift = path.join(folder, 'shift');
  const preload = path.join(folder, 'shifted-clock.mjs');
  writeFileSync(
    preload,
    `import { readFileSync } from 'node:fs';
const { now } = Date;
Date.now = () => now() + Number(readFileSync(${JSON.stringify(shift)}, 'utf8'));
`,
  );
  const set = (milliseconds: number): void => writeFileSync(shift, String(milliseconds));
  set(0);
  return {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` },
    set,
    remove: () => rmSync(folder, { recursive: true }),
  };
}
