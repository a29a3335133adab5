/** The manifest of a backup: which log it holds, how far the log had come, and the name, size and SHA-256 of each file. It is written last, so a folder without a manifest is not a backup. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { deriveManifestKey } from '../events/streams.js';
import { CommandFailedError } from '../failures.js';
import { jsonIn } from '../flow/json.js';
import { isSealName, sealKeyName, sealsName } from '../integrity/seal-store.js';
import { registerName } from './register-file.js';
import type { SecretAtHand } from '../stores/secret-of-log.js';

export const manifestName = 'manifest.json';
/** The log in a backup. */
export const logName = 'events.db';
/** Files that a backup has only if it was made with --with-secrets. */
export const secretNames = ['secret', 'api-keys.json', sealKeyName] as const;
type SecretName = (typeof secretNames)[number];

const format = 'audience-ledger-backup/4';
/** Bytes of a manifest, enough to list an hourly seal for eleven years. */
const mostBytes = 16 * 1024 * 1024;
const mostFiles = 100_000;
const mostKeys = 1_000;

export const isSecretName = (name: string): name is SecretName => secretNames.some((one) => one === name);
const isSealFile = (name: string): boolean =>
  name.startsWith(`${sealsName}/`) && isSealName(name.slice(sealsName.length + 1));
/** Returns whether a backup can have a file with this name. Any other name in a manifest is refused. */
const isBackupFile = (name: string): boolean =>
  name === logName || name === registerName || isSecretName(name) || isSealFile(name);

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Returns the schema of a list. It checks the length first, so that a huge array is not examined item by item. */
const listOf = <Item extends z.ZodType>(item: Item, most: number) =>
  z
    .custom<unknown[]>((value) => Array.isArray(value) && value.length <= most, 'is not a list of that length')
    .pipe(z.array(item));

const manifestSchema = z
  .strictObject({
    format: z.literal(format),
    /** UTC, ISO 8601 with milliseconds: when the copy of the log was made, by the clock of that machine. */
    made_at: z.iso.datetime({ precision: 3 }),
    log_id: z.string().regex(/^[\w-]{1,64}$/),
    /** How often the log was restored from a backup. */
    restores: count,
    /** Number of events, the root of the tree over them, and the position of the last one. */
    count: z.int().min(1),
    root: sha256,
    position: z.string().max(100),
    /** Number of lines of the register. */
    register: z.strictObject({ entries: count }),
    seals: count,
    /** Public keys whose seals counted when the backup was made, in base64 of SPKI in DER. */
    seal_keys: listOf(z.string().max(100), mostKeys),
    secrets: listOf(z.enum(secretNames), secretNames.length),
    versions: z.strictObject({ service: z.string().max(100), node: z.string().max(100), sqlite: z.string().max(100) }),
    files: listOf(z.strictObject({ name: z.string(), bytes: count, sha256 }), mostFiles),
    /** HMAC-SHA-256 of everything above under a key from the secret; null if the secret was not known. */
    mac: sha256.nullish(),
  })
  .superRefine(({ files, secrets, seals }, context) => {
    const complain = (message: string): void => void context.addIssue({ code: 'custom', message });
    const names = files.map(({ name }) => name);
    const stranger = names.find((name) => !isBackupFile(name));
    if (stranger !== undefined) return complain(`it names the file ${quoted(stranger)}, which no backup has`);
    if (new Set(names).size !== names.length) return complain('it names a file twice');
    for (const name of [logName, registerName]) if (!names.includes(name)) return complain(`it does not name ${name}`);
    if (
      names.filter(isSecretName).sort().join() !== [...secrets].sort().join() ||
      names.filter(isSealFile).length !== seals
    )
      return complain('its lists of files and secrets and its number of seals disagree');
  });
export type Manifest = Readonly<z.output<typeof manifestSchema>>;
export type FileSum = Manifest['files'][number];
type UnsignedManifest = Omit<Manifest, 'mac' | 'format'>;

/** Returns the beginning of a text from a manifest in quotes, safe to show on a terminal. */
const quoted = (text: string): string => JSON.stringify(text.slice(0, 100).replaceAll(/[^\x20-\x7e]/g, '?'));

/** Returns the manifest of a backup, or undefined if the folder has none. @throws CommandFailedError if the manifest cannot be used; the message says why */
export function readManifest(backup: string): Manifest | undefined {
  const file = path.join(backup, manifestName);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const fault = !stat.isFile()
    ? 'it is not a regular file'
    : stat.size > mostBytes
      ? `it is larger than ${mostBytes} bytes, and no manifest is`
      : undefined;
  const result = fault ?? manifestIn(readFileSync(file, 'utf8'));
  if (typeof result !== 'string') return result;
  throw new CommandFailedError(`${file} cannot be used: ${result}. Restore another backup.`, {
    type: 'backup_damaged',
    exitCode: 1,
  });
}

/** Returns the manifest, or the reason why the text is not a manifest. */
function manifestIn(text: string): Manifest | string {
  const json = jsonIn(text);
  const found = z.object({ format: z.string() }).safeParse(json).data?.format;
  if (found === undefined) return 'it is damaged, or not the manifest of a backup';
  if (found !== format)
    return `its format is ${quoted(found)}, and this version reads ${format} only. Restore this backup with the version that made it, then make a backup with this version`;
  const { data, error } = manifestSchema.safeParse(json);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  return issue?.code === 'custom' ? issue.message : `it is damaged at ${quoted(issue?.path.join('.') ?? '')}`;
}

/** Returns the manifest with its MAC, or with `mac: null` if the secret of the log is not known. */
export function completeManifest(facts: UnsignedManifest, secret: string | undefined): Manifest {
  const unsigned = { format, ...facts } as const;
  return { ...unsigned, mac: secret === undefined ? null : macOf(unsigned, secret) };
}

/** Returns the text of a manifest. @throws CommandFailedError if the text would be too large to be read again */
export function manifestText(manifest: Manifest): string {
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  if (Buffer.byteLength(text) <= mostBytes && manifest.files.length <= mostFiles) return text;
  throw new CommandFailedError(
    `There are more seals than a backup can list (${manifest.seals}). Move older seals from the folder seals to another place.`,
    { type: 'too_many_seals' },
  );
}

const macOf = ({ mac: _, ...covered }: Omit<Manifest, 'mac'> & { readonly mac?: unknown }, secret: string): string =>
  createHmac('sha256', deriveManifestKey(secret)).update(canonicalJson(covered), 'utf8').digest('hex');

/** Returns JSON without blanks, with the members of each object sorted by name. The manifest names its format, so a later encoding cannot be confused with this one. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** Returns a text that differs between any two manifests that differ. */
export const contentOf = (manifest: Manifest): string => canonicalJson(manifest);

/** The result of checking a MAC. `not_checked`: no secret is known. `missing`: the manifest has no MAC. `invalid`: no known secret makes this MAC. */
type MacState = 'valid' | 'not_checked' | 'missing' | 'invalid';

export function macState(manifest: Manifest, secrets: readonly Pick<SecretAtHand, 'secret'>[]): MacState {
  const { mac } = manifest;
  if (secrets.length === 0) return 'not_checked';
  if (typeof mac !== 'string') return 'missing';
  const isMadeWith = (secret: string): boolean =>
    timingSafeEqual(Buffer.from(macOf(manifest, secret), 'hex'), Buffer.from(mac, 'hex'));
  return secrets.some(({ secret }) => isMadeWith(secret)) ? 'valid' : 'invalid';
}
