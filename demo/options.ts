/** What can be asked of `npm run demo`. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { day, type Wishes } from './world.js';

/** The message is for whoever called it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = `npm run demo [-- OPTIONS]

Creates a data folder with one year of data from a fictional garden shop, and starts the service with it. If the folder
exists, the service starts with it as it is. To create it again, remove the folder.

  --folder PATH   data folder (default: demo-data)
  --people N      number of people, from 20 to 200000 (default: 10000)
  --seed N        the same seed gives the same data (default: 1)
  --until DATE    the year ends at the start of this day, in UTC (default: today)
  --help          this text

Of the environment variables of the service, only PORT and HOST are used. The demo sends no mail. Its secret and the key
for support are derived from the seed, so use the demo only to look around.
`;

export interface Options extends Wishes {
  readonly folder: string;
}

/** Undefined: help is asked for. @throws UsageError */
export function readOptions(args: readonly string[], now: number): Options | undefined {
  const { values } = parsed(args);
  if (values.help === true) return undefined;
  return {
    folder: path.resolve(values.folder),
    people: numberIn('people', values.people, { least: 20, most: 200_000 }),
    seed: numberIn('seed', values.seed, { least: 0, most: 2 ** 31 }),
    until: values.until === undefined ? Math.floor(now / day) * day : dateIn(values.until),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        folder: { type: 'string', default: 'demo-data' },
        people: { type: 'string', default: '10000' },
        seed: { type: 'string', default: '1' },
        until: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function numberIn(
  name: string,
  text: string,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}`);
}

function dateIn(text: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  // Others than days of the calendar, such as 31 February, are taken for a later one.
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return time;
  throw new UsageError('--until must be a day such as 2026-11-01');
}
