/** Vectors of proofs of one person. Most wrong proofs are signed right, lead to the root and break one other rule. */
import { changes, texts, written, type Case } from './case.js';
import * as logs from './log.js';
import { note, otherKey, past, proofOf, proven, publicKeyOf, sealOf, signed, withLooseBit, x25519Key } from './log.js';
import type { Entry, Log, ProvenEvent } from './log.js';

interface Change {
  /** Changes the log before it is sealed. */
  readonly log?: (log: Log) => Log;
  /** Changes members before they are signed. */
  readonly statement?: (stated: Stated) => object;
  readonly events?: (events: readonly ProvenEvent[]) => readonly object[];
}
interface Stated {
  readonly root: string;
  readonly public_key: string;
}

const stream = `contact-${'5f'.repeat(16)}`;
const list = { list_id: 'lst_1', list_name: 'News' };
const tag = { tag_id: 'tag_1', tag_name: 'VIP' };
const metadataAt = (seconds: number): string =>
  JSON.stringify({ at: `2026-01-02T03:04:0${seconds}.678Z`, actor: 'shop' });

const drafted: Log = [
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

const event = (ordinal: number, change: Partial<Entry>): Change => ({
  log: (log) => log.map((one, index) => (index === ordinal - 1 ? { ...one, ...change } : one)),
});
const shown = (ordinal: number, change: (event: ProvenEvent) => Partial<ProvenEvent>): Change => ({
  events: (events) => events.map((one) => (one.ordinal === ordinal ? { ...one, ...change(one) } : one)),
});
const without =
  (...ordinals: readonly number[]): NonNullable<Change['events']> =>
  (events) =>
    events.filter(({ ordinal }) => !ordinals.includes(ordinal));

/** Returns a proof that is right except for these changes. */
function proofWith({ log = (same) => same, statement = () => ({}), events = (same) => same }: Change = {}) {
  const sealed = log(drafted);
  const stated = {
    ...{ format: 'audience-ledger-proof/2', note, log_id: 'a-log', count: sealed.length, root: logs.rootAt(sealed) },
    ...{ sealed_at: '2026-06-01T00:00:00.000Z', stream, last_revision: 3, deletions: [5, 6] },
    public_key: publicKeyOf(logs.sealKey),
  };
  const all = sealed.map((_, index) => proven(sealed, index + 1)).slice(1);
  return { ...signed({ ...stated, ...statement(stated) }), events: events(all) };
}

const upper = (text: string): string => text.toUpperCase();

const inStream = (name: string): Change => ({
  log: (log) => log.map((one) => (one.stream === stream ? { ...one, stream: name } : one)),
  statement: () => ({ stream: name }),
});

const twice = String.raw`{"contact_id":"con_1","list_id":"lst_1","list\u005fid":"lst_1"}`;

const wrongProofs: Readonly<Record<string, Change>> = {
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
  'a key of another kind': { statement: () => ({ public_key: x25519Key() }) },
  'signed by another key': { statement: () => ({ public_key: publicKeyOf(otherKey) }) },
};

export function proofVectors(): { readonly cases: readonly Case[] } {
  return { cases: [...ofPast(), ...byHand()] };
}

const [first, second] = [1, 2].map(logs.contactStream) as [string, string];
const secondProof = { stream: second, ordinals: [10, 11, 12, 14, 15, 17, 19], deletions: [15, 17] };

function ofPast(): readonly Case[] {
  const [all, early] = [sealOf(past), sealOf(past, 12)];
  const proof = proofOf(past, secondProof);
  const text = JSON.stringify(proof);
  const firstProof = proofOf(past, { stream: first, ordinals: [5, 6, 7, 9, 15, 17, 18, 20], deletions: [15, 17] });
  const another: Record<string, object> = {
    log_id: { log_id: 'another-log' },
    root: { root: early.root },
    sealed_at: { sealed_at: early.sealed_at },
  };
  const sealsOfTheSame = [
    ...Object.entries(another).map(([name, change]) => [`another ${name}`, logs.resigned(all, change)] as const),
    ['another key', logs.resigned(all, {}, otherKey)] as const,
  ];
  const withEvents = (events: readonly object[]): object => ({ ...proof, events });
  const withoutEvent = (ordinal: number) => proof.events.filter((event) => event.ordinal !== ordinal);
  return [
    { name: 'a proof', valid: true, text },
    { name: 'with its seal', valid: true, of: 'a proof', seals: texts(all) },
    { name: 'with its seal and its key', valid: true, of: 'a proof', seals: texts(all), publicKey: all.public_key },
    {
      ...{ name: 'with a seal that differs in seq and final only', valid: true, of: 'a proof' },
      seals: texts(logs.resigned(all, { seq: 99, final: true })),
    },
    { name: 'with its seal and another seal', valid: false, of: 'a proof', seals: texts(all, early) },
    { name: 'with another seal', valid: false, of: 'a proof', seals: texts(early) },
    ...sealsOfTheSame.map(([name, seal]) => ({
      ...{ name: `with a seal of the same count, but ${name}`, valid: false, of: 'a proof', seals: texts(seal) },
    })),
    { name: 'with another key', valid: false, of: 'a proof', publicKey: publicKeyOf(otherKey) },
    { name: 'indented', valid: true, text: `${JSON.stringify(proof, undefined, 2)}\n` },
    ...written(true, {
      'against an early seal, without deletions': proofOf(past, { stream: first, ordinals: [5, 6, 7, 9], seal: early }),
      'with digests in place of personal data': withEvents(
        proof.events.map((event) => ({ ...event, data: logs.erased(event.data) })),
      ),
    }),
    ...written(false, {
      'without an event, and signed so': { ...proofOf(past, { ...secondProof, ordinals: [10, 12, 14, 15, 17, 19] }) },
      'without its last event': withEvents(proof.events.slice(0, -1)),
      'without a deletion': withEvents(withoutEvent(15)),
      'with the deletion of a list that no event names': proofOf(past, {
        ...{ stream: second, ordinals: [10, 11, 12, 14, 15, 16, 17, 19], deletions: [15, 16, 17] },
      }),
      'with the events of another person': withEvents(firstProof.events),
      'signed by another key than it names': {
        ...proofOf(past, { ...secondProof, key: otherKey }),
        public_key: all.public_key,
      },
      'with events in another order': withEvents(proof.events.toReversed()),
    }),
    ...changes('a proof', text, [
      ['note', 'E-mails to the person are not', 'E-mails to the person are'],
      ['log', /"log_id":"./, '"log_id":"'],
      ['count', '"count":', '"count":1'],
      ['sealed_at', '"sealed_at":"2026', '"sealed_at":"2025'],
      ['last revision', /"last_revision":\d+/, '"last_revision":9'],
      ['personal data', 'person.2@', 'person.3@'],
      ['metadata', /actor\\":\\"shop/, String.raw`actor\":\"shqp`],
      ['type', '"type":"ContactUnsubscribed"', '"type":"ContactSubscribed"'],
      ['event id', /"event_id":"./, '"event_id":"9'],
      ['path', /"path":\["[0-9a-f]{64}"/, `"path":["${'0'.repeat(64)}"`],
      ['bits in the signature that are not part of it', /[AQgw]==","events"/, 'B==","events"'],
      ['a member twice', '"count":', '"count":1,"count":'],
      ['a member that it should not have', '"format":', '"verified":true,"format":'],
      ['a member missing', /"root":"[0-9a-f]{64}",/, ''],
      ['the link of an earlier format', '"root":', `"head":"${'0'.repeat(64)}","root":`],
    ]),
    { ...changes('a proof', text, [['an earlier format', 'proof/2', 'proof/1']])[0], exit: 2 } as Case,
  ];
}

function byHand(): readonly Case[] {
  const proof = proofWith();
  const text = JSON.stringify(proof);
  const unreadable = [
    ...changes('by hand', text, [['a byte order mark', '{"format"', '\ufeff{"format"']]),
    { name: 'by hand: cut off', valid: false, text: text.slice(0, 1_000) },
    { name: 'by hand: in the whole answer of the service', valid: false, text: `{"statusCode":200,"data":${text}}` },
    { name: 'a page in its place', valid: false, text: '<!doctype html>\n' },
  ];
  return [
    { name: 'by hand', valid: true, text },
    {
      ...{ name: 'by hand: a deletion without a time', valid: true },
      text: JSON.stringify(proofWith(event(5, { metadata: '{"actor":"shop"}' }))),
    },
    ...Object.entries(wrongProofs).map(([name, change]) => ({
      ...{ name: `signed right: ${name}`, valid: false, text: JSON.stringify(proofWith(change)) },
    })),
    ...changes('by hand', text, [
      ['a count that is not in digits', '"count":7', '"count":7.0'],
      ['an ordinal that is not in digits', '"ordinal":2', '"ordinal":2e0'],
      ['a revision that is not in digits', '"revision":0', '"revision":-0'],
      ['a last revision that is not in digits', '"last_revision":3', '"last_revision":3.0'],
      ['a deletion that is not in digits', '[5,6]', '[5,6.0]'],
      ['an ordinal as a text', '"ordinal":2', '"ordinal":"2"'],
      ['a member twice in an event', '"revision":0', String.raw`"r\u0065vision":1,"revision":0`],
      ['a member that an event should not have', '"revision":0', '"position":"2","revision":0'],
      ['S of the signature is too large', proof.signature, logs.otherSignature(proof.signature)],
      ['a second object after it', ']}]}', ']}]}\n{}'],
    ]),
    ...unreadable.map((one) => ({ ...one, exit: 2 })),
    ...changes('by hand', text, [
      ['an escape', 'proof/2', String.raw`proof\/2`],
      ['a name with an escape', '"count"', String.raw`"c\u006funt"`],
    ]).map((one) => ({ ...one, valid: true })),
  ];
}
