/** The command line of `npm run migrate`: what it means, and what is wrong with it. */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { UsageError } from '../../transfer/failures.js';
import { withoutPassword, type LogAddress } from '../../transfer/log-address.js';
import type { MigrationRequest } from '../../transfer/run-migration.js';

export interface MigrateArguments extends MigrationRequest {
  readonly json: boolean;
}

export const usage = `Copies the event log into another store and compares the two.

  npm run migrate -- --from <log> --to <log> [options]

A log is the data folder of a service (its embedded log), or the address of an
EventStoreDB (esdb:// or esdb+discover://).

Options:
  --from <log>       where the events are; no event is ever written there
  --to <log>         where they go: empty, or left there by an earlier run
  --prefix <prefix>  of the stream names in EventStoreDB
                     (default: EVENTSTORE_PREFIX, else audience_)
  --dry-run          checks both logs and says what would be copied
  --json             the result as one JSON object on standard output
  --help             this text

Examples:
  npm run migrate -- --from ./data --to 'esdb://admin:changeit@db.example:2113'
  npm run migrate -- --from 'esdb://127.0.0.1:2113?tls=false' --to ./data
  npm run migrate -- --from ./data --to ./copy --dry-run

Stop the service first: a copy is complete only when nobody writes any more,
and no service may use the target before the copy is done.
The same command again goes on where an earlier run was stopped. Afterwards the
service needs the same SECRET as before (the file secret in its data folder).

Exit codes: 0 the two logs are identical (or a dry run found no obstacle),
1 not done, not finished, or the logs differ, 2 the command line is wrong.
`;

const prefixSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const eventStoreUrl = /^esdb(?:\+discover)?:\/\//;

/** Undefined: help is asked for. @throws UsageError */
export function readArguments(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): MigrateArguments | undefined {
  const given = parsed(words);
  if (given.help === true) return undefined;
  const prefix = prefixOf(given.prefix, environment);
  const from = addressOf('--from', given.from, prefix);
  const to = addressOf('--to', given.to, prefix);
  return { from, to, isDryRun: given['dry-run'] === true, json: given.json === true };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        prefix: { type: 'string' },
        'dry-run': { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    // What it quotes may be an address with a password.
    throw new UsageError(withoutPassword(error instanceof Error ? error.message : String(error)));
  }
}

function prefixOf(given: string | undefined, environment: Readonly<Record<string, string | undefined>>): string {
  const fallback = environment['EVENTSTORE_PREFIX'];
  const prefix = given ?? (fallback === undefined || fallback === '' ? 'audience_' : fallback);
  if (prefixSchema.safeParse(prefix).success) return prefix;
  const origin = given === undefined ? 'EVENTSTORE_PREFIX' : '--prefix';
  throw new UsageError(`${origin} must be 1 to 64 letters, digits, _ and -`);
}

function addressOf(option: string, text: string | undefined, prefix: string): LogAddress {
  if (text === undefined || text === '')
    throw new UsageError(`${option} is missing (options come after "npm run migrate --")`);
  if (eventStoreUrl.test(text)) return { kind: 'eventstoredb', url: text, prefix };
  // Not shown: it may hold a password.
  if (text.includes('://'))
    throw new UsageError(`${option} must be a data folder or an address that begins with esdb:// or esdb+discover://`);
  return { kind: 'folder', folder: text };
}
