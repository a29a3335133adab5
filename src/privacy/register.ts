/** The register of erasures beside the log: it shows when a log was restored from a backup older than an erasure. Nothing in it is personal. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { Erasure, ErasuresState } from '../commands/erasures.js';
import { syncFolderOf } from '../eventstore/durable-file.js';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { demandLogId } from '../eventstore/log-id.js';
import { erasuresStream } from '../events/streams.js';
import type { Config } from '../stores/config.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { EraseOptions } from './erase.js';

/** Of the data folder, and of SEAL_DIR. */
export const registerName = 'erasures.ndjson';

const entry = z.object({
  log_id: z.string(),
  erasure_id: z.string(),
  subject_key: z.string(),
  reason: z.string().nullable(),
  requested_at: z.iso.datetime({ precision: 3 }),
  /** Absent: the log has it. `intended`: it is about to be requested. `dropped`: it was not requested, for another one does for it. */
  state: z.enum(['intended', 'dropped']).optional(),
});
export type RegisterEntry = Omit<z.output<typeof entry>, 'state'>;

/** The message is for the operator. */
export class RegisterError extends Error {
  override readonly name = 'RegisterError';
}

/** Those that the log has, or had. @throws RegisterError @throws what the file system throws */
export const readRegister = (file: string, logId: string): readonly RegisterEntry[] =>
  lastLines(file, logId).filter(({ state }) => state === undefined);

/** Those that were about to be requested when a process was killed. @throws RegisterError @throws what the file system throws */
export const readIntended = (file: string, logId: string): readonly RegisterEntry[] =>
  lastLines(file, logId).filter(({ state }) => state === 'intended');

/** The last line of each erasure of this log. The last of the file counts for nothing if it is torn: it was not answered for yet. */
function lastLines(file: string, logId: string): readonly z.output<typeof entry>[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  const entries = lines.map((line, at) => entryIn(line, `${file}, line ${at + 1}`));
  const ofLog = entries.filter(({ log_id }) => log_id === logId);
  return [...new Map(ofLog.map((one) => [one.erasure_id, one])).values()];
}

function entryIn(line: string, where: string): z.output<typeof entry> {
  try {
    return entry.parse(JSON.parse(line));
  } catch {
    throw new RegisterError(
      `${where}, cannot be read: it was altered or damaged. Put the register of erasures back from a backup, or its copy in SEAL_DIR.`,
    );
  }
}

/** What the log lacks, oldest first: one of each person, the newest. A later erasure of the same person in the log does for it. */
export function missingErasures(
  registered: readonly RegisterEntry[],
  { all }: Pick<ErasuresState, 'all'>,
): readonly RegisterEntry[] {
  const newest = new Map<string, string>();
  for (const { subject_key, requested_at } of all.values())
    if (requested_at > (newest.get(subject_key) ?? '')) newest.set(subject_key, requested_at);
  const missing = new Map<string, RegisterEntry>();
  for (const one of registered) {
    if (all.has(one.erasure_id) || one.requested_at < (newest.get(one.subject_key) ?? '')) continue;
    const other = missing.get(one.subject_key);
    if (other === undefined || other.requested_at <= one.requested_at) missing.set(one.subject_key, one);
  }
  return [...missing.values()].sort((one, other) => (one.requested_at < other.requested_at ? -1 : 1));
}

type RequestedErasure = Pick<Erasure, 'erasure_id' | 'subject_key' | 'reason' | 'requested_at'>;

/** Each is durable when it resolves. @throws what the file system throws */
export interface Register {
  /** Adds those that the log has and it does not. */
  keep(erasures: Iterable<RequestedErasure>): Promise<void>;
  /** Before the log has it. */
  intend(erasure: RequestedErasure): Promise<void>;
  /** After `intend`, where nothing came of it. */
  drop(erasure: RequestedErasure): Promise<void>;
}

/** @throws RegisterError @throws what the file system throws */
export function openRegister(file: string, logId: string): Register {
  let known: Set<string>;
  let seen: string;
  let keeping = Promise.resolve();

  const mark = (): string => {
    const { ino, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
    return `${ino} ${size}`;
  };
  /** Others add to it, too, and a share can go and come back. */
  function look(): void {
    if (mark() === seen) return;
    seen = mark();
    known = new Set(readRegister(file, logId).map(({ erasure_id }) => erasure_id));
  }
  look();

  async function add(erasures: readonly RequestedErasure[], state?: 'intended' | 'dropped'): Promise<void> {
    look();
    const missing = erasures.filter(({ erasure_id }) => !known.has(erasure_id));
    if (missing.length === 0) return;
    const lines = missing.map(({ erasure_id, subject_key, reason, requested_at }) =>
      JSON.stringify({ log_id: logId, erasure_id, subject_key, reason, requested_at, state } satisfies z.input<
        typeof entry
      >),
    );
    await append(file, lines.map((line) => `${line}\n`).join(''));
    seen = mark();
    if (state === undefined) for (const { erasure_id } of missing) known.add(erasure_id);
  }

  /** One after the other: what an earlier one has written is known then. */
  function inTurn(action: () => Promise<void>): Promise<void> {
    const done = keeping.then(action);
    keeping = done.catch(() => undefined);
    return done;
  }

  return {
    keep: (erasures) => inTurn(() => add([...erasures])),
    intend: (erasure) => inTurn(() => add([erasure], 'intended')),
    drop: (erasure) => inTurn(() => add([erasure], 'dropped')),
  };
}

async function append(file: string, text: string): Promise<void> {
  const isNew = !existsSync(file);
  const handle = await open(file, 'a+', 0o600);
  try {
    const there = await handle.readFile('utf8');
    if (!/(^|\n)$/.test(there)) await handle.truncate(Buffer.byteLength(there.slice(0, there.lastIndexOf('\n') + 1)));
    await handle.appendFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (isNew) syncFolderOf(file);
}

export type RegisterPlaces = Pick<Config, 'dataDir'> & { readonly seals: Pick<Config['seals'], 'copies'> };

/** In the register of the data folder or in its copy, and not in the log. @throws RegisterError @throws ServiceError `unavailable` */
async function erasuresMissing(
  store: OpenEventStore,
  { config, commands }: { readonly config: RegisterPlaces; readonly commands: Pick<EraseOptions, 'erasures'> },
) {
  const logId = await demandLogId(store);
  const registered = placesOf(config).flatMap((file) => readRegister(file, logId));
  return registered.length === 0
    ? []
    : missingErasures(registered, (await commands.erasures.fresh(erasuresStream)).state);
}

/** The register of the data folder, and its copy. */
export const placesOf = ({ dataDir, seals: { copies } }: RegisterPlaces): readonly string[] =>
  [dataDir, ...(copies === undefined ? [] : [copies])].map((folder) => path.join(folder, registerName));

/** A log from a backup of before an erasure would show the erased person again: the service refuses it. @throws RegisterError @throws ServiceError `unavailable` */
export async function refuseRestored(...[store, known]: Parameters<typeof erasuresMissing>): Promise<void> {
  const { length } = await erasuresMissing(store, known);
  if (length === 0) return;
  throw new RegisterError(
    `the event log lacks ${length === 1 ? 'an erasure' : `${length} erasures`} of the register (${registerName}): it was put back from a backup of before. Nothing was served. Run: audience privacy reapply. It asks for the same erasures again, and the next start carries them through`,
  );
}

/** Asks the log for them again. No service runs on it. @returns their ids @throws as `erasuresMissing` */
export async function reapplyErasures(
  ...[store, known]: Parameters<typeof erasuresMissing>
): Promise<readonly string[]> {
  const missing = await erasuresMissing(store, known);
  for (const { erasure_id, subject_key, reason } of missing) {
    const id = randomUUID();
    const context = { correlationId: id, causationId: id, requestId: id, actor: 'cli' };
    const command = { type: 'Request', erasure_id, subject_key, reason: reason ?? undefined } as const;
    await known.commands.erasures.execute({ stream: erasuresStream, command, context });
  }
  return missing.map(({ erasure_id }) => erasure_id);
}
