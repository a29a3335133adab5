/** The configuration table of docs/operations.md and .env.example against src/stores/config.ts. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/stores/config.js';
import { checkTraceVariables, traceVariables } from '../../src/traces/variables.js';
import { codes, document, rows, section } from '../support/markdown.js';

/** The variables that this asks the environment for. */
function variablesOf(read: (environment: Record<string, undefined>) => unknown): readonly string[] {
  const names = new Set<string>();
  const note = (name: string | symbol): undefined => {
    if (typeof name === 'string') names.add(name);
  };
  const nothing: Record<string, undefined> = {};
  read(new Proxy(nothing, { get: (_, name) => note(name), has: (_, name) => note(name) === null }));
  return [...names].sort();
}

const ofService = variablesOf(readConfig);
const ofTraces = [...traceVariables].sort();
/** Without it there are no traces. */
const endpoint = 'OTEL_EXPORTER_OTLP_ENDPOINT';

const table = rows(section(document('docs/operations.md'), '## Configuration')).map(
  ([name = '', value = '', meaning = '']) => ({
    name: codes(name)[0] ?? name,
    value: codes(value)[0],
    meaning,
  }),
);
const example = document('.env.example');

/** The variables of the example with its comment signs taken away. */
const exampleVariables = parseEnv(example.replaceAll(/^#(?=[A-Z_]+=)/gm, ''));

describe('the configuration table', () => {
  test('names exactly the variables that are read', () => {
    expect(table.map(({ name }) => name).sort()).toEqual([...ofService, endpoint].sort());
  });

  test('leads to the other variables of OpenTelemetry', () => {
    const named = rows(section(document('docs/operations.md'), '### Traces')).flatMap(([name = '']) => codes(name));
    const others = named.filter((name) => name.startsWith('OTEL_'));
    expect([...others, endpoint].sort()).toEqual(ofTraces);
  });

  test('shows the defaults', () => {
    const config = readConfig({});
    const defaults = {
      PORT: config.port,
      HOST: config.host,
      DATA_DIR: config.dataDir,
      MAIL_IN_DOUBT: config.mailInDoubt,
      MAIL_IN_DOUBT_AFTER: `${config.mailTimings.inDoubt / 60_000}m`,
      MAIL_GIVE_UP_AFTER: `${config.mailTimings.giveUp / 3_600_000}h`,
      RETAIN_EMAILS: config.retainEmails,
      ACCESS_LOG: config.isAccessLogged ? 'on' : 'off',
      RATE_LIMIT: config.rateLimit,
      RATE_LIMIT_EMAIL: config.rateLimitEmail,
      RATE_LIMIT_PAGES: config.rateLimitPages,
      CONSENT_IP: config.pages.keepsIp ? 'on' : 'off',
      LOG_LEVEL: config.logLevel,
      SEAL_EVERY: `${config.seals.every / 3_600_000}h`,
    };
    const shown = Object.fromEntries(table.map(({ name, value }) => [name, value]));
    for (const [name, value] of Object.entries(defaults)) expect(shown[name], name).toBe(String(value));
  });

  test('tells what is refused', () => {
    for (const [name, other] of [
      ['TLS_CERT', 'TLS_KEY'],
      ['TLS_KEY', 'TLS_CERT'],
    ] as const)
      expect(() => readConfig({ [name]: 'file.pem', [other]: '' })).toThrow(
        /^TLS_CERT and TLS_KEY are needed together/,
      );
    const servers = {
      EVENTSTORE_URL: 'esdb://localhost:2113',
      MONGODB_URL: 'mongodb://localhost',
      SECRET: 's'.repeat(32),
    };
    expect(() => readConfig({ ...servers, SECRET: undefined })).toThrow(/^SECRET is required/);
    for (const [missing, other] of [
      ['EVENTSTORE_URL', 'MONGODB_URL'],
      ['MONGODB_URL', 'EVENTSTORE_URL'],
    ] as const) {
      expect(() => readConfig({ ...servers, [missing]: undefined })).toThrow(new RegExp(`^${missing} is required`));
      const { meaning } = table.find(({ name }) => name === other) ?? {};
      expect(meaning).toMatch(new RegExp(`\`${missing}\`.* then required`));
    }
    expect(() => readConfig({ ROLES: 'api' })).toThrow(/^ROLES must name/);
    expect([...readConfig({ ...servers, ROLES: 'api' }).roles]).toEqual(['api']);
    expect(table.find(({ name }) => name === 'ROLES')?.meaning).toContain('needs both servers');
  });
});

describe('.env.example', () => {
  test('names the variables that the service or docker-compose.yml reads, and no other', () => {
    const named = Object.keys(exampleVariables);
    const ofCompose = ['EVENTSTORE_IMAGE'];
    for (const name of ofCompose) expect(document('docker-compose.yml')).toContain(`\${${name}:-`);
    const others = [...ofTraces, ...ofCompose];
    expect(named.filter((name) => !others.includes(name)).sort()).toEqual(ofService);
    expect(named).toContain(endpoint);
  });

  test('changes nothing as it is', () => {
    expect(parseEnv(example)).toEqual({});
  });

  test('is valid with its comment signs taken away', () => {
    // A value and the file of it exclude each other.
    const values = Object.entries(exampleVariables).filter(
      ([name]) => !name.endsWith('_FILE') || (exampleVariables[name.replace(/_FILE$/, '')] ?? '') === '',
    );
    const key = path.join(mkdtempSync(path.join(tmpdir(), 'example-')), 'dkim.pem');
    onTestFinished(() => rmSync(path.dirname(key), { recursive: true }));
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const config = readConfig({ ...Object.fromEntries(values), DKIM_KEY_FILE: key });
    expect(config).toMatchObject(readConfigOfDefaults());
    expect(checkTraceVariables(exampleVariables).wrong).toEqual(new Map());
  });
});

/** What the example shows as defaults must be the defaults. */
function readConfigOfDefaults(): Partial<ReturnType<typeof readConfig>> {
  const { port, host, dataDir, roles, rateLimit, rateLimitEmail, logLevel, mailInDoubt } = readConfig({});
  return { port, host, dataDir, roles, rateLimit, rateLimitEmail, logLevel, mailInDoubt };
}
