/** A log in which several people have a past, always the same one, and the proofs that are made of it. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import path from 'node:path';
import { createCatalogues } from '../../src/audit/names.js';
import { unpaced } from '../../src/audit/replay-pace.js';
import { createStoredEvents } from '../../src/audit/stored-events.js';
import { toHex } from '../../src/eventstore/leaf.js';
import { frontierAt, rootOf } from '../../src/eventstore/tree.js';
import { provePerson, type Proof, type ProofSources } from '../../src/integrity/proofs.js';
import { createSeal, type Seal } from '../../src/integrity/seal.js';
import { contactStream, deriveStreamKeys } from '../../src/events/streams.js';
import { openSqliteEventReader, type SqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';

/** Ed25519, from 32 equal bytes: its signatures are always the same. */
export const testKey = (byte: number): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)]),
    format: 'der',
    type: 'pkcs8',
  });

export const sealKey = testKey(7);
const logId = '5b0c8f7e-1d2a-4c3b-9e8f-7a6b5c4d3e2f';
/** Of that log. */
export const secret = 'the secret of a log that is always the same';
const streamKeys = deriveStreamKeys(secret);

/** Each name stands once in the log, and in nobody else's events. */
export function personOf(number: number) {
  const email = `person.${number}@example.com`;
  return { email, stream: contactStream(streamKeys.contactKey(email)), contactId: `con_${ulidOf(number)}` };
}

const hexOf = (number: number, length: number): string => (0xabc0000 + number).toString(16).padStart(length, 'd');
const ulidOf = (number: number): string => `01JQ8ZK3V5W7X9YABC${String(number).padStart(8, '0')}`;
const listOf = (slot: number) => ({ list_id: `lst_${ulidOf(slot)}`, list_name: `List “${slot}” \u{1F4EC}` });
const tagOf = (number: number) => ({ tag_id: `tag_${ulidOf(number)}`, tag_name: `Tag ${number}` });

interface Written {
  readonly stream: string;
  readonly type: string;
  readonly data: object;
}

/** What happened, in order: the people take turns; the first tags come of other people's requests. */
function* past(people: number, rounds: number): Generator<Written> {
  yield {
    stream: 'service',
    type: 'ServiceInitialised',
    data: { log_id: logId, secret_fingerprint: streamKeys.fingerprint(logId) },
  };
  for (const slot of [1, 2, 3]) yield { stream: 'lists', type: 'ListCreated', data: listOf(slot) };
  for (let person = 1; person <= people; person += 1) {
    const { stream, contactId: contact_id, email } = personOf(person);
    const personal = { salt: hexOf(person, 32), email, firstName: `Zoë ${person}` };
    yield { stream, type: 'ContactCreated', data: { contact_id, person: personal } };
    for (const slot of [1, 2])
      yield { stream, type: 'ContactSubscribed', data: { contact_id, ...listOf(slot), previous_status: null } };
    yield { stream: 'tags', type: 'TagCreated', data: tagOf(person) };
    const tags = [tagOf(person), tagOf(1)].slice(0, person);
    yield { stream, type: 'TagsAttached', data: { contact_id, list_id: listOf(1).list_id, tags } };
  }
  yield { stream: 'lists', type: 'ListDeleted', data: listOf(2) };
  yield { stream: 'lists', type: 'ListDeleted', data: listOf(3) };
  yield { stream: 'tags', type: 'TagDeleted', data: tagOf(1) };
  for (let round = 0; round < rounds; round += 1) {
    const { stream, contactId: contact_id } = personOf((round % people) + 1);
    const [type, previous_status] =
      Math.floor(round / people) % 2 === 0
        ? ['ContactUnsubscribed', 'Subscribed']
        : ['ContactSubscribed', 'Unsubscribed'];
    yield { stream, type, data: { contact_id, ...listOf(1), previous_status } };
  }
}

const at = (ordinal: number): string => new Date(Date.UTC(2026, 2, 1) + ordinal * 61_001).toISOString();
export const requestOf = (ordinal: number): string => `request-${String(ordinal).padStart(6, '0')}`;
export const eventIdOf = (ordinal: number): string => `${hexOf(ordinal, 8)}-1111-4111-8111-${hexOf(ordinal, 12)}`;

interface Past {
  readonly people?: number;
  readonly rounds?: number;
  /** The final outcome. */
  readonly after?: readonly Written[];
}

/** Returns the file of the log. */
export async function writePast(folder: string, { people = 3, rounds = 6, after = [] }: Past = {}): Promise<string> {
  const file = path.join(folder, 'events.db');
  const store = await openSqliteEventStore({ file, clock: () => 0 });
  const revisions = new Map<string, number>();
  let ordinal = 0;
  let appended: Promise<unknown> = Promise.resolve();
  for (const { stream, type, data } of [...past(people, rounds), ...after]) {
    ordinal += 1;
    const metadata = {
      ...{ at: at(ordinal), $correlationId: eventIdOf(ordinal), $causationId: eventIdOf(ordinal) },
      ...{ request_id: requestOf(ordinal), actor: 'shop', schema: 1 },
    };
    const event = { id: eventIdOf(ordinal), type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
    const revision = revisions.get(stream) ?? -1;
    revisions.set(stream, revision + 1);
    appended = store.append(stream, [event], { expectedRevision: revision < 0 ? 'no_stream' : BigInt(revision) });
  }
  await appended;
  await store.close();
  return file;
}

export interface Prover {
  readonly log: SqliteEventReader;
  readonly sources: ProofSources;
  /** Of the first so many events; by default of all. */
  seal(count?: number, key?: KeyObject): Promise<Seal>;
  /** Of a person, or of a stream. */
  prove(person: number | string, seal?: Seal, key?: KeyObject): Promise<Proof>;
}

export async function proving<Result>(file: string, action: (prover: Prover) => Promise<Result>): Promise<Result> {
  const log = openSqliteEventReader({ file, pollMs: 0 });
  const stored = createStoredEvents({ reader: log, catalogues: createCatalogues(log), pace: unpaced });
  const seal: Prover['seal'] = async (given, key = sealKey) => {
    const count = given ?? (await log.tree.count());
    const root = toHex(rootOf(await frontierAt(log.tree, count)) ?? '');
    const state = { log_id: logId, seq: count, restores: 0, count, root, final: false };
    return createSeal(state, key, Date.UTC(2026, 5, 1) + count);
  };
  try {
    return await action({
      log,
      sources: { stored, source: log.tree, key: sealKey },
      seal,
      async prove(person, given, key = sealKey) {
        const stream = typeof person === 'number' ? personOf(person).stream : person;
        return await provePerson({ stored, source: log.tree, key }, { stream, seal: given ?? (await seal()) });
      },
    });
  } finally {
    await log.close();
  }
}
