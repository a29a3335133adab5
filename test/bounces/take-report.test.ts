/** Taking a report that dies half way: what is missing is written by the repeat, and nothing twice. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readReport, type MailReport } from '../../src/bounces/read-report.js';
import { createReports } from '../../src/bounces/take-report.js';
import type { EmailCommand } from '../../src/commands/email.js';
import { JobLimitError } from '../../src/flow/limited-thread.js';
import { deriveStreamKeys } from '../../src/events/streams.js';
import { returnPathOf } from '../../src/events/return-path.js';
import { openPostOffice, typesOf } from '../mailer/mailing.js';
import { reportOf, type SomeReport } from './some-reports.js';

const keys = deriveStreamKeys('a secret');
const context = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'mta' };

async function desk(read: (bytes: Uint8Array) => Promise<MailReport | undefined> = readReport) {
  const { store, handler, execute, events, request } = await openPostOffice();
  const said: string[] = [];
  let dies: EmailCommand['type'] | 'gone' | undefined;
  const dieAt = (step: typeof dies): void => void (dies = step);
  const diesHere = (step: typeof dies): void => {
    if (dies !== step) return;
    dies = undefined;
    throw new Error('killed');
  };
  const reports = createReports({
    reader: store,
    reportReader: { run: read },
    keys,
    emails: {
      ...handler,
      async execute(asked) {
        diesHere(asked.command.type);
        return await handler.execute(asked);
      },
    },
    async onGone({ address }) {
      diesHere('gone');
      said.push(`gone ${address}`);
    },
    isToBeErased: () => Promise.resolve(false),
    refusals: {
      async refuse({ scope, email }) {
        said.push(`complaint ${scope} ${email}`);
      },
    },
  });
  const { email_id, stream } = await request();
  await execute(stream, {
    ...{ type: 'StartDispatch', run_id: randomUUID() },
    ...{ now: new Date().toISOString(), deadline: new Date(Date.now() + 60_000).toISOString() },
  });
  const recipient = returnPathOf(email_id, 'bounce@mail.example.com', keys.returnPathMac);
  const take = (name: SomeReport, to = recipient) =>
    reports.take(
      { recipient: to, bytes: Buffer.from(reportOf(name, email_id)), streamOf: async () => stream },
      context,
    );
  const types = async () => typesOf(await events(stream)).slice(2);
  return { take, dieAt, said, recipient, types, counts: reports.counts, overLimit: reports.overLimit };
}

test('killed before mail stops, or before the bounce is recorded', async () => {
  const { take, dieAt, said, types, counts } = await desk();
  dieAt('gone');
  await expect(take('postfix-gone')).rejects.toThrow('killed');
  expect([said, await types()]).toEqual([[], []]);
  dieAt('RecordBounce');
  await expect(take('postfix-gone')).rejects.toThrow('killed');
  expect([said, await types()]).toEqual([['gone ada@example.com'], []]);
  expect(await take('postfix-gone')).toMatchObject({ outcome: 'bounced', verified: true });
  expect(await take('postfix-gone')).toMatchObject({ outcome: 'known' });
  expect([said, await types()]).toEqual([['gone ada@example.com', 'gone ada@example.com'], ['EmailBounced']]);
  expect(counts()).toMatchObject({ bounced: 1, complained: 0, known: 1, ignored: 0, unmatched: 0 });
});

test('of two at once one is recorded', async () => {
  const { take, types } = await desk();
  const outcomes = await Promise.all([take('postfix-gone'), take('postfix-gone'), take('abuse'), take('abuse')]);
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['bounced', 'complained', 'known', 'known']);
  expect((await types()).sort()).toEqual(['EmailBounced', 'EmailComplained']);
});

test('a complaint about mail without a list is about all mail', async () => {
  const { take, said } = await desk();
  expect(await take('abuse')).toMatchObject({ outcome: 'complained', verified: true });
  expect(said).toEqual(['complaint all ada@example.com']);
});

test('a report that exceeds a limit is ignored and counted', async () => {
  for (const limit of ['time', 'memory'] as const) {
    const { take, types, counts, overLimit } = await desk(() => Promise.reject(new JobLimitError(limit)));
    const ignored = { outcome: 'ignored', emailId: null, verified: false };
    expect(await take('postfix-gone')).toMatchObject(ignored);
    expect(await take('postfix-gone')).toMatchObject(ignored);
    expect([counts().ignored, overLimit()]).toEqual([2, { time: 0, memory: 0, [limit]: 2 }]);
    expect(await types()).toEqual([]);
  }
});

test('a report to a return path without a valid MAC is ignored without being parsed', async () => {
  let parsed = 0;
  const { take, recipient } = await desk((bytes) => {
    parsed += 1;
    return readReport(bytes);
  });
  const forged = recipient.replace(/\.[a-z2-7]{16}@/, '.aaaaaaaaaaaaaaaa@');
  expect(await take('postfix-gone', forged)).toMatchObject({ outcome: 'ignored', emailId: null, verified: false });
  expect(parsed).toBe(0);
  expect(await take('postfix-gone', 'bounce@mail.example.com')).toMatchObject({ outcome: 'unverified' });
});

test('an unverified report stops no mail', async () => {
  const { take, said, types } = await desk();
  expect(await take('postfix-gone', 'bounce@mail.example.com')).toMatchObject({ outcome: 'unverified' });
  expect([said, await types()]).toEqual([[], ['EmailBounced']]);
});
