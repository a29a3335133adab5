/** docker-compose.yml and the workflows against the code and against Compose's own schema, as far as that goes without Docker. */
import { Ajv } from 'ajv';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSealKey } from '../../src/integrity/seal-store.js';
import { readConfig } from '../../src/stores/config.js';
import { compose, composeFile, interpolate, ourServices } from './compose.js';
import { document } from '../support/markdown.js';

const { version } = JSON.parse(document('package.json')) as { version: string };
const services = Object.entries(compose.services);
const schemaFile = process.env['COMPOSE_SCHEMA'] ?? '';

/** Checks against the schema; its draft-07 is named by an address that Ajv does not know as such. */
function schemaFaults(value: unknown): readonly string[] {
  const { $schema: _, ...schema } = JSON.parse(readFileSync(schemaFile, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, allErrors: true });
  const validate = ajv.compile(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}

describe.skipIf(schemaFile === '')(
  `the schema of the Compose Specification${schemaFile === '' ? ' (skipped: COMPOSE_SCHEMA names no copy of compose-spec.json)' : ''}`,
  () => {
    test('takes docker-compose.yml', () => {
      expect(schemaFaults(interpolate(composeFile))).toEqual([]);
    });

    test('would find a misspelt key and a wrong type', () => {
      const altered = (change: object): object => ({
        services: { ledger: { ...compose.services['ledger'], ...change } },
      });
      expect(schemaFaults(altered({}))).toEqual([]);
      expect(schemaFaults(altered({ helthcheck: {} }))).not.toEqual([]);
      expect(schemaFaults(altered({ read_only: [] }))).not.toEqual([]);
    });
  },
);

describe.for(services)('the service %s', ([, service]) => {
  test('waits only for services that are there and start without being asked', () => {
    for (const name of Object.keys(service.depends_on ?? {})) {
      expect(compose.services[name], name).toBeDefined();
      expect(compose.services[name]?.profiles, name).toBeUndefined();
    }
  });

  test('names volumes that are declared', () => {
    const named = (service.volumes ?? []).map((volume) => volume.slice(0, volume.indexOf(':')));
    expect(named.filter((volume) => !(volume in compose.volumes))).toEqual([]);
  });
});

test('nothing is published twice', () => {
  const published = services.flatMap(([, { ports = [] }]) => ports.map((port) => port.split(':')[1]));
  expect(published).toHaveLength(new Set(published).size);
});

describe.for(ourServices)('the service %s', ([, service]) => {
  const environment = service.environment ?? {};

  test('has the version of the package', () => {
    expect(service.image).toBe(`audience-ledger:${version}`);
  });

  test('has an environment that is read and accepted', () => {
    expect(Object.keys(environment).filter((variable) => !variablesRead().has(variable))).toEqual([]);
    const config = readConfig(environment);
    expect(config.secret).toBeDefined();
    expect(config.apiKeys).toHaveLength(1);
  });

  test('finds its servers under the names and ports that they have here', () => {
    const servers = ['EVENTSTORE_URL', 'MONGODB_URL', 'SMTP_URL'].map(
      (variable) => new URL(environment[variable] ?? ''),
    );
    expect(servers.map(({ host }) => host)).toEqual(['eventstore:2113', 'mongo:27017', 'mailpit:1025']);
    expect(Object.keys(service.depends_on ?? {})).toEqual([...servers.map(({ hostname }) => hostname), 'seal-key']);
  });
});

test('the event store is that of EVENTSTORE_IMAGE, set up for both servers, each with volumes of its own', () => {
  const { image, environment = {}, volumes } = compose.services['eventstore'] ?? {};
  expect(image).toMatch(/^eventstore\/eventstore:23\.10\./);
  const raw = composeFile as { services: Record<string, { image: string }> };
  const kurrent = 'kurrentplatform/kurrentdb:26.1.0';
  expect(interpolate(raw.services['eventstore']?.image, { EVENTSTORE_IMAGE: kurrent })).toBe(kurrent);
  expect(document('docs/operations.md')).toContain(`EVENTSTORE_IMAGE=${kurrent} docker compose up`);
  for (const setting of ['INSECURE', 'TELEMETRY_OPTOUT'])
    expect([environment[`EVENTSTORE_${setting}`], environment[`KURRENTDB_${setting}`]]).toEqual(['true', 'true']);
  for (const server of ['eventstore', 'kurrentdb'])
    expect(volumes).toEqual(
      expect.arrayContaining([`${server}:/var/lib/${server}`, `${server}-logs:/var/log/${server}`]),
    );
});

test('each process of ours keeps a data folder by name, and all of them seal with one key into one place', () => {
  const folders = ourServices.map(([, { volumes }]) => volumes?.find((volume) => volume.endsWith(':/data')));
  expect(folders).toEqual(ourServices.map(([name]) => `${name}:/data`));
  for (const [, { volumes, environment }] of ourServices) {
    expect(volumes).toContain('seals:/seals');
    expect(environment).toMatchObject({ SEAL_DIR: '/seals', SEAL_KEY: '/seals/seal-key.pem' });
  }
  const [folder = '', file = ''] = ['/seals', compose.services['seal-key']?.command?.at(-1) ?? ''];
  expect(path.dirname(file)).toBe(folder);
});

test('the key to seal with is made once, and is one that seals', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'audience-seal-key-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const file = path.join(dataDir, 'key.pem');
  const [program = '', script = ''] = compose.services['seal-key']?.command ?? [];
  expect(program).toBe('node');
  const run = promisify(execFile);
  await run(process.execPath, [script, file]);
  const made = readFileSync(file, 'utf8');
  expect(() => readSealKey(file)).not.toThrow();
  await run(process.execPath, [script, file]);
  expect(readFileSync(file, 'utf8')).toBe(made);
});

test('every process of ours survives a signal while it starts, and stops within its time', () => {
  for (const [name, { init, stop_grace_period }] of ourServices)
    expect({ init, stop_grace_period }, name).toEqual({ init: true, stop_grace_period: '30s' });
});

test('a secret and keys from files leave no value of the same name', () => {
  const set = { SECRET: '', API_KEYS: '' };
  const [, { environment = {} } = {}] = ourServices[0] ?? [];
  expect(environment['SECRET']).not.toBe('');
  const raw = composeFile as { services: Record<string, { environment: Record<string, string> }> };
  expect(interpolate(raw.services['ledger']?.environment, set)).toMatchObject(set);
});

test('the split has every role beside a first service that answers requests only', () => {
  const roles = ourServices
    .filter(([, { profiles }]) => profiles?.includes('split'))
    .map(([, s]) => s.environment?.['ROLES']);
  expect(roles).toEqual(['api', 'projector', 'mailer']);
  expect(document('docker-compose.yml')).toContain('ROLES=api docker compose --profile split up');
  expect(interpolate('${ROLES:-api,projector,mailer}', { ROLES: 'api' })).toBe('api');
});

describe('the workflow', () => {
  const folder = fileURLToPath(new URL('../../.github/workflows', import.meta.url));
  const text = readFileSync(path.join(folder, 'ci.yml'), 'utf8');
  test('names our image as it is, and scripts that are there', () => {
    const images = [...text.matchAll(/audience-ledger:(\d+\.\d+\.\d+)/g)].map(([, tag]) => tag);
    expect(new Set(images)).toEqual(new Set([version]));
    const scripts = [...text.matchAll(/node (scripts\/\S+\.mjs)/g)].map(([, script = '']) => script);
    expect(scripts.filter((script) => !existsSync(path.join(folder, '../..', script)))).toEqual([]);
  });
});

/** The variables that the configuration asks the environment for. */
function variablesRead(): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (name: string | symbol): undefined => void names.add(String(name));
  const nothing: Record<string, undefined> = {};
  readConfig(new Proxy(nothing, { get: (_, name) => note(name), has: (_, name) => note(name) === null }));
  return names;
}
