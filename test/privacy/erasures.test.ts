/** The start of a process that has unfinished erasures. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openCommands } from '../../src/app/commands.js';
import { contactStream, deriveStreamKeys, erasuresStream } from '../../src/events/streams.js';
import { openErasures } from '../../src/privacy/erasures.js';
import { allEvents, openLog } from '../support/event-log.js';
import { exampleEvents as e, toAppend } from '../support/examples.js';

const streamKeys = deriveStreamKeys('a secret of the tests, long enough for a key');
const context = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'test' };
const notCalled = (): never => {
  throw new Error('not expected');
};

test('a start ends no contact before the erasure has its line in the register', async () => {
  const { store } = await openLog();
  const commands = await openCommands({
    ...{ store, keys: streamKeys, onUnreadable: () => undefined, clock: Date.now, newUuid: randomUUID },
  });
  const subject_key = streamKeys.contactKey('ada@example.org');
  await store.append(contactStream(subject_key), [toAppend(e.contactCreated)], { expectedRevision: 'no_stream' });
  const command = { type: 'Request', erasure_id: 'ers_1', subject_key, reason: undefined } as const;
  await commands.erasures.execute({ stream: erasuresStream, command, context });
  const start = (keepStream: () => Promise<void>) =>
    openErasures({
      ...{ store, streamKeys, commands, clock: Date.now, monotonic: () => performance.now() },
      config: { roles: new Set(['api'] as const) },
      folder: { outbox: '' },
      openLease: notCalled,
      register: { keepStream },
      views: {
        ownWrites: { shows: notCalled, reached: notCalled },
        worklist: { emailsTo: notCalled },
        ...{ scrub: notCalled, hasOtherStorages: notCalled, checkRecipients: notCalled, damageFound: notCalled },
      },
      mailer: undefined,
      logger: pino({ enabled: false }),
    });
  const erased = async (): Promise<number> =>
    (await allEvents(store)).filter(({ type }) => type === 'ContactErased').length;
  await start(() => Promise.reject(new Error('the register cannot be written')));
  expect(await erased()).toBe(0);
  await start(() => Promise.resolve());
  expect(await erased()).toBe(1);
});
