/** The logs that the vectors are made of, always the same ones because ids, times and keys are fixed: events, exports, seals and proofs. */
import { createHmac, createPrivateKey, createPublicKey, hkdfSync, sign, type KeyObject } from 'node:crypto';
import { digestOf, field, leafOf, toHex } from '../../../src/eventstore/leaf.js';
import type { LogSource } from '../../../src/eventstore/log-source.js';
import { memberTexts } from '../../support/json-members.js';
import { consistency, inclusion, rootOf } from './merkle.js';

/** An event as it is stored. Its ordinal is its place in the log. */
export interface Entry {
  readonly stream: string;
  readonly revision: number;
  readonly event_id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}
export type Log = readonly Entry[];

/** Returns the Ed25519 key from 32 equal bytes. */
export const keyOf = (byte: number): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)]),
    format: 'der',
    type: 'pkcs8',
  });
export const sealKey = keyOf(7);
export const otherKey = keyOf(9);
export const spkiOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });
export const publicKeyOf = (key: KeyObject): string => spkiOf(key).toString('base64');

export const logId = '5b0c8f7e-1d2a-4c3b-9e8f-7a6b5c4d3e2f';
/** The secret of all logs here, from which the key of the MAC of restores is derived. */
export const secret = 'the secret of a log that is always the same';

/** Returns the members and an Ed25519 signature over their fields, whatever they are. */
export function signed<Members extends object>(members: Members, key: KeyObject = sealKey) {
  const fields = Object.values(members).map((value) => field(String(value)));
  return { ...members, signature: sign(null, Buffer.from(fields.join('')), key).toString('base64') };
}

const uuidOf = (number: number): string => `${String(number).padStart(8, '0')}-1111-4111-8111-0000abc00000`;
export const metadataOf = (number: number, schema = 1): string =>
  JSON.stringify({
    ...{ at: new Date(Date.UTC(2026, 2, 1) + number * 61_001).toISOString() },
    ...{ $correlationId: uuidOf(number), $causationId: uuidOf(number) },
    ...{ request_id: `request-${number}`, actor: 'shop', schema },
  });

type Draft = Pick<Entry, 'stream' | 'type'> & { readonly data: object | string; readonly schema?: number };

/** Returns the log with more events. Their ids and times go on from its length. */
export function append(log: Log, ...drafts: readonly Draft[]): Log {
  const events = [...log];
  for (const { stream, type, data, schema } of drafts) {
    const number = events.length + 1;
    events.push({
      ...{ stream, revision: events.filter((one) => one.stream === stream).length, event_id: uuidOf(number), type },
      ...{ data: typeof data === 'string' ? data : JSON.stringify(data), metadata: metadataOf(number, schema) },
    });
  }
  return events;
}

export const contactStream = (person: number): string => `contact-${String(person).repeat(32)}`;
const list = (number: number) => ({ list_id: `lst_${number}`, list_name: `List “${number}” \u{1F4EC}` });
const tag = (number: number) => ({ tag_id: `tag_${number}`, tag_name: `Tag ${number}` });
const contact = (person: number) => ({ contact_id: `con_${person}` });
const created = (person: number): Draft => ({
  ...{ stream: contactStream(person), type: 'ContactCreated' },
  data: {
    ...contact(person),
    person: { salt: `${person}`.repeat(32), email: `person.${person}@example.com`, firstName: `Zoë ${person}` },
  },
});
const status = (person: number, type: 'Subscribed' | 'Unsubscribed', slot: number): Draft => ({
  ...{ stream: contactStream(person), type: `Contact${type}` },
  data: { ...contact(person), ...list(slot), previous_status: type === 'Subscribed' ? null : 'Subscribed' },
});
const tagged = (person: number): Draft => ({
  ...{ stream: contactStream(person), type: 'TagsAttached' },
  data: { ...contact(person), list_id: list(1).list_id, tags: [tag(person), tag(1)].slice(0, person) },
});

/** A log of 20 events about two people. */
export const past: Log = append(
  [],
  { stream: 'service', type: 'ServiceInitialised', data: { log_id: logId, secret_fingerprint: 'd'.repeat(32) } },
  ...[1, 2, 3].map((slot) => ({ stream: 'lists', type: 'ListCreated', data: list(slot) })),
  ...[1, 2].flatMap((person) => [
    created(person),
    status(person, 'Subscribed', 1),
    status(person, 'Subscribed', 2),
    { stream: 'tags', type: 'TagCreated', data: tag(person) },
    tagged(person),
  ]),
  ...[2, 3].map((slot) => ({ stream: 'lists', type: 'ListDeleted', data: list(slot) })),
  { stream: 'tags', type: 'TagDeleted', data: tag(1) },
  status(1, 'Unsubscribed', 1),
  status(2, 'Unsubscribed', 1),
  status(1, 'Subscribed', 1),
);

export const leavesOf = (log: Log): readonly string[] =>
  log.map(({ event_id: id, ...event }, index) => toHex(leafOf(index + 1, { id, ...event })));
export const rootAt = (log: Log, count = log.length): string => rootOf(leavesOf(log.slice(0, count)));

const isRestore = ({ stream, type }: Entry): boolean => stream === 'service' && type === 'LogRestored';

const sealMembers = (log: Log, count: number) => ({
  format: 'audience-ledger-seal/2',
  log_id: logId,
  seq: count,
  restores: log.slice(0, count).filter(isRestore).length,
  count,
  root: rootAt(log, count),
  final: false,
  sealed_at: new Date(Date.UTC(2026, 5, 1) + count).toISOString(),
});

/** Returns a right seal of the first events of a log. */
export const sealOf = (log: Log, count = log.length, key = sealKey) =>
  signed({ ...sealMembers(log, count), public_key: publicKeyOf(key) }, key);
export type Seal = ReturnType<typeof sealOf>;

/** Returns a seal with other members and a signature that is right nevertheless. */
export function resigned({ signature: _, ...seal }: Seal, change: object, key: KeyObject = sealKey) {
  return signed({ ...seal, public_key: publicKeyOf(key), ...change }, key);
}

/** Returns an event as a proof has it. */
export const proven = (log: Log, ordinal: number, count = log.length) => {
  const event = log[ordinal - 1];
  if (event === undefined) throw new Error(`there is no event ${ordinal}`);
  return { ordinal, ...event, path: inclusion(ordinal - 1, leavesOf(log.slice(0, count))) };
};
export type ProvenEvent = ReturnType<typeof proven>;

export const note =
  'The events of one contact, and the deletions of the lists and tags that these name. E-mails to the person are not in it.';

/** Returns the proof of these events. */
export function proofOf(
  log: Log,
  { ordinals, deletions = [], stream, seal = sealOf(log), key = sealKey }: ProofRequest,
) {
  const { log_id, count, root, sealed_at } = seal;
  const own = ordinals.filter((ordinal) => log[ordinal - 1]?.stream === stream);
  const last_revision = own.length - 1;
  return {
    ...signed(
      {
        ...{
          format: 'audience-ledger-proof/2',
          note,
          log_id,
          count,
          root,
          sealed_at,
          stream,
          last_revision,
          deletions,
        },
        public_key: publicKeyOf(key),
      },
      key,
    ),
    events: ordinals.map((ordinal) => proven(log, ordinal, count)),
  };
}
interface ProofRequest {
  readonly ordinals: readonly number[];
  readonly deletions?: readonly number[];
  readonly stream: string;
  readonly seal?: Seal;
  readonly key?: KeyObject;
}

export const consistencyOf = (log: Log, older: Seal, newer: Seal) => ({
  ...{ format: 'audience-ledger-consistency/2', older, newer },
  path: consistency(older.count, leavesOf(log.slice(0, newer.count))),
});

/** Returns data and metadata as they are written in a line. */
function bodiesOf(line: string): Pick<Entry, 'data' | 'metadata'> {
  const texts = memberTexts(line);
  return { data: texts.get('data') ?? '', metadata: texts.get('metadata') ?? '' };
}

const positionOf = (ordinal: number): string => String(ordinal).padStart(20, '0');

function lineOf({ stream, revision, event_id, type, data, metadata }: Entry, index: number): string {
  const place = { ordinal: index + 1, position: positionOf(index + 1), stream, revision, event_id, type };
  return `${JSON.stringify(place).slice(0, -1)},"data":${data},"metadata":${metadata}}`;
}

/** Returns the lines of an export. */
export const linesOf = (log: Log): readonly string[] => log.map(lineOf);

/** Returns the log of an export as the service verifies it. Returns undefined if the service never writes such a line, so that only the import refuses it. */
export function sourceOf(text: string): LogSource | undefined {
  const lines = text.split('\n').slice(0, -1);
  try {
    const log = lines.map((line) => ({ ...(JSON.parse(line) as Entry), ...bodiesOf(line) }));
    if (log.some(({ type, data }) => type === '' || !type.isWellFormed() || !data.startsWith('{'))) return undefined;
    if (log.length === 0 || linesOf(log).some((line, index) => line !== lines[index])) return undefined;
    const events = log.map(({ event_id: id, revision, ...event }, index) => ({
      ...{ ...event, id, revision: BigInt(revision), position: positionOf(index + 1) },
    }));
    return {
      async *readEvents() {
        yield events;
      },
    };
  } catch {
    return undefined;
  }
}

export const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Returns the MAC of a restore. `number`: of the restore in the log, from 1. */
function restoredMac(number: number, { count, root, superseded }: RestoredState): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'audience/restored/1', 32));
  const members = [logId, number, count, root, superseded?.count ?? '', superseded?.root ?? ''];
  const fields = ['audience/restored/1', ...members].map((member) => field(String(member)));
  return createHmac('sha256', key).update(fields.join('')).digest('hex');
}
interface RestoredState {
  readonly count: number;
  readonly root: string;
  readonly superseded: { readonly count: number; readonly root: string } | null;
}

/** Returns the first events of a log, as a backup has them, with so many records of a restore after them. */
export function restored(log: Log, count: number, { superseded, times = 1, change = {} }: Restored = {}): Log {
  const backup = log.slice(0, count);
  const newest = superseded === undefined ? null : { count: superseded.count, root: superseded.root };
  const state = { count, root: rootAt(log, count), superseded: newest, ...change };
  const before = backup.filter(isRestore).length;
  const drafts = Array.from({ length: times }, (_, index) => {
    const mac = restoredMac(before + index + 1, state);
    return { stream: 'service', type: 'LogRestored', data: { ...state, mac, ...change }, schema: 2 };
  });
  return append(backup, ...drafts);
}
interface Restored {
  readonly superseded?: Seal;
  readonly times?: number;
  /** Members of the data that differ. */
  readonly change?: object;
}

/** Returns the log with so many further events. */
export const grown = (log: Log, events: number): Log =>
  append(
    log,
    ...Array.from({ length: events }, (_, index) => ({
      stream: 'groups',
      type: 'GroupCreated',
      data: { group_id: `grp_${log.length + index}`, group_name: 'Shop' },
    })),
  );

/** Returns the text with digests in place of personal data, which has the same leaf. */
export const erased = (data: string): string =>
  data.replace(/("person":)(\{[^}]*\})/, (_, name: string, value: string) => name + digestOf(value));

const order = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Returns the signature with S + L in place of S. RFC 8032 refuses it, because otherwise a text would have two signatures. */
export function otherSignature(signature: string): string {
  const bytes = Buffer.from(signature, 'base64');
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  const other = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([bytes.subarray(0, 32), other]).toString('base64');
}

/** Returns the base64 of 44 bytes with a bit set that is not part of them. */
export const withLooseBit = (base64: string): string =>
  base64.replace(/(.)=$/, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`);
/** The public key with the object identifier of X25519. */
export const x25519Key = (): string => spkiOf(sealKey).fill(0x6e, 8, 9).toString('base64');
