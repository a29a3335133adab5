/** Signed e-mails: another verifier finds them so, and a second copy is the first. */
import { execFileSync } from 'node:child_process';
import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dkimRecord, isDnsName, parseDkimKey } from '../../src/mailer/dkim.js';
import { composeMail } from '../../src/mailer/message.js';
import { readConfig } from '../../src/stores/config.js';
import { someMessage } from './mailing.js';

const pemOf = (bits: number): string =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const privateKey = pemOf(2_048);
const dkim = { domain: 'example.org', selector: 's1', privateKey };

const compose = (message: Partial<typeof someMessage> = {}) =>
  composeMail(
    {
      email_id: 'eml_01ARZ3NDEKTSV4RRFFQ69G5FAV',
      requested_at: '2024-05-06T07:08:09.010Z',
      message: { ...someMessage, ...message },
    },
    { dkim },
  );

/** The tags of the signature, without folding. */
function signatureOf(bytes: Buffer): ReadonlyMap<string, string> {
  const field = /^DKIM-Signature: ((?:.*\r\n )*.*)\r\n/m.exec(bytes.toString('latin1'))?.[1] ?? '';
  return new Map(
    field.split(';').map((tag): [string, string] => {
      const [name = '', ...value] = tag.split('=');
      return [name.trim(), value.join('=').replace(/\s/g, '')];
    }),
  );
}

test('a second copy bears the same signature', async () => {
  const [first, second] = [await compose(), await compose()];
  expect(first.bytes.equals(second.bytes)).toBe(true);
  const tags = signatureOf(first.bytes);
  expect(Object.fromEntries(tags)).toMatchObject({
    v: '1',
    a: 'rsa-sha256',
    c: 'relaxed/relaxed',
    d: 'example.org',
    s: 's1',
  });
  expect(tags.get('h')).toBe('from:to:subject:date:message-id:mime-version:content-type');
  expect([tags.has('t'), tags.has('x')]).toEqual([false, false]);
});

const toList = (name: string, list = { id: 'lst_01ARZ3NDEKTSV4RRFFQ69G5FAV', name }) =>
  composeMail(
    { email_id: 'eml_1', requested_at: '2024-05-06T07:08:09.010Z', message: someMessage, list },
    { dkim, link: `https://mail.example.org/u/${'x'.repeat(107)}` },
  );

test('the headers for one-click unsubscribing are signed', async () => {
  const tags = signatureOf((await toList('News')).bytes);
  const all =
    'from:to:subject:date:message-id:mime-version:content-type:list-id:list-unsubscribe:list-unsubscribe-post';
  expect(tags.get('h')?.split(':').sort()).toEqual(all.split(':').sort());
});

test('the header X-Audience-Email is signed', async () => {
  const { bytes } = await composeMail(
    { email_id: 'eml_1', requested_at: '2024-05-06T07:08:09.010Z', message: someMessage },
    { dkim, proof: 'eml_1.aaaaaaaaaaaaaaaa' },
  );
  expect(bytes.toString('latin1')).toContain('\r\nX-Audience-Email: eml_1.aaaaaaaaaaaaaaaa\r\n');
  expect(signatureOf(bytes).get('h')?.split(':')).toContain('x-audience-email');
});

test('the signature is that of the key in the record', async () => {
  const { bytes } = await compose();
  const [head = ''] = bytes.toString('latin1').split('\r\n\r\n');
  const fields = new Map(
    head
      .replace(/\r\n(?=[ \t])/g, '')
      .split('\r\n')
      .map((line) => {
        const colon = line.indexOf(':');
        return [
          line.slice(0, colon).toLowerCase(),
          line
            .slice(colon + 1)
            .replace(/[ \t]+/g, ' ')
            .trim(),
        ];
      }),
  );
  const tags = signatureOf(bytes);
  const covered = (tags.get('h') ?? '').split(':').map((name) => `${name}:${fields.get(name) ?? ''}\r\n`);
  // Of the field itself all but the signature is covered.
  const itself = `dkim-signature:${(fields.get('dkim-signature') ?? '').replace(/b=[^;]*$/, 'b=').trim()}`;
  const record = dkimRecord(dkim);
  expect(record.name).toBe('s1._domainkey.example.org');
  const key = createPublicKey({
    key: Buffer.from(record.value.replace(/^v=DKIM1; k=rsa; p=/, ''), 'base64'),
    type: 'spki',
    format: 'der',
  });
  const verify = createVerify('sha256').update(covered.join('') + itself);
  expect(verify.verify(key, tags.get('b') ?? '', 'base64')).toBe(true);
});

/** dkimpy of Debian: a JSON object in, the answers out. */
const verifier = `
import sys, json, base64, dkim
asked = json.load(sys.stdin)
records = {asked["name"] + ".": asked["value"].encode()}
dns = lambda name, timeout=5: records.get(name.decode())
print(json.dumps([dkim.verify(base64.b64decode(message), dnsfunc=dns) for message in asked["messages"]]))
`;

function hasDkimpy(): boolean {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import dkim'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!hasDkimpy())('dkimpy finds the signature valid, and an altered message not', async () => {
  const mails = [
    await compose(),
    await compose({ from_email: '"=?utf-8?q?x?= Größe" <jürgen@example.org>', subject: 'Grüße '.repeat(40) }),
    await compose({ mail_template: '<p>日本語</p>  \n\n \n'.repeat(300) }),
    await toList('News "of" the week'),
    await toList('Größe '.repeat(40)),
  ];
  const altered = mails.map(({ bytes }) => Buffer.concat([bytes, Buffer.from('more\r\n')]));
  const messages = [...mails.map(({ bytes }) => bytes), ...altered].map((bytes) => bytes.toString('base64'));
  const input = JSON.stringify({ ...dkimRecord(dkim), messages });
  const answers: unknown = JSON.parse(execFileSync('/usr/bin/python3', ['-c', verifier], { input }).toString());
  expect(answers).toEqual([...mails.map(() => true), ...mails.map(() => false)]);
});

describe('the configuration', () => {
  const settings = { DKIM_DOMAIN: 'example.org', DKIM_SELECTOR: 's1', DKIM_KEY: privateKey };
  const settingsIn = (environment: Record<string, string>) => readConfig(environment).dkim;

  test('takes a key with its lines or in one line, and none at all', () => {
    expect(settingsIn(settings)).toEqual({ ...dkim, privateKey: privateKey.trim() });
    const inOneLine = privateKey.replaceAll('\n', '\\n');
    expect(settingsIn({ ...settings, DKIM_KEY: inOneLine })).toEqual({ ...dkim, privateKey: privateKey.trim() });
    expect(settingsIn({})).toBeUndefined();
  });

  test.each([
    [{ DKIM_KEY: '' }, /^DKIM_DOMAIN, DKIM_SELECTOR and DKIM_KEY or DKIM_KEY_FILE are needed together/],
    [{ DKIM_SELECTOR: '' }, /needed together/],
    [{ DKIM_DOMAIN: '', DKIM_SELECTOR: '' }, /needed together/],
    [{ DKIM_KEY: '', DKIM_KEY_FILE: import.meta.filename }, /DKIM_KEY must be an RSA private key/],
    [
      { DKIM_KEY: '', DKIM_KEY_FILE: '/nowhere/key.pem' },
      /^the file that DKIM_KEY_FILE names cannot be read \(ENOENT\)/,
    ],
    [{ DKIM_DOMAIN: 'bücher.example' }, /DKIM_DOMAIN must be a name of the DNS in ASCII/],
    [{ DKIM_SELECTOR: 's1;d=x' }, /DKIM_SELECTOR must be a name of the DNS/],
    [{ DKIM_KEY: pemOf(1_024).slice(0, -60) }, /DKIM_KEY must be an RSA private key/],
    [{ DKIM_KEY: 'secret words' }, /^(?!.*secret words).*DKIM_KEY must be an RSA private key/],
  ])('is refused: %j', (change, expected) => {
    expect(() => settingsIn({ ...settings, ...change })).toThrow(expected);
  });

  test('takes a key from a file, and refuses two places of it', async () => {
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'audience-dkim-')), 'key.pem');
    onTestFinished(() => rm(path.dirname(file), { recursive: true }));
    await writeFile(file, privateKey);
    expect(settingsIn({ ...settings, DKIM_KEY: '', DKIM_KEY_FILE: file })?.privateKey).toBe(privateKey.trim());
    expect(() => settingsIn({ ...settings, DKIM_KEY_FILE: file })).toThrow(/set DKIM_KEY or DKIM_KEY_FILE, not both/);
  });

  test('refuses keys that receivers refuse', () => {
    const { privateKey: ed25519 } = generateKeyPairSync('ed25519');
    const ed25519Pem = ed25519.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const pem of [pemOf(768), ed25519Pem]) expect(() => parseDkimKey(pem)).toThrow('at least 1024 bits');
    expect(isDnsName('a..b')).toBe(false);
  });
});
