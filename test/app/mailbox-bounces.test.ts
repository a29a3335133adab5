/** Counting the refusals of a mail server on a real log: with several processes, kills, an erasure, and a restore. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openCommands } from '../../src/app/commands.js';
import type { UndeliverableEmail } from '../../src/commands/bounced-mailboxes.js';
import { codec } from '../../src/events/codec.js';
import { deriveStreamKeys, erasuresStream, suppressionStream } from '../../src/events/streams.js';
import type { EventStore } from '../../src/eventstore/event-store.js';
import { applyRegister } from '../../src/recovery/apply-register.js';
import { allEvents, openLog } from '../support/event-log.js';
import { linesOf, logWith, registerSecret } from '../support/registers.js';

const keys = deriveStreamKeys(registerSecret);
const context = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'mailer' };
const address = 'ada@example.com';
const recipientKey = keys.contactKey(address);
const email = (emailId: string): UndeliverableEmail => ({ emailId, recipientKey, position: '0', address });
const day = 86_400_000;

/** A process on the log, whose clock can be set. */
async function processOn(store: EventStore, bounceThreshold?: number) {
  const time = { now: Date.UTC(2026, 2, 1) };
  const commands = await openCommands({
    ...{ store, keys, bounceThreshold, clock: () => time.now },
    onUnreadable: () => undefined,
    newUuid: randomUUID,
  });
  return { ...commands, time };
}

async function eventsOf(store: EventStore, type?: string) {
  const found: { type: string; data: unknown; id: string }[] = [];
  for await (const batch of store.readStream(suppressionStream(recipientKey)))
    for (const stored of batch) {
      const { event } = codec.decode(stored);
      if (type === undefined || event.type === type) found.push({ type: event.type, data: event.data, id: stored.id });
    }
  return found;
}

test('two processes that hear of the same refusals at once count each once, and stop mail once', async () => {
  const { store } = await openLog();
  const shared = { ...store, soleWriter: false };
  const processes = [await processOn(shared), await processOn(shared)];
  for (let on = 0; on < 3; on += 1) {
    for (const { time } of processes) time.now += day;
    await Promise.all(
      processes.flatMap(({ recordMailboxBounce }) =>
        ['one', 'two'].map((name) => recordMailboxBounce(email(`eml_${name}_${on}`), 'unclear', context)),
      ),
    );
  }
  const counted = await eventsOf(store, 'BounceCounted');
  const ids = counted.map(({ data }) => (data as { email_id: string }).email_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids.map((id) => id.slice(-1)))).toEqual(new Set(['0', '1', '2']));
  expect(await eventsOf(store, 'AddressSuppressed')).toMatchObject([
    { data: { reason: 'repeated_bounces', scope: 'all', person: { email: address } } },
  ]);
  const last = (await eventsOf(store)).at(-1);
  expect(last?.type).toBe('AddressSuppressed');
});

test('with BOUNCE_THRESHOLD=off nothing is counted, and a mailbox that does not exist still stops mail', async () => {
  const { store } = await openLog();
  const { recordMailboxBounce } = await processOn(store, 0);
  for (const bounce of ['soft', 'unclear'] as const) await recordMailboxBounce(email('eml_1'), bounce, context);
  expect(await eventsOf(store)).toEqual([]);
  await recordMailboxBounce(email('eml_1'), 'gone', context);
  expect(await eventsOf(store)).toMatchObject([{ type: 'AddressSuppressed', data: { reason: 'hard_bounce' } }]);
});

test('a refusal of a person who has asked to be erased is not counted', async () => {
  const { store } = await openLog();
  const { recordMailboxBounce, erasures } = await processOn(store);
  const asked = { type: 'Request', erasure_id: 'ers_1', subject_key: recipientKey, reason: undefined } as const;
  await erasures.execute({ stream: erasuresStream, command: asked, context });
  await recordMailboxBounce(email('eml_1'), 'unclear', context);
  await recordMailboxBounce({ ...email('eml_2'), isErasedWithPerson: true }, 'unclear', context);
  expect(await eventsOf(store)).toEqual([]);
});

test('a refusal counts after the content of the email was erased by retention, and stops mail by the key alone', async () => {
  const { store } = await openLog();
  const { recordMailboxBounce } = await processOn(store, 1);
  await recordMailboxBounce({ ...email('eml_1'), address: undefined }, 'unclear', context);
  const [, suppressed] = await eventsOf(store);
  expect(suppressed).toMatchObject({ type: 'AddressSuppressed', data: { reason: 'repeated_bounces' } });
  expect(suppressed?.data).not.toHaveProperty('person');
});

test('the register keeps that mail was stopped, but no counted refusal, and a restore stops it again', async () => {
  const { store } = await openLog();
  const first = await processOn(store, 1);
  const backup = await allEvents(store);
  await first.recordMailboxBounce(email('eml_1'), 'unclear', context);
  const suppressed = (await eventsOf(store)).at(-1);
  const lines = await linesOf(store);
  expect(lines).toMatchObject([{ data: { reason: 'repeated_bounces' }, event_id: suppressed?.id }]);

  const restored = await logWith(backup);
  const { time, ...commands } = await processOn(restored);
  await applyRegister(restored, { lines, commands, mode: 'restored', clock: () => time.now });
  expect(await eventsOf(restored)).toMatchObject([{ type: 'AddressSuppressed', id: suppressed?.id }]);
});

test('repeating a command whose answer was lost after its append writes nothing', async () => {
  const { store } = await openLog();
  const { recordMailboxBounce } = await processOn(store);
  const { recordMailboxBounce: afterTheKill } = await processOn(store);
  await recordMailboxBounce(email('eml_1'), 'soft', context);
  await afterTheKill(email('eml_1'), 'soft', context);
  expect(await eventsOf(store)).toHaveLength(1);
});
