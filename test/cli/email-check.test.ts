/** `audience email check`: each step, what is wrong, and never the password. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../src/app/command-line.js';
import { InterruptedError } from '../../src/failures.js';
import { checkMailServer, type CheckStep } from '../../src/mailer/check.js';
import { dkimRecord } from '../../src/mailer/dkim.js';
import { ownSmtpName, parseSmtpUrl } from '../../src/mailer/smtp-url.js';
import { audience } from '../support/audience.js';
import { startSmtp } from '../support/smtp.js';

const password = 'pass word of nobody';
const urlOf = (port: number, options = ''): string =>
  `smtp://me%40example.org:${encodeURIComponent(password)}@127.0.0.1:${port}${options}`;
const secrets = [
  password,
  encodeURIComponent(password),
  Buffer.from(password).toString('base64'),
  Buffer.from(`\0me@example.org\0${password}`).toString('base64'),
];

async function check(url: string, ...words: readonly string[]) {
  const { code, out, err } = await audience(['email', 'check', ...words, '--json'], { env: { SMTP_URL: url } });
  for (const secret of secrets) expect(out + err).not.toContain(secret);
  const steps = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CheckStep);
  return {
    code,
    steps,
    shown: steps.map(({ step, ok }) => `${ok ? '' : 'NO '}${step.split(' ')[0] ?? ''}`),
    last: steps.findLast(({ ok }) => !ok)?.said.at(-1),
  };
}

test('without an address nothing is sent, and each step is told', async () => {
  const smtp = await startSmtp(['accept']);
  const { code, steps, shown } = await check(urlOf(smtp.port));
  expect(code).toBe(0);
  expect(shown).toEqual(['DNS', 'connection', 'greeting', 'EHLO', 'AUTH', 'DKIM']);
  expect(steps[2]?.said[0]).toMatch(/^220 /);
  expect([smtp.messages.length, smtp.logins.length]).toEqual([0, 1]);
});

test('checks the mail server although the settings name only one server of the stores', async () => {
  const smtp = await startSmtp(['accept']);
  const env = { SMTP_URL: urlOf(smtp.port), EVENTSTORE_URL: 'esdb://localhost:2113' };
  expect(await audience(['email', 'check', '--json'], { env })).toMatchObject({ code: 0 });
});

test('with an address one test e-mail is sent', async () => {
  const smtp = await startSmtp(['accept']);
  const { code, steps, shown } = await check(urlOf(smtp.port), 'ada@example.com');
  expect(code).toBe(0);
  // The name of the host, where that is a full one.
  expect(steps[3]?.step).toBe(`EHLO ${ownSmtpName(undefined, hostname()) ?? 'example.org'}`);
  expect(shown.slice(4)).toEqual(['AUTH', 'MAIL', 'RCPT', 'DATA', 'DKIM']);
  expect(smtp.messages).toMatchObject([{ from: 'me@example.org', to: ['ada@example.com'], accepted: true }]);
  await check(urlOf(smtp.port), 'ada@example.com', '--from', 'news@example.org');
  expect(smtp.messages[1]).toMatchObject({ from: 'news@example.org' });
});

test('what fails says what to do, and the exit code is 1', async () => {
  const smtp = await startSmtp(['auth 535', 'recipient 550', 'greet 554', 'data 554']);
  const refused = await check(urlOf(smtp.port));
  expect([refused.code, refused.shown.at(-2), refused.last]).toEqual([
    1,
    'NO AUTH',
    expect.stringContaining('correct them in SMTP_URL'),
  ]);
  const unknown = await check(urlOf(smtp.port), 'ada@example.com');
  expect([unknown.code, unknown.shown.at(-2)]).toEqual([1, 'NO RCPT']);
  expect((await check(urlOf(smtp.port))).shown.at(-2)).toBe('NO greeting');
  expect((await check(urlOf(smtp.port), 'ada@example.com')).shown.at(-2)).toBe('NO DATA');
  const closed = await startSmtp(['accept']);
  await closed.close();
  const away = await check(urlOf(closed.port));
  expect([away.code, away.shown, away.last]).toEqual([
    1,
    ['DNS', 'NO connection', 'DKIM'],
    expect.stringContaining('nothing listens'),
  ]);
});

test('TLS: its step, and the certificate that is not trusted', async () => {
  const smtp = await startSmtp(['accept'], { disabledCommands: [] });
  const { code, shown, last } = await check(urlOf(smtp.port));
  expect([code, shown.at(-2), last]).toEqual([1, 'NO TLS', expect.stringContaining('NODE_EXTRA_CA_CERTS')]);
});

test('a server that repeats the password in its reply does not bring it onto the screen', async () => {
  const smtp = await startSmtp(['accept'], { banner: `${secrets.join(' ')} hello` });
  const { steps } = await check(urlOf(smtp.port));
  expect(steps[2]?.said[0]).toContain('hello');
});

test('what it cannot do', async () => {
  expect(await audience(['email', 'check'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('SMTP_URL is not set') as string,
  });
  expect(await audience(['email', 'check', 'nobody'])).toMatchObject({ code: 2 });
  expect(
    await audience(['email', 'check'], { env: { SMTP_URL: 'smtp://x:25', DKIM_DOMAIN: 'example.org' } }),
  ).toMatchObject({ code: 1, err: expect.stringContaining('needed together') as string });
});

test('the record of DKIM: what to publish, and whether it is', async () => {
  const smtp = await startSmtp(['accept']);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  const dkim = {
    domain: 'example.org',
    selector: 's1',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  const record = dkimRecord(dkim);
  const stepWith = async (texts: readonly string[]): Promise<CheckStep | undefined> => {
    const steps: CheckStep[] = [];
    const isWell = await checkMailServer({
      settings: { server: parseSmtpUrl(smtp.url), ehloName: undefined, dkim },
      names: {
        addresses: () => Promise.resolve([]),
        texts: (name) => (name === record.name ? Promise.resolve(texts) : Promise.reject(new Error(name))),
      },
      mail: undefined,
      onStep: (step) => steps.push(step),
      signal: new AbortController().signal,
    });
    expect(isWell).toBe(steps.at(-1)?.ok);
    return steps.at(-1);
  };
  const shown = ['s1._domainkey.example.org TXT', record.value];
  expect(await stepWith([`v=DKIM1;k=rsa; ${record.value.slice(-220)}`, record.value.replaceAll('; ', ' ;')])).toEqual({
    step: 'DKIM',
    ok: true,
    said: ['published', ...shown],
  });
  expect(await stepWith([])).toEqual({ step: 'DKIM', ok: false, said: ['not in the DNS: publish', ...shown] });
  expect(await stepWith(['v=DKIM1; k=rsa; p=AAAA'])).toMatchObject({
    ok: false,
    said: ['the DNS has another key: publish', ...shown],
  });
});

// The command was silent for five minutes.
test.each(['smtp', 'smtps'])('of a %s server that says nothing it tells that it waits for it', async (scheme) => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const abort = new AbortController();
  const shown: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, taken) {
      shown.push(String(chunk));
      if (String(chunk).startsWith('Waiting')) abort.abort(new InterruptedError(130));
      taken();
    },
  });
  const env = { SMTP_URL: `${scheme}://127.0.0.1:${port}` };
  expect(
    await runCommandLine(['email', 'check'], { env, stdout: stream, stderr: stream, stdin: Readable.from([]) }, abort),
  ).toBe(130);
  const place = `127.0.0.1:${port}`;
  expect(shown.join('')).toMatch(
    new RegExp(`^ok  DNS\\n      127.0.0.1: 127.0.0.1\\nWaiting for the greeting of ${place}, at most 7 minutes.\\n`),
  );
});
