/** The register of what must not come back, beside the log: erasures, and API keys that were rotated or revoked. It shows when a log was restored from an older backup. Nothing in it is personal. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { giveToFolderOwner, syncFolderOf } from '../flow/durable-file.js';
import { suppressionReasons } from '../events/suppressions.js';
import type { Config } from '../stores/config.js';

/** The name of the file in the data folder and in SEAL_DIR. */
export const registerName = 'register.ndjson';

const time = z.iso.datetime({ precision: 3 });
const erasure = z.object({
  log_id: z.string(),
  erasure_id: z.string(),
  subject_key: z.string(),
  reason: z.string().nullable(),
  requested_at: time,
  /** Absent: the log has it. `intended`: it is about to be requested. `dropped`: it was not requested, for another one does for it. */
  state: z.enum(['intended', 'dropped']).optional(),
});
const keyChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('key_revoked'), log_id: z.string(), key_id: z.string(), at: time }),
  z.object({
    kind: z.literal('key_rotated'),
    ...{ log_id: z.string(), key_id: z.string(), at: time },
    /** Of the new secret. */
    hash: z.string(),
    previous_until: time,
  }),
]);
const refusal = { log_id: z.string(), subject_key: z.string(), scope: z.string(), at: time, event_id: z.string() };
const mailRefusal = z.discriminatedUnion('kind', [
  z.object({
    ...{ kind: z.literal('mail_refused'), ...refusal, reason: z.enum(suppressionReasons) },
    /** By a link of this e-mail. */
    email_id: z.string().optional(),
    by: z.enum(['one_click', 'page']).optional(),
  }),
  z.object({ kind: z.literal('mail_released'), ...refusal, reason: z.string() }),
]);
const entry = z.union([keyChange, mailRefusal, erasure]);

type Entry = z.output<typeof entry>;
type Erasing = z.output<typeof erasure>;
/** A line of a kind, without what the register itself adds. */
type New<Kind> = Kind extends unknown ? Omit<Kind, 'log_id' | 'state'> : never;
export type KeyEntry = New<z.output<typeof keyChange>>;
export type RefusalEntry = New<z.output<typeof mailRefusal>>;
export type ErasureEntry = New<Erasing>;
/** What the register says once of each. A further kind joins `entry` above, and `lasting.ts`. */
type NewEntry = New<Entry>;

const idOf = (one: NewEntry): string => {
  if (!('kind' in one)) return one.erasure_id;
  if ('event_id' in one) return one.event_id;
  return one.kind === 'key_rotated' ? `${one.kind} ${one.hash}` : `${one.kind} ${one.key_id}`;
};

const isErasure = (one: Entry): one is Erasing => !('kind' in one);

/** The message is for the operator. */
export class RegisterError extends Error {
  override readonly name = 'RegisterError';
}

export interface RegisterContent {
  readonly erasures: readonly ErasureEntry[];
  /** Were about to be requested when a process was killed. */
  readonly intended: readonly ErasureEntry[];
  readonly keys: readonly KeyEntry[];
  readonly refusals: readonly RefusalEntry[];
}

/** Reads the entries of this log. @throws RegisterError if a line cannot be read @throws what the file system throws */
export function readRegister(file: string, logId: string): RegisterContent {
  const entries = lastLines(file, logId);
  const erasures = entries.filter(isErasure);
  return {
    erasures: erasures.filter(({ state }) => state === undefined),
    intended: erasures.filter(({ state }) => state === 'intended'),
    keys: entries.flatMap((one) => ('hash' in one || (!isErasure(one) && one.kind === 'key_revoked') ? [one] : [])),
    refusals: entries.flatMap((one) => ('event_id' in one ? [one] : [])),
  };
}

const allOf = ({ erasures, keys, refusals }: RegisterContent): readonly NewEntry[] => [
  ...erasures,
  ...keys,
  ...refusals,
];

/** When the newest of a register was asked for; undefined: it is empty. */
export const newestOf = ({ erasures, keys, refusals }: RegisterContent): string | undefined =>
  [...erasures.map(({ requested_at }) => requested_at), ...[...keys, ...refusals].map(({ at }) => at)].sort().at(-1);

/** Returns the last line of each erasure, key and refusal of this log. */
function lastLines(file: string, logId: string): readonly Entry[] {
  const entries = linesOfRegister(file).map((line, at) => entryIn(line, file, at + 1));
  const ofLog = entries.filter(({ log_id }) => log_id === logId);
  return [...new Map(ofLog.map((one) => [idOf(one), one])).values()];
}

/** Ignores a torn last line, because its request was never acknowledged. Returns `[]` if the file does not exist. */
const linesOfRegister = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];

function entryIn(line: string, file: string, number: number): Entry {
  try {
    return entry.parse(JSON.parse(line));
  } catch {
    throw new RegisterError(
      `${file}, line ${number}, cannot be read: it was altered or damaged, or is of a later version. Put the register back from its copy in SEAL_DIR, or from a backup.`,
    );
  }
}

/** Returns all lines of these registers, each once, for a backup or a restored folder. */
export function joinedRegisters(files: readonly string[]): string {
  const lines = new Set(files.flatMap(linesOfRegister));
  return [...lines].map((line) => `${line}\n`).join('');
}

/** Each is durable when it resolves. @throws what the file system throws */
export interface Register {
  /** Adds those that the log has and it does not. */
  keep(entries: Iterable<NewEntry>): Promise<void>;
  /** Before the log has it. */
  intend(erasure: ErasureEntry): Promise<void>;
  /** After `intend`, where nothing came of it. */
  drop(erasure: ErasureEntry): Promise<void>;
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
    const settled = lastLines(file, logId).filter((one) => !isErasure(one) || one.state === undefined);
    known = new Set(settled.map(idOf));
  }
  look();

  async function add(entries: readonly NewEntry[], state?: Erasing['state']): Promise<void> {
    look();
    const missing = entries.filter((one) => !known.has(idOf(one)));
    if (missing.length === 0) return;
    const lines = missing.map((one) => `${JSON.stringify({ log_id: logId, ...one, state })}\n`);
    await append(file, lines.join(''));
    seen = mark();
    if (state === undefined) for (const one of missing) known.add(idOf(one));
  }

  /** One after the other: what an earlier one has written is known then. */
  function inTurn(action: () => Promise<void>): Promise<void> {
    const done = keeping.then(action);
    keeping = done.catch(() => undefined);
    return done;
  }

  return {
    keep: (entries) => inTurn(() => add([...entries])),
    intend: (one) => inTurn(() => add([one], 'intended')),
    drop: (one) => inTurn(() => add([one], 'dropped')),
  };
}

const lineFeed = 0x0a;

async function append(file: string, text: string): Promise<void> {
  const isNew = !existsSync(file);
  const handle = await open(file, 'a+', 0o600);
  try {
    if (isNew) giveToFolderOwner(handle.fd, file);
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    // A crash has cut its last line off.
    if (size > 0 && buffer[0] !== lineFeed) await handle.truncate((await handle.readFile()).lastIndexOf(lineFeed) + 1);
    await handle.appendFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (isNew) syncFolderOf(file);
}

export type RegisterPlaces = Pick<Config, 'dataDir'> & { readonly seals: Pick<Config['seals'], 'copies'> };

/** The register of the data folder, and its copy. */
export const placesOf = ({ dataDir, seals: { copies } }: RegisterPlaces): readonly string[] =>
  [dataDir, ...(copies === undefined ? [] : [copies])].map((folder) => path.join(folder, registerName));

/** The register of a process. What a copy missed, because its place was away or a process was killed before, it gets with the next. @throws RegisterError @throws what the file system throws */
export function openRegisters(
  config: RegisterPlaces,
  logId: string,
  onCopyFailing: (error: unknown) => void,
): Register {
  const [file = '', ...copies] = placesOf(config);
  const own = openRegister(file, logId);
  const others = copies.filter((copy) => copy !== file).map((copy) => openRegister(copy, logId));
  let isFailing = false;
  /** A copy may lack lines of before. */
  let isBehind = true;

  async function copy(entries: readonly NewEntry[]): Promise<void> {
    const lacking = isBehind ? allOf(readRegister(file, logId)) : entries;
    isBehind = false;
    for (const other of others) await other.keep(lacking);
  }

  return {
    ...own,
    async keep(entries) {
      const all = [...entries];
      await own.keep(all);
      try {
        await copy(all);
        isFailing = false;
      } catch (error) {
        if (!isFailing) onCopyFailing(error);
        isBehind = true;
        isFailing = true;
      }
    },
  };
}
