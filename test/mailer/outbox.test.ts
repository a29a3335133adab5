/** Without SMTP_URL each e-mail is a file in the outbox. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import PostalMime from 'postal-mime';
import { expect, onTestFinished, test } from 'vitest';
import { createOutboxTransport } from '../../src/mailer/outbox.js';
import { openPostOffice, typesOf } from './mailing.js';

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'outbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'outbox');
}

const limits = () => ({
  mayHandOver: () => true,
  handOverWithin: 1_000,
  closeWithin: 1_000,
  signal: new AbortController().signal,
});

test('an e-mail is written, told of without personal data, and sent for the log', async () => {
  const folder = newFolder();
  const written: unknown[] = [];
  const office = await openPostOffice();
  office.startMailer({ transport: createOutboxTransport({ folder, onWritten: (file) => written.push(file) }) });
  const { stream, email_id } = await office.request();
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found)).toEqual(['EmailRequested', 'EmailDispatchStarted', 'EmailSent']);
  expect(found.at(-1)?.data).toEqual({ email_id, attempt: 1, reason: 'written' });
  expect(readdirSync(folder)).toEqual([`${email_id}.eml`]);
  const bytes = readFileSync(path.join(folder, `${email_id}.eml`));
  expect((await PostalMime.parse(bytes)).to).toEqual([{ name: '', address: 'ada@example.com' }]);
  expect(written).toEqual([{ email_id, file: path.join(folder, `${email_id}.eml`), bytes: bytes.length }]);
});

test('a second write of the same e-mail leaves the same bytes and nothing else', async () => {
  const folder = newFolder();
  const transport = createOutboxTransport({ folder });
  const mail = { email_id: 'eml_1', envelope: { from: 'a@b.example', to: 'c@d.example' }, bytes: Buffer.from('x') };
  for (let copy = 0; copy < 2; copy += 1)
    expect(await transport.send(mail, limits())).toEqual({ status: 'sent', reason: 'written' });
  expect(readdirSync(folder)).toEqual(['eml_1.eml']);
});

test('no id leads out of the folder', async () => {
  const transport = createOutboxTransport({ folder: newFolder() });
  const mail = { email_id: '../x', envelope: { from: 'a@b.example', to: 'c@d.example' }, bytes: Buffer.from('x') };
  expect(await transport.send(mail, limits())).toEqual({ status: 'failed', reason: 'invalid_message', stage: 'data' });
});

test('an outbox that cannot be written defers', async () => {
  // A file stands where the folder should be.
  const transport = createOutboxTransport({ folder: fileURLToPath(import.meta.url) });
  const mail = { email_id: 'eml_1', envelope: { from: 'a@b.example', to: 'c@d.example' }, bytes: Buffer.from('x') };
  expect(await transport.send(mail, limits())).toEqual({
    status: 'deferred',
    reason: 'outbox_unavailable',
    stage: 'data',
  });
});
