/** Seals and proofs that are signed right and lead to their root, and break one rule each: whoever checks hashes alone takes them for good. */
import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { createTree } from '../../../src/evidence/proofs.js';
import type { Seal } from '../../../src/evidence/seal.js';
import { field, firstLink, leafOf, linkAfter } from '../../../src/eventstore/chain.js';
import { sealKey, testKey } from '../../support/proofs.js';

/** The members, and an Ed25519 signature over their fields, whatever they are. */
function signed<Members extends object>(members: Members, key: KeyObject = sealKey) {
  const text = Object.values(members).map((value) => field(String(value)));
  return { ...members, signature: sign(null, Buffer.from(text.join('')), key).toString('base64') };
}

export function resigned({ signature: _, ...seal }: Seal, change: object, key: KeyObject = sealKey) {
  const public_key = spkiOf(key).toString('base64');
  return signed({ ...seal, public_key, ...change }, key);
}

const spkiOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });

const order = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The same signature with S + L in place of S: RFC 8032 refuses it, or there would be two for one text. */
export function otherSignature(signature: string): string {
  const bytes = Buffer.from(signature, 'base64');
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  const other = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([bytes.subarray(0, 32), other]).toString('base64');
}

const upper = (text: string): string => text.toUpperCase();
/** A bit more than 32 bytes need, which base64 would drop. */
const withLooseBit = (base64: string): string =>
  base64.replace(/(.)=$/, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`);
const asX25519 = (): string => spkiOf(sealKey).fill(0x6e, 8, 9).toString('base64');

/** Changes of a seal before it is signed. */
export const wrongSeals: Readonly<Record<string, (seal: Seal) => object>> = {
  'no events': () => ({ count: 0 }),
  'more events than a whole number can say': () => ({ count: 2 ** 53 }),
  'a count that is not whole': () => ({ count: 1.5 }),
  'upper case in its head': ({ head }) => ({ head: upper(head) }),
  'upper case in its root': ({ root }) => ({ root: upper(root) }),
  'a time without milliseconds': () => ({ sealed_at: '2026-06-01T00:00:00Z' }),
  'a time with an offset': () => ({ sealed_at: '2026-06-01T00:00:00.000+00:00' }),
  'a blank in its log_id': () => ({ log_id: 'the log' }),
  'a letter in its log_id that is not ASCII': () => ({ log_id: 'zoë' }),
  'a log_id of 65 characters': () => ({ log_id: 'l'.repeat(65) }),
  'no position': () => ({ position: '' }),
  'an event_id in upper case': () => ({ event_id: '6F1E0F0A-8C1B-4B52-9D0E-3A7C5B2D1E4F' }),
  'a key with a bit that does not count': ({ public_key }) => ({ public_key: withLooseBit(public_key) }),
  'a key of another kind': () => ({ public_key: asX25519() }),
  'a key in hex': () => ({ public_key: spkiOf(sealKey).toString('hex') }),
};

interface Draft {
  readonly stream: string;
  readonly revision: number;
  readonly event_id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}
type Shown = Draft & { readonly ordinal: number; readonly path: readonly string[] };

interface Stated {
  readonly root: string;
  readonly public_key: string;
}

interface Change {
  /** The log that is sealed. */
  readonly log?: (log: readonly Draft[]) => readonly Draft[];
  readonly statement?: (stated: Stated) => object;
  readonly events?: (events: readonly Shown[]) => readonly object[];
}

const stream = `contact-${'5f'.repeat(16)}`;
const list = { list_id: 'lst_1', list_name: 'News' };
const tag = { tag_id: 'tag_1', tag_name: 'VIP' };
const metadataAt = (seconds: number): string =>
  JSON.stringify({ at: `2026-01-02T03:04:0${seconds}.678Z`, actor: 'shop' });

const drafted: readonly Draft[] = [
  { stream: 'service', revision: 0, type: 'ServiceInitialised', data: { log_id: 'a-log' } },
  {
    stream,
    revision: 0,
    type: 'ContactCreated',
    data: { contact_id: 'con_1', person: { salt: '00', email: 'a@b.c' } },
  },
  { stream, revision: 1, type: 'ContactSubscribed', data: { contact_id: 'con_1', ...list, previous_status: null } },
  { stream, revision: 2, type: 'TagsAttached', data: { contact_id: 'con_1', tags: [tag] } },
  { stream: 'lists', revision: 1, type: 'ListDeleted', data: list },
  { stream: 'tags', revision: 1, type: 'TagDeleted', data: tag },
  { stream, revision: 3, type: 'ContactUnsubscribed', data: { contact_id: 'con_1', list_id: 'lst_2' } },
].map(({ data, ...event }, index) => ({
  ...event,
  ...{ event_id: `6f1e0f0a-8c1b-4b52-9d0e-3a7c5b2d1e4${index}` },
  ...{ data: JSON.stringify(data), metadata: metadataAt(index) },
}));

const event = (ordinal: number, change: Partial<Draft>): Change => ({
  log: (log) => log.map((one, index) => (index === ordinal - 1 ? { ...one, ...change } : one)),
});
const shown = (ordinal: number, change: (event: Shown) => Partial<Shown>): Change => ({
  events: (events) => events.map((one) => (one.ordinal === ordinal ? { ...one, ...change(one) } : one)),
});
const without =
  (...ordinals: readonly number[]): NonNullable<Change['events']> =>
  (events) =>
    events.filter(({ ordinal }) => !ordinals.includes(ordinal));

/** A proof in which all but these changes is as it should be. */
export async function proofWith({
  log = (same) => same,
  statement = () => ({}),
  events = (same) => same,
}: Change = {}) {
  const sealed = log(drafted);
  const leaves = sealed.map(({ event_id: id, ...one }, index) => leafOf(index + 1, { id, ...one }));
  const count = leaves.length;
  const tree = createTree({ leavesOf: async () => leaves, blockRoots: async () => [] });
  const head = sealed.reduce(
    (link, { event_id: id, ...one }, at) => linkAfter(link, at + 1, { id, ...one }),
    firstLink,
  );
  const all: Shown[] = [];
  for (const [index, one] of sealed.entries())
    if (index > 0) all.push({ ordinal: index + 1, ...one, path: await tree.inclusion(index + 1, count) });
  const stated = {
    format: 'audience-ledger-proof/1',
    note: 'The events of one contact, and the deletions of the lists and tags that these name. E-mails to the person are not in it.',
    ...{ log_id: 'a-log', count, head, root: await tree.rootAt(count), sealed_at: '2026-06-01T00:00:00.000Z' },
    ...{ stream, last_revision: 3, deletions: [5, 6], public_key: spkiOf(sealKey).toString('base64') },
  };
  const changed = { ...stated, ...statement(stated) };
  return { ...signed(changed), events: events(all) };
}

const inStream = (name: string): Change => ({
  log: (log) => log.map((one) => (one.stream === stream ? { ...one, stream: name } : one)),
  statement: () => ({ stream: name }),
});

const twice = String.raw`{"contact_id":"con_1","list_id":"lst_1","list\u005fid":"lst_1"}`;

export const wrongProofs: Readonly<Record<string, Change>> = {
  'times run backwards': event(4, { metadata: metadataAt(1) }),
  'no time': event(7, { metadata: '{"actor":"shop"}' }),
  'a time without milliseconds': event(4, { metadata: '{"at":"2026-01-02T03:04:05Z"}' }),
  'a time with an escape': event(4, { metadata: String.raw`{"at":"2026-01-02T03:04:03.678\u005a"}` }),
  'a time as a number': event(4, { metadata: '{"at":1767323043678}' }),
  'a name twice in data': event(3, { data: twice }),
  'a name twice in metadata': event(3, { metadata: metadataAt(2).replace('}', String.raw`,"\u0061ctor":"ada"}`) }),
  'data that is no object': event(7, { data: '[]' }),
  'data that is no JSON': event(7, { data: '{"contact_id":con_1}' }),
  'a blank before data': event(7, { data: ' {}' }),
  'a blank after metadata': event(7, { metadata: `${metadataAt(6)} ` }),
  'metadata that is no object': event(7, { metadata: '"at"' }),
  'an event without a type': event(7, { type: '' }),
  'an event without an id': event(7, { event_id: '' }),
  'half of a surrogate pair': event(7, { type: 'Contact\ud800' }),
  'a revision is left out': event(7, { revision: 4 }),
  'its stream begins at revision 1': {
    log: (log) => log.map((one) => (one.stream === stream ? { ...one, revision: one.revision + 1 } : one)),
    statement: () => ({ last_revision: 4 }),
  },
  'more revisions than the last': { statement: () => ({ last_revision: 2 }) },
  'fewer revisions than the last': { statement: () => ({ last_revision: 4 }) },
  'no events': { statement: () => ({ last_revision: 0, deletions: [] }), events: () => [] },
  'an event twice': { events: (events) => events.flatMap((one) => (one.ordinal === 3 ? [one, one] : [one])) },
  'events in another order': { events: (events) => events.toReversed() },
  'more events than were sealed': { statement: () => ({ count: 6 }) },
  'a list that was not deleted but renamed': event(5, { type: 'ListRenamed' }),
  'a deletion of a list in the stream of tags': event(5, { stream: 'tags', revision: 0 }),
  'a deletion of a tag in the stream of lists': event(6, { stream: 'lists', revision: 2 }),
  'an event of another contact': event(5, { stream: `contact-${'6f'.repeat(16)}` }),
  'a deletion of a list whose id only a tag has': event(5, { data: '{"list_id":"tag_1"}' }),
  'a deletion of a tag whose id only a list has': event(6, { data: '{"tag_id":"lst_1"}' }),
  'a deletion that names nothing': event(5, { data: '{}' }),
  'a tag that is named in no array': event(4, { data: '{"contact_id":"con_1","tags":{"tag_id":"tag_1"}}' }),
  'a tag that is named beside the array': event(4, { data: '{"contact_id":"con_1","tags":[],"tag_id":"tag_1"}' }),
  'a list that is named inside of something': event(3, { data: '{"list":{"list_id":"lst_1"}}' }),
  'deletions that do not rise': { statement: () => ({ deletions: [6, 5] }) },
  'a deletion that is stated and not there': { events: without(6) },
  'a deletion that is there and not stated': { statement: () => ({ deletions: [5] }) },
  'upper case in its root': { statement: ({ root }) => ({ root: upper(root) }) },
  'upper case in a path': shown(7, ({ path }) => ({ path: path.map(upper) })),
  'a path that is too long': shown(7, ({ path }) => ({ path: [...path, '0'.repeat(64)] })),
  'a path that is too short': shown(7, ({ path }) => ({ path: path.slice(0, -1) })),
  'a stream of no contact': inStream('person-1'),
  'upper case in its stream': inStream(upper(stream).replace('CONTACT', 'contact')),
  'a deletion behind a later event': {
    events: (events) => [...events.slice(0, -2), ...events.slice(-2).toReversed()],
  },
  'a time of the seal without milliseconds': { statement: () => ({ sealed_at: '2026-06-01T00:00:00Z' }) },
  'a blank in its log_id': { statement: () => ({ log_id: 'a log' }) },
  'another note': { statement: () => ({ note: 'The events of one contact, all of them true.' }) },
  'a key with a bit that does not count': {
    statement: ({ public_key }) => ({ public_key: withLooseBit(public_key) }),
  },
  'a key of another kind': { statement: () => ({ public_key: asX25519() }) },
  'signed by another key': { statement: () => ({ public_key: spkiOf(testKey(9)).toString('base64') }) },
};
