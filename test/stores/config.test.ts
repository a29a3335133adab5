import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigurationError, readConfig, readStoresConfig } from '../../src/stores/config.js';

test.each<[string, Readonly<Record<string, string>>]>([
  ['PORT', { PORT: 'abc' }],
  ['PORT', { PORT: '70000' }],
  ['SMTP_URL', { SMTP_URL: 'foo' }],
  ['SMTP_URL', { SMTP_URL: 'https://example.com' }],
  ['SMTP_URL', { SMTP_URL: 'smtp://mail.example.com:465' }],
  ['SMTP_NAME', { SMTP_NAME: 'localhost' }],
  ['SMTP_NAME', { SMTP_NAME: 'mail_1.example.com' }],
  ['SMTP_NAME', { SMTP_NAME: '192.0.2.1' }],
  ['MAIL_CONNECTIONS', { MAIL_CONNECTIONS: '0' }],
  ['MAIL_CONNECTIONS', { MAIL_CONNECTIONS: '1001' }],
  ['BOUNCE_THRESHOLD', { BOUNCE_THRESHOLD: '31' }],
  ['BOUNCE_THRESHOLD', { BOUNCE_THRESHOLD: 'never' }],
  ['ACCESS_LOG', { ACCESS_LOG: 'no' }],
  ['RATE_LIMIT', { RATE_LIMIT: '-1' }],
  ['RATE_LIMIT_EMAIL', { RATE_LIMIT_EMAIL: 'many' }],
  ['ROLES', { ROLES: 'api' }],
  ['ROLES', { ROLES: 'api,projector,mailer,cook' }],
  ['SECRET', { SECRET: 'too-short-a-secret' }],
  ['TLS_KEY', { TLS_CERT: 'cert.pem' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'mail.example.com' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'http://mail.example.com' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'http://localhost.example.com' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'https://user@mail.example.com' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'https://mail.example.com/?a=1' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'https://mail.example.com/a&b' }],
  ['PUBLIC_URL', { PUBLIC_URL: `https://mail.example.com/${'a'.repeat(500)}` }],
  ['TRUST_PROXY', { TRUST_PROXY: 'true' }],
  ['TRUST_PROXY', { TRUST_PROXY: '1' }],
  ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.1,' }],
  ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/33' }],
  ['TRUST_PROXY', { TRUST_PROXY: '0.0.0.0/0' }],
  ['TRUST_PROXY', { TRUST_PROXY: 'proxy.example.com' }],
  ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
  ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.example.com,*' }],
  ['CORS_ORIGINS', { CORS_ORIGINS: 'null' }],
  ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.example.com/' }],
  ['CORS_ORIGINS', { CORS_ORIGINS: 'https://A.example.com' }],
  ['CORS_ORIGINS', { CORS_ORIGINS: 'app.example.com' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ['SEAL_EVERY', { SEAL_EVERY: '24' }],
  ['SEAL_EVERY', { SEAL_EVERY: '1.5h' }],
  ['MAIL_IN_DOUBT_AFTER', { MAIL_IN_DOUBT_AFTER: '0' }],
  ['MAIL_IN_DOUBT_AFTER', { MAIL_IN_DOUBT_AFTER: '25h' }],
  ['MAIL_GIVE_UP_AFTER', { MAIL_GIVE_UP_AFTER: '48' }],
  ['MAIL_GIVE_UP_AFTER', { MAIL_GIVE_UP_AFTER: '366d' }],
  ['SECRET', { EVENTSTORE_URL: 'esdb://localhost:2113', MONGODB_URL: 'mongodb://localhost' }],
  ['MONGODB_URL', { EVENTSTORE_URL: 'esdb://localhost:2113', SECRET: 'a-secret-of-at-least-thirty-two-bytes' }],
  ['EVENTSTORE_URL', { MONGODB_URL: 'mongodb://localhost' }],
  ['EVENTSTORE_URL', { EVENTSTORE_URL: 'https://example.com' }],
  ['EVENTSTORE_PREFIX', { EVENTSTORE_PREFIX: 'a.b' }],
  ['MONGODB_URL', { MONGODB_URL: 'postgres://example.com' }],
  ['API_KEYS', { API_KEYS: 'shop:two words' }],
  ['API_KEYS', { API_KEYS: 'mailer:a-key' }],
  ['API_KEYS', { API_KEYS: 'shop:key,Service:a-key' }],
  ['API_KEYS', { API_KEYS: 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV:a-key' }],
  ['API_KEYS', { API_KEYS: 'shop:a-key,other,desk:a-key' }],
  ['API_KEYS', { API_KEYS: 'shop:a-key,a-key' }],
  ['API_KEYS', { API_KEYS: ',' }],
])('a bad %s is refused by name, and shows no secret: %o', (variable, environment) => {
  let message = '';
  try {
    readConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    message = String(error);
  }
  expect(message).toMatch(new RegExp(`\\b${variable}\\b`));
  for (const secret of ['too-short-a-secret', 'two words', 'a-key']) expect(message).not.toContain(secret);
});

test('durations have a unit', () => {
  const every = ['24h', '30m', '90s', '7d', '0', '0s', ''].map((text) => readConfig({ SEAL_EVERY: text }).seals.every);
  expect(every).toEqual([86_400_000, 1_800_000, 90_000, 604_800_000, 0, 0, 3_600_000]);
});

test('how long mail waits', () => {
  expect(readConfig({}).mailTimings).toEqual({ inDoubt: 300_000, giveUp: 172_800_000 });
  const given = { MAIL_IN_DOUBT_AFTER: '90s', MAIL_GIVE_UP_AFTER: '7d' };
  expect(readConfig(given).mailTimings).toEqual({ inDoubt: 90_000, giveUp: 604_800_000 });
});

test.each([
  ['https://Mail.Example.com', 'https://mail.example.com'],
  ['https://bücher.example/mail/', 'https://xn--bcher-kva.example/mail'],
  ['https://example.com:8443/a/b', 'https://example.com:8443/a/b'],
  ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['http://localhost:3000', 'http://localhost:3000'],
])('PUBLIC_URL %s is %s', (text, expected) => {
  expect(readConfig({ PUBLIC_URL: text }).publicUrl).toBe(expected);
});

test('BOUNCE_THRESHOLD=off is no threshold', () => {
  expect(readConfig({ BOUNCE_THRESHOLD: 'off' }).bounceThreshold).toBe(0);
  expect(readConfig({}).bounceThreshold).toBe(3);
});

test('one server without the other is refused with a message that names the missing variable and says what to do', () => {
  expect(() => readConfig({ EVENTSTORE_URL: 'esdb://localhost:2113' })).toThrow(
    /^MONGODB_URL is required with EVENTSTORE_URL: .* Set MONGODB_URL, or unset EVENTSTORE_URL/,
  );
  expect(() => readConfig({ MONGODB_URL: 'mongodb://localhost' })).toThrow(
    /^EVENTSTORE_URL is required with MONGODB_URL: .* Set EVENTSTORE_URL, or unset MONGODB_URL/,
  );
});

test('a command without views needs only the settings of the log', () => {
  const { logServer, servers } = readStoresConfig({ EVENTSTORE_URL: 'esdb://localhost:2113' });
  expect(logServer).toEqual({ events: { url: 'esdb://localhost:2113', prefix: 'audience_' } });
  expect(servers).toThrow(/^MONGODB_URL is required/);
});

test('an empty variable counts as absent', () => {
  expect(readConfig({ PORT: '', API_KEYS: '', SECRET: '' })).toEqual(readConfig({}));
});

test('a secret and keys can come from files', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'audience-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const missing = path.join(folder, 'missing');
  const secret = 'a-secret-of-at-least-thirty-two-bytes';
  const SECRET_FILE = file('secret', `${secret}\n`);
  const API_KEYS_FILE = file('keys', 'shop:one-key\ndesk:another-key\r\n');
  expect(readConfig({ SECRET_FILE, API_KEYS_FILE, SECRET: '' })).toMatchObject({
    secret,
    apiKeys: ['shop:one-key', 'desk:another-key'],
  });
  expect(readStoresConfig({ SECRET_FILE }).secret).toBe(secret);
  // A command that reads the log needs neither file, and need not be allowed to read it.
  expect(readStoresConfig({ API_KEYS_FILE: missing, DKIM_KEY_FILE: missing }).secret).toBeUndefined();
  expect(() => readConfig({ SECRET_FILE, SECRET: secret })).toThrow('set SECRET or SECRET_FILE, not both');
  expect(() => readConfig({ SECRET_FILE: file('short', 'short') })).toThrow('SECRET must be at least 32 bytes');
  expect(() => readConfig({ SECRET_FILE: file('empty', '\n') })).toThrow('SECRET_FILE names is empty');
  expect(() => readConfig({ API_KEYS_FILE: missing })).toThrow(
    `the file that API_KEYS_FILE names cannot be read (ENOENT): ${missing}`,
  );
});
