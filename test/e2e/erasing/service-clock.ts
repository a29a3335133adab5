/** The time of day of a service that runs in a process of its own. */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Overrides } from '../../support/stores.js';

export interface ServiceClock {
  /** What the service is given. */
  readonly env: Overrides;
  /** Milliseconds since 1970. */
  now(): number;
  /** Time goes on, at once. */
  pass(milliseconds: number): void;
  close(): void;
}

export function newClock(start: number): ServiceClock {
  const folder = mkdtempSync(path.join(tmpdir(), 'audience-clock-'));
  const name = path.join(folder, 'now');
  const file = openSync(name, 'w');
  const bytes = Buffer.alloc(8);
  let time = start;
  function pass(milliseconds: number): void {
    time += milliseconds;
    bytes.writeDoubleLE(time);
    writeSync(file, bytes, 0, bytes.length, 0);
  }
  pass(0);
  return {
    env: { NODE_OPTIONS: `--import ${new URL('./service-clock.mjs', import.meta.url).href}`, TEST_CLOCK: name },
    now: () => time,
    pass,
    close() {
      closeSync(file);
      rmSync(folder, { recursive: true });
    },
  };
}
