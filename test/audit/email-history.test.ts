/** The history of one e-mail from the log: what its recipient did because of it, under which contact, and what cannot be read. */
import { expect, test } from 'vitest';
import { suppressionStream } from '../../src/events/streams.js';
import type { HiddenMembers } from '../../src/audit/redaction.js';
import { auditedLog, contactStream, type AuditedLog } from '../support/auditing.js';
import { exampleEvents as e, examples, toAppend } from '../support/examples.js';

const stream = `email-${'1'.padStart(32, '0')}`;
const recipientKey = 'a1'.repeat(16);
const { email_id: emailId } = examples;
const refusals = suppressionStream(recipientKey);
const refused = {
  ...toAppend(e.addressSuppressed),
  data: JSON.stringify({ ...e.addressSuppressed.data, email_id: emailId }),
};

async function historyIn({ audit }: AuditedLog, hidden: HiddenMembers = []) {
  return (await audit.emailHistory({ emailId, stream, recipientKey, limit: 50, hidden })).items;
}

async function refusedLog(): Promise<AuditedLog> {
  const log = await auditedLog();
  await log.append(stream, e.emailRequested);
  await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
  await log.append(stream, e.emailSent);
  await log.appendRaw(refusals, refused);
  await log.append(refusals, e.addressSuppressed);
  return log;
}

test('a refusal that names it stands under the contact of that time', async () => {
  const items = await historyIn(await refusedLog());
  expect(items.map(({ type, contact_id }) => [type, contact_id])).toEqual([
    ['EmailRequested', null],
    ['EmailSent', examples.contact_id],
    ['AddressSuppressed', examples.contact_id],
  ]);
});

test('without contacts:read and email:read neither names nor addresses are told', async () => {
  const log = await refusedLog();
  expect(JSON.stringify(await historyIn(log))).toContain('ada@example.com');
  const items = await historyIn(log, ['person', 'message']);
  expect(items).toHaveLength(3);
  expect(JSON.stringify(items)).not.toMatch(/ada@|Hello/);
});

test('events of the recipient that name it and cannot be read stand in their place', async () => {
  const log = await refusedLog();
  for (const [at, type] of [
    [contactStream, 'ContactPraised'],
    [refusals, 'AddressPraised'],
  ] as const) {
    await log.appendRaw(at, { ...refused, type });
    await log.appendRaw(at, { ...refused, type, data: JSON.stringify({ email_id: `${emailId}x` }) });
  }
  const items = (await historyIn(log, ['person'])).slice(3);
  expect(items.map(({ kind, type }) => [kind, type])).toEqual([
    ['unreadable', 'ContactPraised'],
    ['unreadable', 'AddressPraised'],
  ]);
  expect(items[1]).toMatchObject({ data: { person: expect.stringMatching(/^sha256:/) as string } });
});
