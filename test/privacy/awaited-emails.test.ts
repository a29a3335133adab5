/** An erasure that meets an e-mail which is being sent: what is said, and when it is cut off. */
import { expect, test } from 'vitest';
import { createAwaitedEmails } from '../../src/privacy/eraser.js';

const email = { stream: 'email-1', email_id: 'eml_1', until: '2026-01-01T00:10:00.000Z' };

test('it is named once, and cut off by the process that sends it after a minute', () => {
  const said: string[] = [];
  const cut: string[] = [];
  let time = 0;
  const say = (about: object, message: string): void => void said.push(`${JSON.stringify(about)} ${message}`);
  const mailer = { cutOff: (stream: string): boolean => cut.push(stream) > 0 };
  const awaited = createAwaitedEmails({ mailer, logger: { info: say, warn: say }, now: () => time });
  for (; time < 60_000; time += 500) awaited.waitFor('ers_1', [email]);
  expect(said).toEqual([
    '{"erasure_id":"ers_1","email_id":"eml_1","until":"2026-01-01T00:10:00.000Z"} an erasure waits for an e-mail that is being sent',
  ]);
  expect(cut).toEqual([]);
  awaited.waitFor('ers_1', [email]);
  awaited.waitFor('ers_1', [email]);
  expect(cut).toEqual(['email-1']);
  expect(said).toHaveLength(2);
});
