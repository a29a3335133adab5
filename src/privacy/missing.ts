/** Finds the entries of the registers that a log lacks because it was restored from a backup, or because a process was killed before it wrote the log. */
import { erasureDecider, type ErasuresState } from '../commands/erasures.js';
import { foldStream } from './fold-stream.js';
import { keyDecider, type Key, type KeysState } from '../commands/keys.js';
import { erasuresStream, keysStream, suppressionStream } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { ErasureEntry, KeyEntry, RefusalEntry, RegisterContent } from './register.js';

type Log = Pick<EventReader, 'readStream'>;
type Entries = Pick<RegisterContent, 'erasures' | 'keys' | 'refusals'>;

interface Missing {
  readonly erasures: readonly ErasureEntry[];
  /** Each with its key as the log has it. */
  readonly keys: readonly (readonly [Key, KeyEntry])[];
  /** By the pseudonym of the person. */
  readonly refusals: ReadonlyMap<string, readonly RefusalEntry[]>;
}

interface MissingOptions {
  /** Reads what each person of the registers refused. Otherwise a log that has the newest of each register counts as having all of it. */
  readonly isThorough: boolean;
}

/** Each oldest first. @throws StoreUnavailableError @throws UnreadableEventError */
export async function missingInLog(
  log: Log,
  registers: readonly Entries[],
  { isThorough }: MissingOptions,
): Promise<Missing> {
  const refusals = registers.map((one) => one.refusals);
  const isWhole = !isThorough && (await hasNewest(log, refusals));
  return {
    erasures: missingErasures(
      registers.flatMap(({ erasures }) => erasures),
      await foldStream(log, erasuresStream, erasureDecider),
    ),
    keys: missingKeyChanges(
      registers.flatMap(({ keys }) => keys),
      await foldStream(log, keysStream, keyDecider),
    ),
    refusals: isWhole ? new Map() : missingRefusals(refusals.flat(), await idsOf(log, refusals.flat())),
  };
}

/** One of each person, the newest. A later erasure of the same person in the log does for it. */
export function missingErasures<Registered extends ErasureEntry>(
  registered: readonly Registered[],
  { all }: Pick<ErasuresState, 'all'>,
): readonly Registered[] {
  const newest = new Map<string, string>();
  for (const { subject_key, requested_at } of all.values())
    if (requested_at > (newest.get(subject_key) ?? '')) newest.set(subject_key, requested_at);
  const missing = new Map<string, Registered>();
  for (const one of registered) {
    if (all.has(one.erasure_id) || one.requested_at < (newest.get(one.subject_key) ?? '')) continue;
    const other = missing.get(one.subject_key);
    if (other === undefined || other.requested_at <= one.requested_at) missing.set(one.subject_key, one);
  }
  return [...missing.values()].sort((one, other) => (one.requested_at < other.requested_at ? -1 : 1));
}

/** A key that the log does not have opens nothing. */
export function missingKeyChanges(
  registered: readonly KeyEntry[],
  state: KeysState,
): readonly (readonly [Key, KeyEntry])[] {
  const once = new Map(registered.map((one) => [`${one.kind} ${one.key_id} ${one.at}`, one]));
  return byTime([...once.values()]).flatMap((change) => {
    const key = state.get(change.key_id);
    return key === undefined || hasHappened(change, key) ? [] : [[key, change] as const];
  });
}

function hasHappened(change: KeyEntry, { hash, rotated_at, created_at, revoked_at }: Key): boolean {
  if (change.kind === 'key_revoked') return revoked_at !== null;
  return hash === change.hash || change.at <= (rotated_at ?? created_at);
}

/** Of each person what came after the last that the log has: it was decided on that. */
function missingRefusals(
  registered: readonly RefusalEntry[],
  there: ReadonlySet<string>,
): ReadonlyMap<string, readonly RefusalEntry[]> {
  const byPerson = new Map<string, RefusalEntry[]>();
  for (const one of byTime([...new Map(registered.map((entry) => [entry.event_id, entry])).values()]))
    byPerson.set(one.subject_key, [...(byPerson.get(one.subject_key) ?? []), one]);
  return new Map(
    [...byPerson].flatMap(([key, entries]) => {
      const missing = entries.slice(entries.findLastIndex(({ event_id }) => there.has(event_id)) + 1);
      return missing.length === 0 ? [] : [[key, missing] as const];
    }),
  );
}

const byTime = <Entry extends { readonly at: string }>(entries: readonly Entry[]): readonly Entry[] =>
  [...entries].sort((one, other) => (one.at < other.at ? -1 : 1));

/** More than are written at the same moment by several processes. */
const newestOfRegister = 100;

/** A log is put back up to a point: what it has of the end of a register, it has of all. The end is where lines were added last, because clocks can be set back. */
async function hasNewest(log: Log, registers: readonly (readonly RefusalEntry[])[]): Promise<boolean> {
  const newest = registers.flatMap((refusals) => refusals.slice(-newestOfRegister));
  const there = await idsOf(log, newest);
  return newest.every(({ event_id }) => there.has(event_id));
}

/** Of all events in the streams of these people. */
async function idsOf(log: Log, refusals: readonly RefusalEntry[]): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const key of new Set(refusals.map(({ subject_key }) => subject_key)))
    for await (const events of log.readStream(suppressionStream(key))) for (const { id } of events) ids.add(id);
  return ids;
}
