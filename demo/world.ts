/** The service as the demo uses it: its own log, rules and keys, with a clock, ids and chance of the demo. */
import { writeFileSync } from 'node:fs';
import { openCommands, type Commands } from '../src/app/commands.js';
import { deriveStreamKeys, type StreamKeys } from '../src/events/streams.js';
import { openSqliteEventStore, type SqliteEventStore } from '../src/eventstore/sqlite/event-store.js';
import { openDataFolder, type DataFolder } from '../src/stores/data-folder.js';
import { createAgenda, type Agenda } from './agenda.js';
import { randomFrom, type NewRandom } from './random.js';
import { createWriteBehind, type WriteBehind } from './write-behind.js';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
/** Days. */
export const yearLength = 365;

/** Nobody sets up a service at midnight. */
const opening = 9 * hour;

export interface Wishes {
  readonly people: number;
  readonly seed: number;
  /** The first moment of which nothing is told, in milliseconds since the epoch. */
  readonly until: number;
}

export interface World extends Agenda {
  readonly wishes: Wishes;
  /** When the year begins. */
  readonly begin: number;
  readonly random: NewRandom;
  readonly dataDir: string;
  readonly folder: DataFolder;
  readonly secret: string;
  readonly keys: StreamKeys;
  readonly store: SqliteEventStore;
  readonly log: WriteBehind;
  readonly commands: Commands;
  /** So many days after the begin; negative: before the end. */
  onDay(days: number): number;
}

/** In a folder that is new. */
export async function openWorld(dataDir: string, wishes: Wishes, publicUrl: string): Promise<World> {
  const { seed, until } = wishes;
  const begin = until - yearLength * day;
  const agenda = createAgenda(begin + opening);
  const random = randomFrom(seed);
  const secret = random('secret').hex(64);
  const folder = openDataFolder(dataDir);
  writeFileSync(folder.secretFile, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  const keys = deriveStreamKeys(secret);
  const store = await openSqliteEventStore({ file: folder.eventsFile, clock: agenda.now });
  const log = createWriteBehind(store);
  const salts = random('salts');
  const commands = await openCommands({
    store: log,
    keys,
    publicUrl,
    clock: agenda.now,
    newUuid: random('ids').uuid,
    newSalt: () => salts.hex(32),
    onUnreadable: (stream, reason) => {
      throw new Error(`${stream}: ${reason}`);
    },
  });
  const onDay = (days: number): number => (days < 0 ? until + days * day : begin + days * day);
  return { ...agenda, wishes, begin, random, dataDir, folder, secret, keys, store, log, commands, onDay };
}
