/** Where the services under test keep events and views: in their data folders, or on servers under names of their own. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { inject } from 'vitest';

/** `undefined` takes a variable (or header) away that would otherwise be set. */
export type Overrides = Readonly<Record<string, string | undefined>>;

/** The servers of a run, told by test/support/servers-run.ts. */
export interface ServersOfRun {
  readonly eventStoreUrl: string;
  /** Its database is called as `names` says. */
  readonly mongodbUrl: string;
  /** All that the run keeps on them has a name that begins so. */
  readonly names: string;
  /** Where the log of the server ended before the run. */
  readonly after: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: ServersOfRun;
  }
}

/** Set by the vitest project `servers`. */
export const onServers = process.env['TEST_STORES'] === 'servers';

/** Kept for as long as the tests of a file run, so that a service that starts again finds its own. */
const byFolder = new Map<string, Overrides>();

/** The variables that lead a service on this data folder to its stores. */
export function storeVariables(dataDir: string): Overrides {
  if (!onServers) return {};
  const known = byFolder.get(dataDir) ?? newNames(inject('servers'));
  byFolder.set(dataDir, known);
  return known;
}

function newNames({ eventStoreUrl, mongodbUrl, names }: ServersOfRun): Overrides {
  // All of one length: no prefix may begin with another one.
  const name = `${names}${randomBytes(6).toString('hex')}`;
  return {
    EVENTSTORE_URL: eventStoreUrl,
    EVENTSTORE_PREFIX: `${name}_`,
    MONGODB_URL: mongodbUrl.replace(`/${names}`, `/${name}`),
    SECRET: `the secret of ${name}, long enough for a start`,
  };
}

/** Takes the views away while no service runs on the folder. */
export async function dropViews(dataDir: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path.join(dataDir, `views.db${suffix}`), { force: true });
  const url = storeVariables(dataDir)['MONGODB_URL'];
  if (url === undefined) return;
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(url);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}
