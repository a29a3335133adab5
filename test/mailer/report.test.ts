/** The log of the mailer: each reason has its sentence, with what to do. */
import { Writable } from 'node:stream';
import pino from 'pino';
import { expect, test } from 'vitest';
import { mailReport } from '../../src/mailer/report.js';
import type { MailerReport } from '../../src/mailer/job.js';
import { codes, document, rows, section } from '../support/markdown.js';

function linesOf(...reports: readonly MailerReport[]): readonly Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
    done();
  };
  const report = mailReport(pino({ level: 'info' }, new Writable({ write })));
  for (const one of reports) report(one);
  return lines;
}

const about = { email_id: 'eml_1', attempt: 1 };
const deferred = (reason: string, tls_code?: string): MailerReport => ({
  type: 'recorded',
  ...about,
  outcome: 'deferred',
  reason,
  tls_code,
});

const reasons = rows(section(document('docs/events.md'), '### Reasons')).map(([code = '']) => codes(code)[0] ?? '');

test('each reason of the documents has a sentence of its own', () => {
  expect(reasons.length).toBeGreaterThan(15);
  const sentences = linesOf(...reasons.map((reason) => deferred(reason))).map(({ msg }) => String(msg));
  expect(new Set(sentences).size).toBe(reasons.length);
  for (const sentence of sentences) expect(sentence).toMatch(/^e-mail not sent yet: \S+( \S+){4}/);
});

test('what the operator has to put right is an error, with the code of TLS', () => {
  expect(
    linesOf(deferred('auth_failed'), deferred('tls', 'ERR_SSL_WRONG_VERSION_NUMBER'), deferred('smtp_4xx')),
  ).toMatchObject([
    { level: 50, reason: 'auth_failed', msg: expect.stringMatching(/correct them in SMTP_URL/) as string },
    {
      level: 50,
      tls_code: 'ERR_SSL_WRONG_VERSION_NUMBER',
      msg: expect.stringMatching(/smtps:\/\/ for port 465/) as string,
    },
    { level: 40, reason: 'smtp_4xx' },
  ]);
  expect(linesOf(deferred('tls', 'CERT_HAS_EXPIRED'))[0]?.['msg']).toMatch(/certificate.*NODE_EXTRA_CA_CERTS/);
});

test('no line says only who speaks', () => {
  const error = new Error('x');
  const lines = linesOf(
    { type: 'started', ...about },
    { type: 'recorded', ...about, outcome: 'sent', reason: 'accepted' },
    { type: 'superseded', ...about, reason: 'timeout' },
    { type: 'record_failed', ...about, error },
    { type: 'abandoned', ...about, reason: 'timeout' },
    { type: 'lapsed', run_id: 'r' },
    { type: 'relay_refuses', since: '', reason: 'dns' },
    { type: 'relay_accepts', since: '' },
    { type: 'fault', email_id: null, error },
    { type: 'held_overdue', emails: 3, reason: 'dns' },
  );
  expect(lines.length).toBe(10);
  for (const { msg } of lines) expect(msg).toMatch(/ .* /);
  expect(lines.map(({ level }) => level)).toEqual([30, 30, 40, 50, 40, 40, 50, 30, 50, 40]);
});
