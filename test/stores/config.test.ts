import { expect, test } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/stores/config.js';

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
  ['ACCESS_LOG', { ACCESS_LOG: 'no' }],
  ['RATE_LIMIT', { RATE_LIMIT: '-1' }],
  ['RATE_LIMIT_EMAIL', { RATE_LIMIT_EMAIL: 'many' }],
  ['ROLES', { ROLES: 'api' }],
  ['ROLES', { ROLES: 'api,projector,mailer,cook' }],
  ['SECRET', { SECRET: 'too-short-a-secret' }],
  ['TLS_KEY', { TLS_CERT: 'cert.pem' }],
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
  ['SECRET', { EVENTSTORE_URL: 'esdb://localhost:2113' }],
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
  expect(every).toEqual([86_400_000, 1_800_000, 90_000, 604_800_000, 0, 0, 86_400_000]);
});

test('an empty variable counts as absent', () => {
  expect(readConfig({ PORT: '', API_KEYS: '', SECRET: '' })).toEqual(readConfig({}));
});
