/** Compares registers with real logs: which events come back, in which order, and which are left to the operator. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openCommands, type Commands } from '../../src/app/commands.js';
import { serviceContext } from '../../src/commands/batch.js';
import type { Key } from '../../src/commands/keys.js';
import type { DomainEvent } from '../../src/events/codec.js';
import {
  contactStream,
  deriveStreamKeys,
  erasuresStream,
  keysStream,
  listsStream,
  suppressionStream,
} from '../../src/events/streams.js';
import type { EventStore, StoredEvent } from '../../src/eventstore/event-store.js';
import { applyRegister, missingInLog } from '../../src/recovery/apply-register.js';
import type { RegisterLine } from '../../src/recovery/register-line.js';
import { allEvents, openLog } from '../support/event-log.js';
import { exampleEvents as e, examples, toAppend } from '../support/examples.js';
import { linesOf, logWith, recordRestore, registerSecret } from '../support/registers.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 2, 2);
const ahead = [
  ['an hour', hourMs],
  ['a day', dayMs],
  ['a year', 365 * dayMs],
] as const;

const person = 'a1'.repeat(16);
const listId = examples.list.list_id;
const hashOf = (letter: string): string => letter.repeat(64);

interface Process extends Commands {
  readonly store: EventStore;
  /** The clock of the process. */
  readonly time: { now: number };
}

async function processOn(store: EventStore): Promise<Process> {
  const time = { now: start };
  const commands = await openCommands({
    ...{ store, keys: deriveStreamKeys(registerSecret), clock: () => time.now, newUuid: randomUUID },
    onUnreadable: () => undefined,
  });
  return { ...commands, store, time };
}

/** A log with a list, a contact that is subscribed to it, and an API key. */
async function newLog(): Promise<Process> {
  const { store } = await openLog();
  const process = await processOn(store);
  await append(store, listsStream, e.listCreated);
  await append(store, contactStream(person), e.contactCreated, e.subscribed);
  const data = { key_id: 'key_1', name: 'Kiosk', scopes: ['keys'], hash: hashOf('a') };
  await append(store, keysStream, { type: 'ApiKeyCreated', data });
  return process;
}

async function append(store: EventStore, stream: string, ...events: readonly DomainEvent[]): Promise<void> {
  let revision = -1n;
  for await (const batch of store.readStream(stream)) revision = batch.at(-1)?.revision ?? revision;
  await store.append(
    stream,
    events.map((event) => toAppend(event)),
    { expectedRevision: revision < 0n ? 'no_stream' : revision },
  );
}

const context = (actor = 'recipient') => ({ ...serviceContext(randomUUID()), actor });
const by = { kind: 'one_click', email_id: 'eml_1' } as const;

const unsubscribe = ({ refusals }: Process): Promise<void> =>
  refusals.refuse({ contactKey: person, scope: listId, reason: 'unsubscribe', by, tokenHash: 'token' }, context());

const release = async ({ suppressions }: Process, scope = listId): Promise<void> => {
  const command = { type: 'Release', scope, reason: 'person' } as const;
  await suppressions.execute({ stream: suppressionStream(person), command, context: context() });
};

const suppress = async ({ suppressions }: Process, scope = 'all', key = person): Promise<void> => {
  const entries = [{ scope, reason: 'manual' }] as const;
  const command = { type: 'Suppress', entries, person: { email: 'ada@example.com' } } as const;
  await suppressions.execute({ stream: suppressionStream(key), command, context: context('key_1') });
};

const rotate = async ({ keys, time }: Process, letter: string, overlapMs = hourMs): Promise<void> => {
  const previous_until = new Date(time.now + overlapMs).toISOString();
  const granted = { granter: new Set(['keys']), by: 'key_1', now: new Date(time.now).toISOString() };
  const command = { type: 'Rotate', key_id: 'key_1', hash: hashOf(letter), previous_until, ...granted } as const;
  await keys.execute({ stream: keysStream, command, context: context('key_1') });
};

const revoke = async ({ keys }: Process): Promise<void> => {
  const command = { type: 'Revoke', key_id: 'key_1' } as const;
  await keys.execute({ stream: keysStream, command, context: context('key_1') });
};

const erase = async ({ erasures }: Process, erasure_id: string, after?: string): Promise<void> => {
  const command = { type: 'Request', erasure_id, subject_key: person, reason: 'requested', after } as const;
  await erasures.execute({ stream: erasuresStream, command, context: context('key_1') });
};

const scopesRefused = async ({ suppressions }: Process): Promise<readonly string[]> =>
  (await suppressions.fresh(suppressionStream(person))).state.active.map(({ scope }) => scope);

const statusIn = async ({ contacts }: Process, list = listId): Promise<string | undefined> =>
  (await contacts.fresh(contactStream(person))).state.subscriptions.get(list)?.status;

const keyIn = async ({ keys }: Process): Promise<Key | undefined> => (await keys.fresh(keysStream)).state.get('key_1');

/** Restores the log to this end, and brings back what the register has. */
async function restored(backup: readonly StoredEvent[], lines: readonly RegisterLine[]): Promise<Process> {
  const process = await processOn(await logWith(backup));
  await recordRestore(process.store);
  await apply(process, lines, 'restored');
  return process;
}

const apply = (process: Process, lines: readonly RegisterLine[], mode: 'restored' | 'late', erasures?: Set<string>) =>
  applyRegister(process.store, {
    ...{ lines, mode, commands: process, clock: () => process.time.now },
    ...(erasures && { erasures }),
  });

const typesOf = (lines: readonly RegisterLine[]): readonly string[] => lines.map(({ type }) => type);

async function missing({ store, time }: Process, lines: readonly RegisterLine[]) {
  const { applied, reported } = await missingInLog(store, { lines, mode: 'late', clock: () => time.now });
  return { applied: typesOf(applied), reported: typesOf(reported) };
}

const nothing = { applied: [], reported: [] };

describe('the first start after a restore', () => {
  test('brings back every kind of event, with its id, its actor and a new time', async () => {
    const before = await newLog();
    const backup = await allEvents(before.store);
    await unsubscribe(before);
    await suppress(before);
    await release(before, 'all');
    await rotate(before, 'b');
    await revoke(before);
    await erase(before, 'ers_1');
    const lines = await linesOf(before.store);
    const after = await restored(backup, lines);
    expect(await scopesRefused(after)).toEqual([listId]);
    expect(await statusIn(after)).toBe('Unsubscribed');
    expect(await keyIn(after)).toMatchObject({ hash: hashOf('b'), revoked_at: expect.any(String) as string });
    const again = await linesOf(after.store);
    const facts = (line: RegisterLine) => [line.event_id, line.type, line.metadata['actor']];
    expect(again.map(facts).sort()).toEqual(lines.map(facts).sort());
    expect(await missing(after, lines)).toEqual(nothing);
  });

  test('appends nothing when it is repeated, and continues where it was killed', async () => {
    const before = await newLog();
    const backup = await allEvents(before.store);
    for (let round = 0; round < 3; round += 1) {
      await suppress(before);
      await release(before, 'all');
    }
    await unsubscribe(before);
    const lines = await linesOf(before.store);
    const process = await processOn(await logWith(backup));
    for (let count = 1; count <= lines.length; count += 1) await apply(process, lines.slice(0, count), 'restored');
    expect(await scopesRefused(process)).toEqual([listId]);
    const { length } = await allEvents(process.store);
    await apply(process, lines, 'restored');
    expect(await allEvents(process.store)).toHaveLength(length);
    expect(await linesOf(process.store)).toHaveLength(lines.length);
  });

  test.each(ahead)('keeps a rotated secret closed although the clock was %s ahead once', async (_, ms) => {
    const before = await newLog();
    before.time.now += ms;
    await rotate(before, 'b');
    const backup = await allEvents(before.store);
    before.time.now = start;
    await rotate(before, 'c');
    await rotate(before, 'd');
    const after = await restored(backup, await linesOf(before.store));
    const key = await keyIn(after);
    expect(key?.hash).toBe(hashOf('d'));
    expect(key?.previous?.hash).toBe(hashOf('c'));
  });

  test.each(ahead)('gives a rotation no longer overlap although the clock was %s ahead', async (_, ms) => {
    const before = await newLog();
    const backup = await allEvents(before.store);
    before.time.now += ms;
    await rotate(before, 'b');
    const after = await restored(backup, await linesOf(before.store));
    expect((await keyIn(after))?.previous?.until).toBe(new Date(start + hourMs).toISOString());
  });

  test.each(ahead)(
    'does not email a person whose last decision was to unsubscribe, although the clock was %s ahead',
    async (_, ms) => {
      const before = await newLog();
      const backup = await allEvents(before.store);
      await unsubscribe(before);
      before.time.now += ms;
      await release(before);
      before.time.now = start + 1;
      await unsubscribe(before);
      const after = await restored(backup, await linesOf(before.store));
      expect(await scopesRefused(after)).toEqual([listId]);
      expect(await statusIn(after)).toBe('Unsubscribed');
    },
  );

  test('does not change a contact that was created after an erasure', async () => {
    const before = await newLog();
    await unsubscribe(before);
    const lines = await linesOf(before.store);
    const other = await processOn((await openLog()).store);
    await append(other.store, listsStream, e.listCreated);
    const contact_id = 'con_02';
    const created = { ...e.contactCreated, data: { ...e.contactCreated.data, contact_id } };
    const subscribed = { ...e.subscribed, data: { ...e.subscribed.data, contact_id } };
    await append(other.store, contactStream(person), created, subscribed);
    await apply(other, lines, 'restored');
    expect(await statusIn(other)).toBe('Subscribed');
    // The suppression has its own line and applies to the address.
    expect(await scopesRefused(other)).toEqual([listId]);
    expect(await missing(other, lines)).toEqual(nothing);
  });

  test('does not bring back an unsubscription from a list that is deleted', async () => {
    const before = await newLog();
    const backup = await allEvents(before.store);
    await unsubscribe(before);
    const lines = await linesOf(before.store);
    const after = await processOn(await logWith(backup));
    await append(after.store, listsStream, e.listDeleted);
    await apply(after, lines, 'restored');
    expect(await scopesRefused(after)).toEqual([listId]);
    expect(await missing(after, lines)).toEqual(nothing);
  });

  test('does not rotate a key that has expired, nor one that the log does not have', async () => {
    const before = await newLog();
    const backup = await allEvents(before.store);
    await rotate(before, 'b');
    const lines = await linesOf(before.store);
    const expired = await processOn(await logWith(backup));
    await append(expired.store, keysStream, { type: 'ApiKeyExpired', data: { key_id: 'key_1' } });
    const without = await processOn(await logWith(backup.filter(({ stream }) => stream !== keysStream)));
    for (const process of [expired, without]) {
      expect(await apply(process, lines, 'restored')).toEqual(nothing);
      expect(await missing(process, lines)).toEqual(nothing);
    }
  });

  test('brings back both erasures of one person, and misses none when the first is completed', async () => {
    const before = await newLog();
    const backup = await allEvents(before.store);
    await erase(before, 'ers_1');
    await erase(before, 'ers_2', 'ers_1');
    const lines = await linesOf(before.store);
    const after = await restored(backup, lines);
    const { all } = (await after.erasures.fresh(erasuresStream)).state;
    expect([...all.keys()].sort()).toEqual(['ers_1', 'ers_2']);
    const completed = { type: 'Complete', erasure_id: 'ers_1', contacts: 1, emails: 0 } as const;
    await after.erasures.execute({ stream: erasuresStream, command: completed, context: context() });
    expect(await missing(after, lines)).toEqual(nothing);
  });

  test('reports a release from a branch of the log that an earlier restore removed', async () => {
    const before = await newLog();
    await suppress(before);
    const backup = await allEvents(before.store);
    await release(before, 'all');
    const left = await linesOf(before.store);
    const first = await processOn(await logWith(backup));
    await recordRestore(first.store);
    await release(first, 'all');
    await suppress(first);
    const second = await restored(await allEvents(first.store), [...left, ...(await linesOf(first.store))]);
    expect(await scopesRefused(second)).toEqual(['all']);
  });
});

describe('a line that turns up later', () => {
  /** A log that was restored without the newest register. */
  async function restoredWithout(
    happened: (before: Process) => Promise<void>,
    earlier?: (log: Process) => Promise<void>,
  ) {
    const before = await newLog();
    await earlier?.(before);
    const backup = await allEvents(before.store);
    await happened(before);
    const after = await processOn(await logWith(backup));
    await recordRestore(after.store);
    return { after, lines: await linesOf(before.store) };
  }

  test('a late line of an unsubscription, a suppression or a revocation is applied', async () => {
    const { after, lines } = await restoredWithout(async (before) => {
      await unsubscribe(before);
      await suppress(before);
      await revoke(before);
    });
    const { applied, reported } = await apply(after, lines, 'late');
    expect(typesOf(applied).toSorted()).toEqual(typesOf(lines).toSorted());
    expect(reported).toEqual([]);
    expect(await scopesRefused(after)).toEqual([listId, 'all']);
    expect(await statusIn(after)).toBe('Unsubscribed');
    expect((await keyIn(after))?.revoked_at).not.toBeNull();
  });

  test('a late line of a release or a rotation is reported until the operator has repeated the command', async () => {
    const { after, lines } = await restoredWithout(
      async (before) => {
        await release(before, 'all');
        await rotate(before, 'b');
      },
      (before) => suppress(before),
    );
    const open = { applied: [], reported: ['ApiKeyRotated', 'AddressReleased'] };
    const { applied, reported } = await apply(after, lines, 'late');
    expect({ applied, reported: typesOf(reported) }).toEqual(open);
    expect([await scopesRefused(after), (await keyIn(after))?.hash]).toEqual([['all'], hashOf('a')]);
    expect(await missing(after, lines)).toEqual(open);
    await release(after, 'all');
    await rotate(after, 'c');
    expect(await missing(after, lines)).toEqual(nothing);
    // The line does not lift a later suppression.
    await suppress(after);
    expect(await missing(after, lines)).toEqual(nothing);
  });

  test('a late line is ignored if the log has decided the same thing again since the restore', async () => {
    const { after, lines } = await restoredWithout((before) => suppress(before));
    await suppress(after);
    await release(after, 'all');
    expect(await apply(after, lines, 'late')).toEqual(nothing);
    expect(await scopesRefused(after)).toEqual([]);
  });

  test('a late erasure is applied if nothing has happened to the person since the restore', async () => {
    const { after, lines } = await restoredWithout(async (before) => {
      await unsubscribe(before);
      await erase(before, 'ers_1');
    });
    const { applied, reported } = await apply(after, lines, 'late');
    expect(typesOf(applied).toSorted()).toEqual(['AddressSuppressed', 'ContactUnsubscribed', 'ErasureRequested']);
    expect(reported).toEqual([]);
  });

  test.each([
    ['contact', (after: Process) => append(after.store, contactStream(person), e.profileChanged)],
    ['suppressions', (after: Process) => suppress(after)],
  ])(
    'a late erasure is reported if the %s of the person changed since the restore, and applied when the operator decides so',
    async (_, change) => {
      const { after, lines } = await restoredWithout((before) => erase(before, 'ers_1'));
      await change(after);
      expect(await apply(after, lines, 'late')).toMatchObject({
        applied: [],
        reported: [{ type: 'ErasureRequested' }],
      });
      const decided = await apply(after, lines, 'late', new Set(['ers_1']));
      expect(decided).toMatchObject({ applied: [{ type: 'ErasureRequested' }], reported: [] });
      expect((await after.erasures.fresh(erasuresStream)).state.all.get('ers_1')).toMatchObject({ completed: null });
      expect(await missing(after, lines)).toEqual(nothing);
    },
  );

  test('a late erasure is ignored if the person was erased again since the restore', async () => {
    const { after, lines } = await restoredWithout((before) => erase(before, 'ers_1'));
    await append(after.store, contactStream(person), e.profileChanged);
    await erase(after, 'ers_9');
    expect(await missing(after, lines)).toEqual(nothing);
  });

  test('a late erasure is reported if the log was never restored and has events of the person', async () => {
    const before = await newLog();
    const backup = await allEvents(before.store);
    await erase(before, 'ers_1');
    const lines = await linesOf(before.store);
    const after = await processOn(await logWith(backup));
    expect(await missing(after, lines)).toEqual({ applied: [], reported: ['ErasureRequested'] });
    const without = await processOn(await logWith(backup.filter(({ stream }) => !stream.includes(person))));
    expect(await missing(without, lines)).toEqual({ applied: ['ErasureRequested'], reported: [] });
  });

  test('a late line is found anywhere in a long register', async () => {
    const { after, lines } = await restoredWithout(
      async (before) => {
        for (let number = 0; number < 30; number += 1) await suppress(before, 'all', `lost-${number}`);
      },
      async (before) => {
        for (let number = 0; number < 150; number += 1) await suppress(before, 'all', `kept-${number}`);
      },
    );
    const isLost = ({ stream }: RegisterLine): boolean => stream.includes('lost');
    const sorted = [...lines.filter(isLost), ...lines.filter((line) => !isLost(line))];
    expect((await missing(after, sorted)).applied).toHaveLength(30);
    expect((await apply(after, sorted, 'late')).applied).toHaveLength(30);
    expect(await missing(after, sorted)).toEqual(nothing);
  });

  test('a line that this version cannot read is reported, and the other lines are applied', async () => {
    const { after, lines } = await restoredWithout((before) => suppress(before));
    const [line] = lines;
    const strange = { ...line!, event_id: 'other', type: 'AddressBanned', data: {} };
    const { applied, reported } = await apply(after, [strange, ...lines], 'late');
    expect([typesOf(applied), typesOf(reported)]).toEqual([['AddressSuppressed'], ['AddressBanned']]);
  });
});
