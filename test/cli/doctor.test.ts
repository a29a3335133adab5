/** `audience doctor` against each broken thing, as an operator would run it; and that it changes nothing. */
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { deriveRegisterKey } from '../../src/events/streams.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { lineOf, textOf } from '../../src/recovery/register-line.js';
import { startStandIn } from '../eventstoredb/stand-in/stand-in.js';
import { audience, audienceProcess } from '../support/audience.js';
import { makeCertificate } from '../support/certificates.js';
import { openCollector } from '../support/collector.js';
import { toAppend } from '../support/examples.js';
import { eventStoreUrl, newPrefix, noEventStore } from '../support/eventstoredb-server.js';
import { document, rows, section } from '../support/markdown.js';
import { noMongo, openTestDatabase, testMongoUrl } from '../support/mongodb.js';
import { openSmtp } from '../support/smtp.js';
import { eventually, freshFolder, startService, type Overrides, type Service } from '../support/service.js';

const program = fileURLToPath(new URL('../../dist/audience.js', import.meta.url));
const dayMs = 86_400_000;
const long = { timeout: 60_000 };

interface Diagnosed {
  readonly name: string;
  readonly level: string;
  readonly finding: string;
  readonly remedy: string | null;
}

interface Examined {
  readonly code: number | null;
  readonly level: string;
  readonly findings: readonly Diagnosed[];
  of(name: string): Diagnosed | undefined;
}

function examinedIn({ code, out }: { readonly code: number | null; readonly out: string }): Examined {
  const { level, findings } = JSON.parse(out) as Pick<Examined, 'level' | 'findings'>;
  for (const { level, remedy } of findings) expect(remedy === null).toBe(level === 'green');
  return { code, level, findings, of: (name) => findings.find((one) => one.name === name) };
}

const doctor = async (folder: string, env: Overrides = {}): Promise<Examined> =>
  examinedIn(await audience(['doctor', '--json'], { env: { DATA_DIR: folder, ...env } }));

let service: Service;
let seals: string;
let listId: string;

beforeAll(async () => {
  seals = freshFolder();
  service = await startService({ env: { SEAL_DIR: seals } });
  listId = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
  await service.make(`/v1/contacts/${listId}/create`, { email: 'ada@example.com', status: 'Subscribed' }, 'contact_id');
  const erasure = await service.post('/v1/privacy/erasures', { email: 'grace@example.com', reason: 'requested' });
  await eventually(async () => {
    const { body } = await service.get(String(erasure.headers.location));
    return JSON.stringify(body).includes('"completed"') ? true : undefined;
  });
  expect((await doctor(service.dataDir, { SEAL_DIR: seals })).of('service')).toMatchObject({ level: 'green' });
  await service.kill('SIGTERM');
}, 60_000);
afterAll(async () => {
  await service.close();
  rmSync(seals, { recursive: true, force: true });
});

function copied(): string {
  const folder = freshFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(service.dataDir, folder, { recursive: true });
  return folder;
}

/** Content, rights and times of all that is in the folder. */
function traceOf(folder: string) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const file = path.join(folder, name);
      const { mtimeMs, mode, size } = statSync(file);
      const content = statSync(file).isFile() ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
      return { name, mtimeMs, mode, size, content };
    });
}

/** All but the first ones. */
function overwritePages(file: string, first: number): void {
  const pages = readFileSync(file);
  writeFileSync(file, pages.fill(0xee, first * 4_096));
}

async function append(
  folder: string,
  stream: string,
  event: Parameters<typeof toAppend>[0],
  at: number,
): Promise<void> {
  const store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  await store.append(stream, [toAppend(event, { at: new Date(at).toISOString() })], { expectedRevision: 'any' });
  await store.close();
}

describe('a folder in good order', () => {
  test('everything is green, the exit code is 0, and nothing is changed', long, async () => {
    const folder = copied();
    const before = traceOf(folder);
    const found = await doctor(folder, { SEAL_DIR: seals });
    expect(found.findings.filter(({ level }) => level !== 'green')).toEqual([]);
    expect(found).toMatchObject({ code: 0, level: 'green' });
    // Over HTTP there is no certificate, and without an endpoint there are no traces.
    const names = rows(section(document('docs/cli.md'), '### `audience doctor`')).map(([name]) => name);
    expect(found.findings.map(({ name }) => name)).toEqual(
      names.filter((name) => name !== 'certificate' && name !== 'traces'),
    );
    expect(found.of('versions')?.finding).toMatch(/^Node \d+\.\d+\.\d+, SQLite 3\.\d+/);
    expect(found.of('disk')?.finding).toMatch(/MB are free, and a durable write takes [\d.]+ ms$|not measured/);
    expect(traceOf(folder)).toEqual(before);
  });

  test('for people: a line for each, the remedy below, and how many there are of each', long, async () => {
    const { code, out, err } = await audience(['--data-dir', copied(), 'doctor'], { env: { MAIL_CONECTIONS: '3' } });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^green {3}configuration {2}the settings are valid$/m);
    expect(out).toMatch(/^yellow {2}variables {6}the service does not know MAIL_CONECTIONS \(MAIL_CONNECTIONS\?\)/m);
    expect(out).toMatch(/^ {23}Correct the name/m);
    expect(out).toMatch(/\n\d+ green, 2 yellow, 0 red\.\n$/);
  });

  test('no secret, no key and no address is in what it says', long, async () => {
    const env = {
      SMTP_URL: 'smtp://user:geheim@127.0.0.1:1?requireTLS=false',
      API_KEYS: 'test:a-key-to-be-hidden',
      SECRTE: 'verborgen',
    };
    const { out, err } = await audience(['--data-dir', copied(), 'doctor'], { env });
    const secret = readFileSync(path.join(service.dataDir, 'secret'), 'utf8').trim();
    for (const hidden of ['geheim', 'a-key-to-be-hidden', 'verborgen', secret, 'ada@example.com', 'grace'])
      expect(out + err).not.toContain(hidden);
  });

  test('beside a running service', long, async () => {
    const running = await startService();
    onTestFinished(() => running.close());
    const before = await running.countEvents();
    const found = await doctor(running.dataDir);
    expect(found.code).toBe(0);
    expect(found.of('service')).toMatchObject({ level: 'green', finding: `the service at ${running.url()} is ready` });
    expect(await running.countEvents()).toBe(before);
    expect((await running.get('/health/ready')).status).toBe(200);
  });

  test('after a kill: what the service has left beside its stores stays', long, async () => {
    const killed = await startService();
    onTestFinished(() => killed.close());
    await killed.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
    await killed.kill('SIGKILL');
    // What SQLite shares between processes, in memory: readers note there that they read.
    const trace = (): unknown => traceOf(killed.dataDir).filter(({ name }) => !name.endsWith('-shm'));
    const before = trace();
    expect(await doctor(killed.dataDir)).toMatchObject({ code: 0 });
    expect(trace()).toEqual(before);
  });

  test('before the first start there is nothing to be seen, and nothing is made', async () => {
    const folder = path.join(freshFolder(), 'not-there-yet');
    const found = await doctor(folder);
    expect(found).toMatchObject({ code: 0, level: 'yellow' });
    expect(found.of('folder')?.finding).toBe(`there is no folder ${folder} yet`);
    expect(found.of('secret')).toBeUndefined();
    expect(existsSync(folder)).toBe(false);
  });
});

describe('what is broken', () => {
  test.each([
    ['RATE_LIMIT=much', { RATE_LIMIT: 'much' }, 'configuration', 'red', /RATE_LIMIT must be a whole number/],
    [
      'EVENTSTORE_URL without SECRET',
      { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', MONGODB_URL: 'mongodb://127.0.0.1:1/audience' },
      'configuration',
      'red',
      /^SECRET is required/,
    ],
    [
      'EVENTSTORE_URL without MONGODB_URL',
      { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', SECRET: 's'.repeat(32) },
      'configuration',
      'red',
      /^MONGODB_URL is required with EVENTSTORE_URL/,
    ],
    [
      'MONGODB_URL without EVENTSTORE_URL',
      { MONGODB_URL: 'mongodb://127.0.0.1:1/audience' },
      'configuration',
      'red',
      /^EVENTSTORE_URL is required with MONGODB_URL/,
    ],
    [
      'a SECRET_FILE that is not there',
      { SECRET_FILE: '/no/such/file' },
      'configuration',
      'red',
      /SECRET_FILE names cannot be read/,
    ],
    ['MAIL_CONECTIONS', { MAIL_CONECTIONS: '3' }, 'variables', 'yellow', /MAIL_CONECTIONS \(MAIL_CONNECTIONS\?\)/],
    ['MONGO_URL', { MONGO_URL: 'mongodb://u:p@h' }, 'variables', 'yellow', /MONGO_URL \(MONGODB_URL\?\)/],
    ['AUDIENCE_SECRET', { AUDIENCE_SECRET: 'x', AUDIENCE_KEY: 'k' }, 'variables', 'yellow', /know AUDIENCE_SECRET,/],
    ['SMTP_PASSWORD', { SMTP_PASSWORD: 'x' }, 'variables', 'yellow', /know SMTP_PASSWORD,/],
    [
      'OTEL_EXPORTER_OTLP_ENDPOIN',
      { OTEL_EXPORTER_OTLP_ENDPOIN: 'x' },
      'variables',
      'yellow',
      /\(OTEL_EXPORTER_OTLP_ENDPOINT\?\)/,
    ],
    [
      'a sampler that there is not',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_SAMPLER: 'xray' },
      'traces',
      'yellow',
      /OTEL_TRACES_SAMPLER must be one of/,
    ],
    ['data_dir', { data_dir: 'x' }, 'variables', 'yellow', /data_dir \(DATA_DIR\?\)/],
    ['another SECRET', { SECRET: 'x'.repeat(32) }, 'secret', 'red', /^SECRET is not the secret that this log/],
    [
      'a SEAL_DIR that is not there',
      { SEAL_DIR: '/no/such/folder' },
      'seals',
      'red',
      /^SEAL_DIR cannot be used: ENOENT/,
    ],
    ['a SEAL_KEY that is not there', { SEAL_KEY: '/no/such/key' }, 'seals', 'red', /^SEAL_KEY: .*cannot be read/],
    ['no SEAL_DIR', { SEAL_DIR: '' }, 'register', 'yellow', /in one place only$/],
    [
      'certificate files that are not there',
      { TLS_CERT: '/no/cert', TLS_KEY: '/no/key' },
      'certificate',
      'red',
      /^TLS_CERT cannot be read/,
    ],
    [
      'a mail server that is not there',
      { SMTP_URL: 'smtp://127.0.0.1:1' },
      'mail',
      'yellow',
      /does not take this service \(connection\)/,
    ],
    [
      'a service that is named and does not answer',
      { AUDIENCE_URL: 'http://127.0.0.1:1' },
      'service',
      'red',
      /^No service answers at/,
    ],
  ] as const)('%s', long, async (_, env, name, level, finding) => {
    const { code, of } = await doctor(copied(), { SEAL_DIR: seals, ...env });
    expect(of(name)).toMatchObject({ level, finding: expect.stringMatching(finding) as unknown });
    expect(code).toBe(level === 'red' ? 1 : 0);
  });

  test('other variables of an environment are no concern of the service', async () => {
    const names = [
      'HOME',
      'HOSTNAME',
      'MAIL',
      'LANG',
      'EVENTSTORE_CLUSTER_SIZE',
      'npm_config_cache',
      'LOGNAME',
      'OTEL_SERVICE_NAME',
      'OTEL_BLRP_SCHEDULE_DELAY',
    ];
    const found = await doctor(freshFolder(), Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(found.of('variables')).toMatchObject({ level: 'green' });
  });

  test('a collector that takes no traces; one that does is green', async () => {
    const collector = await openCollector();
    onTestFinished(() => collector.close());
    const folder = freshFolder();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    // The exporter reads the environment of the process.
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await doctor(folder, env)).of('traces')).toMatchObject({ level: 'green' });
    collector.behave(401);
    const finding = 'the collector takes no traces: 401';
    expect((await doctor(folder, env)).of('traces')).toMatchObject({ level: 'yellow', finding });
    expect((await doctor(folder)).of('traces')).toBeUndefined();
  });

  test.each([
    ['of another log', 'f'.repeat(64), /^the file secret is not the secret/],
    ['that is too short', 'short', /must hold at least 32 bytes/],
    ['that is missing', undefined, /^there is no secret/],
  ])('a secret %s', long, async (_, secret, finding) => {
    const folder = copied();
    const file = path.join(folder, 'secret');
    if (secret === undefined) rmSync(file);
    else writeFileSync(file, secret);
    const found = await doctor(folder);
    expect(found).toMatchObject({ code: 1, level: 'red' });
    expect(found.of('secret')).toMatchObject({ level: 'red', finding: expect.stringMatching(finding) as unknown });
    // Only the MAC of a restore needs the secret.
    expect(found.of('verification')).toMatchObject({ level: 'green' });
  });

  test.each([
    [
      'an event that was altered',
      "update events set data = replace(data, 'News', 'Nows') where type = 'ListCreated'",
      /event \d/,
    ],
    ['the last event gone', 'delete from events where position = (select max(position) from events)', /shortened/],
  ])('%s', long, async (_, sql, finding) => {
    const folder = copied();
    const db = new DatabaseSync(path.join(folder, 'events.db'));
    db.exec(sql);
    db.close();
    const found = await doctor(folder, { SEAL_DIR: seals });
    expect(found.of('verification')).toMatchObject({
      level: 'red',
      finding: expect.stringMatching(finding) as unknown,
    });
    expect(found.code).toBe(1);
  });

  test('a restored log before its first start, which records the restore', long, async () => {
    const folder = copied();
    const db = new DatabaseSync(path.join(folder, 'events.db'));
    db.exec('delete from events where position = (select max(position) from events)');
    db.close();
    writeFileSync(path.join(folder, 'restored.json'), '{}');
    const found = await doctor(folder, { SEAL_DIR: seals });
    for (const name of ['verification', 'seals'])
      expect(found.of(name)).toMatchObject({
        level: 'red',
        remedy: expect.stringMatching(/^The log was restored .* Start the service/) as unknown,
      });
  });

  test('a log that is no log', long, async () => {
    const folder = copied();
    writeFileSync(path.join(folder, 'events.db'), 'This is no database. '.repeat(500));
    const found = await doctor(folder);
    expect(found.of('log')).toMatchObject({
      level: 'red',
      finding: expect.stringContaining('not a database') as unknown,
    });
    expect(found.of('verification')).toMatchObject({ level: 'yellow', finding: 'not checked: the log cannot be read' });
    expect(found.code).toBe(1);
  });

  test('a log of an earlier format, which is not blamed on the disk and needs no backup', long, async () => {
    const folder = copied();
    const db = new DatabaseSync(path.join(folder, 'events.db'));
    db.exec('pragma user_version = 6');
    db.close();
    const found = await doctor(folder);
    expect(found.of('log')).toMatchObject({
      level: 'red',
      finding: expect.stringContaining('has format 6') as unknown,
      remedy: expect.stringMatching(/^Keep the file, and bring its events over/) as unknown,
    });
  });

  test('a log with damaged pages', long, async () => {
    const folder = copied();
    overwritePages(path.join(folder, 'events.db'), 2);
    const before = traceOf(folder);
    const found = await doctor(folder);
    expect(found.of('log')).toMatchObject({
      level: 'red',
      finding: expect.stringContaining('malformed') as unknown,
      remedy: expect.stringContaining('last good backup') as unknown,
    });
    expect(found.code).toBe(1);
    expect(traceOf(folder)).toEqual(before);
  });

  test('views with damaged pages', long, async () => {
    const folder = copied();
    overwritePages(path.join(folder, 'views.db'), 1);
    const before = traceOf(folder);
    const found = await doctor(folder);
    expect(found.of('views')).toMatchObject({
      level: 'red',
      remedy: expect.stringMatching(/^Remove views.db/) as unknown,
    });
    expect(traceOf(folder)).toEqual(before);
  });

  test('a full disk: what can be read is read', long, (context) => {
    if (spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0)
      context.skip('this machine does not permit mounting');
    const script =
      'mount -t tmpfs -o size=4m tmpfs "$1" && cp -a "$2/." "$1" && { dd if=/dev/zero of="$1/rest" bs=4k status=none; "$3" "$4" --data-dir "$1" doctor --json; }';
    const { stdout } = spawnSync(
      'unshare',
      ['-rm', 'sh', '-c', script, 'sh', freshFolder(), service.dataDir, process.execPath, program],
      { encoding: 'utf8' },
    );
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly { name: string; level: string }[] };
    const levels = Object.fromEntries(findings.map(({ name, level }) => [name, level]));
    expect(levels).toMatchObject({ disk: 'red', log: 'green', verification: 'green', views: 'green' });
  });

  test('views that are damaged, and views of another log', long, async () => {
    const damaged = copied();
    writeFileSync(path.join(damaged, 'views.db'), 'This is no database. '.repeat(500));
    expect((await doctor(damaged)).of('views')).toMatchObject({ level: 'red' });
    const foreign = copied();
    const other = await startService();
    onTestFinished(() => other.close());
    await other.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
    await other.kill('SIGTERM');
    cpSync(path.join(other.dataDir, 'views.db'), path.join(foreign, 'views.db'));
    const found = await doctor(foreign);
    expect(found.of('views')).toMatchObject({ level: 'red', finding: 'the views were folded from another log' });
    expect(found.code).toBe(1);
  });

  test('a register that is gone, damaged or forged, or knows of what the log lacks', long, async () => {
    const [gone, damaged, forged, ahead] = [copied(), copied(), copied(), copied()];
    const file = (folder: string): string => path.join(folder, 'register.ndjson');
    rmSync(file(gone));
    expect((await doctor(gone, { SEAL_DIR: seals })).of('register')).toMatchObject({
      level: 'yellow',
      finding: expect.stringContaining(`lines of the register are missing in ${file(gone)} (`) as unknown,
    });
    appendFileSync(file(damaged), '{"log_id":"torn\n');
    const number = readFileSync(file(damaged), 'utf8').split('\n').length - 1;
    expect((await doctor(damaged, { SEAL_DIR: seals })).of('register')).toMatchObject({
      level: 'yellow',
      finding: expect.stringContaining(`${file(damaged)} (lines ${number})`) as unknown,
    });
    // A damaged line, which may be harmless, hides no lines that are missing.
    writeFileSync(file(damaged), 'damaged\n');
    expect((await doctor(damaged, { SEAL_DIR: seals })).of('register')).toMatchObject({
      level: 'yellow',
      finding: expect.stringMatching(
        /^lines of the register are missing in .*; lines of the register are damaged/,
      ) as unknown,
    });
    writeFileSync(
      file(forged),
      readFileSync(file(forged), 'utf8').replaceAll(/"mac":"[0-9a-f]{8}/g, '"mac":"00000000'),
    );
    expect((await doctor(forged)).of('register')).toMatchObject({
      level: 'red',
      finding: expect.stringContaining('no start succeeds') as unknown,
    });
    const [text = ''] = readFileSync(file(ahead), 'utf8').split('\n');
    const { log_id: logId } = JSON.parse(text) as { readonly log_id: string };
    const key = deriveRegisterKey(readFileSync(path.join(ahead, 'secret'), 'utf8').trim());
    const suppressed = { type: 'AddressSuppressed', data: { reason: 'manual', scope: 'all' } } as const;
    const refused = Array.from({ length: 30 }, (_, index) =>
      textOf(lineOf({ ...toAppend(suppressed), stream: `suppression-${index}`, revision: 0n }, { logId, key })),
    );
    // Far before the end of the register.
    writeFileSync(file(ahead), refused.join('') + `${text}\n`.repeat(200));
    const found = await doctor(ahead);
    expect(found.of('register')).toMatchObject({
      level: 'red',
      finding: expect.stringContaining('the log lacks 30 events of the register') as unknown,
      remedy: expect.stringMatching(/audience restore --in-place.* audience privacy reapply/) as unknown,
    });
    expect(found.code).toBe(1);
  });

  test('a seal of another log', long, async () => {
    const folder = copied();
    const [name = ''] = readdirSync(path.join(folder, 'seals'));
    const file = path.join(folder, 'seals', name);
    const seal = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...seal, count: 1 }));
    expect((await doctor(folder)).of('seals')).toMatchObject({
      level: 'red',
      finding: expect.stringContaining('signature') as unknown,
    });
  });

  test('seals that SEAL_DIR lacks, and a key of the data folder that cannot be read', long, async () => {
    const folder = copied();
    const empty = freshFolder();
    expect((await doctor(folder, { SEAL_DIR: empty })).of('seals')).toMatchObject({
      level: 'yellow',
      finding: expect.stringMatching(/^SEAL_DIR lacks \d+ of the \d+ seals of this log$/) as unknown,
    });
    writeFileSync(path.join(folder, 'seal-key.pem'), 'torn');
    expect((await doctor(folder, { SEAL_DIR: empty })).of('seals')).toMatchObject({
      level: 'red',
      finding: expect.stringMatching(/^\/.*seal-key\.pem is not a private key in PEM/) as unknown,
    });
  });

  test('erasures that wait, keys that end soon, and a clock that was set back', long, async () => {
    const folder = copied();
    const asked = { type: 'ErasureRequested', data: { erasure_id: 'ers_1', subject_key: 'k' } } as const;
    await append(folder, 'erasures', asked, Date.now() - 2 * dayMs);
    const key = { key_id: 'key_1', name: 'Kiosk', scopes: ['lists:read'], hash: 'a'.repeat(64) };
    const expires_at = new Date(Date.now() + 3 * dayMs).toISOString();
    await append(folder, 'keys', { type: 'ApiKeyCreated', data: { ...key, expires_at } }, Date.now() + 10 * 60_000);
    const found = await doctor(folder);
    expect(found.of('erasures')).toMatchObject({
      level: 'red',
      finding: expect.stringMatching(/not completed: 1, the oldest asked for 2880 minutes/) as unknown,
    });
    expect(found.of('keys')).toMatchObject({ level: 'yellow', finding: `API keys end soon: key_1 on ${expires_at}` });
    expect(found.of('clock')).toMatchObject({
      level: 'red',
      finding: expect.stringContaining('behind the newest event') as unknown,
    });
    expect(JSON.stringify(found)).not.toContain('Kiosk');
  });

  test('e-mails that are held', long, async () => {
    const smtp = await openSmtp(['close after dot']);
    onTestFinished(() => smtp.close());
    const env = { SMTP_URL: smtp.url, MAIL_IN_DOUBT: 'hold' };
    const holding = await startService({ env });
    onTestFinished(() => holding.close());
    const message = { from_email: 'a@example.com', to_email: 'b@example.com', subject: 'Hi', mail_template: 'Hi' };
    expect((await holding.post('/v1/email/send', message)).status).toBe(200);
    await eventually(async () => ((await holding.get('/v1/email?state=held')).items().length > 0 ? true : undefined));
    const found = await doctor(holding.dataDir);
    expect(found.of('emails')).toMatchObject({
      level: 'yellow',
      finding: 'e-mails held: 1 (1 for connection_lost)',
    });
    expect(found.code).toBe(0);
  });

  test('a service whose mail server refuses its e-mails', long, async () => {
    const env = { SMTP_URL: 'smtp://127.0.0.1:1' };
    const refused = await startService({ env });
    onTestFinished(() => refused.close());
    const message = { from_email: 'a@example.com', to_email: 'b@example.com', subject: 'Hi', mail_template: 'Hi' };
    expect((await refused.post('/v1/email/send', message)).status).toBe(200);
    await eventually(async () => ((await refused.get('/health/ready')).text.includes('"refuses"') ? true : undefined));
    const found = await doctor(refused.dataDir, env);
    const finding = expect.stringMatching(
      /is ready, but its mail server refuses emails \(connection_refused\)$/,
    ) as unknown;
    expect(found.of('service')).toMatchObject({ level: 'yellow', finding });
    expect(found.of('mail')).toMatchObject({ level: 'yellow' });
    expect(found.code).toBe(0);
  });

  test('a certificate that ends soon, and one that has ended', long, async () => {
    const folder = copied();
    const env = { TLS_CERT: path.join(folder, 'cert.pem'), TLS_KEY: path.join(folder, 'key.pem') };
    for (const [days, level] of [
      [5, 'yellow'],
      [-5, 'red'],
      [90, 'green'],
    ] as const) {
      const { cert, key } = makeCertificate({ notAfter: new Date(Date.now() + days * dayMs) });
      writeFileSync(env.TLS_CERT, cert, { mode: 0o600 });
      writeFileSync(env.TLS_KEY, key, { mode: 0o600 });
      expect((await doctor(folder, env)).of('certificate')).toMatchObject({ level });
    }
  });

  test('a mail server that answers is named by its greeting', long, async () => {
    const smtp = await openSmtp(['accept']);
    onTestFinished(() => smtp.close());
    const found = await doctor(copied(), { SMTP_URL: smtp.url });
    expect(found.of('mail')).toMatchObject({
      level: 'green',
      finding: expect.stringMatching(/takes this service: 220 /) as unknown,
    });
  });

  test('files that others can read', long, async () => {
    const folder = copied();
    chmodSync(folder, 0o755);
    chmodSync(path.join(folder, 'secret'), 0o644);
    const before = traceOf(folder);
    expect((await doctor(folder)).of('folder')).toMatchObject({
      level: 'yellow',
      finding: expect.stringContaining('can get at secret in') as unknown,
      remedy: `Remove the rights of other users: chmod -R go= ${folder}`,
    });
    expect(traceOf(folder)).toEqual(before);
  });

  test.for([0o777, 0o1777, 0o702])('a folder that every user can write to, with mode %o', long, async (mode) => {
    const folder = copied();
    chmodSync(folder, mode);
    const found = await doctor(folder);
    expect(found.of('folder')).toMatchObject({
      level: 'red',
      finding: expect.stringContaining(`every user of this machine can write to ${folder}`) as unknown,
      remedy: expect.stringContaining(`chmod o-w ${folder}`) as unknown,
    });
    expect(found.code).toBe(1);
  });

  test('a folder that its group can write to', long, async () => {
    const folder = copied();
    chmodSync(folder, 0o770);
    expect((await doctor(folder)).of('folder')).toMatchObject({
      level: 'yellow',
      remedy: expect.stringContaining(`chmod g-w ${folder}`) as unknown,
    });
  });

  test('a stranger at the address in the folder', long, async () => {
    const running = await startService({ env: { API_KEYS: undefined } });
    onTestFinished(() => running.close());
    expect((await doctor(running.dataDir)).of('service')).toMatchObject({ level: 'green' });
    const stranger = await startService({ env: { API_KEYS: undefined } });
    onTestFinished(() => stranger.close());
    writeFileSync(path.join(running.dataDir, 'address'), stranger.url());
    expect((await doctor(running.dataDir)).of('service')).toMatchObject({
      level: 'red',
      finding: expect.stringContaining('does not prove that it has the secret of this data folder') as unknown,
    });
    const named = await doctor(running.dataDir, { AUDIENCE_URL: stranger.url() });
    expect(named.of('service')).toMatchObject({ level: 'yellow' });
  });
});

/** Of a machine that is not every one. */
describe('what only a process of its own meets', () => {
  const inProcess = async (folder: string, options: { readonly uid?: number } = {}): Promise<Examined> =>
    examinedIn(await audienceProcess(['--data-dir', folder, 'doctor', '--json'], options));

  test('a folder that this user may not read', long, async (context) => {
    if (process.getuid?.() !== 0) context.skip('only root can become another user');
    const folder = copied();
    const found = await inProcess(folder, { uid: 65_534 });
    expect(found.of('folder')).toMatchObject({
      level: 'red',
      finding: `this user (uid 65534) cannot read and write ${folder} (EACCES)`,
    });
    expect(found.code).toBe(1);
  });

  const works = (...[command = '', ...words]: readonly string[]): boolean => spawnSync(command, words).status === 0;

  test.for([
    ['a disk with little space', 'true', 'disk', /^only \d+ MB are free/],
    ['a disk that is mounted read-only', 'mount -o remount,ro "$1"', 'folder', /cannot read and write .*EROFS/],
  ] as const)('%s', long, ([, change, name, finding], context) => {
    if (!works('unshare', '-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'))
      context.skip('this machine does not permit mounting a small file system in a namespace of its own');
    const [folder, disk] = [copied(), freshFolder()];
    onTestFinished(() => rmSync(disk, { recursive: true, force: true }));
    const script = `mount -t tmpfs -o size=20m,mode=700 tmpfs "$1" && cp -a "$2/." "$1" && ${change} && exec "$3" "$4" --data-dir "$1" doctor --json`;
    const words = ['sh', '-c', script, 'sh', disk, folder, process.execPath, program];
    const { status, stdout, stderr } = spawnSync('unshare', ['-rm', ...words], {
      encoding: 'utf8',
      cwd: disk,
      env: { PATH: process.env['PATH'] },
    });
    expect(stdout, stderr).not.toBe('');
    expect(examinedIn({ code: status, out: stdout }).of(name)).toMatchObject({
      level: 'red',
      finding: expect.stringMatching(finding) as unknown,
    });
    expect(status).toBe(1);
  });

  const oldNode = '/usr/bin/node';

  test('a Node that is too old says so before anything is loaded', (context) => {
    const { stdout: version = '' } = spawnSync(oldNode, ['--version'], { encoding: 'utf8' });
    if (!/^v(1\d|2[0-3])\./.test(version)) context.skip('this machine has no older Node at /usr/bin/node');
    const { status, stderr } = spawnSync(oldNode, [program, 'doctor', '--json'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^audience-ledger needs Node 24\.15 or newer, and this is v/);
  });
});

describe('servers', () => {
  const secret = 's'.repeat(32);
  const absentMongo = 'mongodb://127.0.0.1:1/audience';

  async function emptyLog(): Promise<Overrides> {
    const server = await startStandIn();
    onTestFinished(() => server.close());
    return { EVENTSTORE_URL: server.url, SECRET: secret };
  }

  test('a MongoDB that does not answer', long, async () => {
    const url = 'mongodb://user:geheim@127.0.0.1:1/audience';
    const found = await doctor(copied(), { ...(await emptyLog()), MONGODB_URL: url });
    expect(found.of('views')).toMatchObject({
      level: 'red',
      finding: expect.stringMatching(/^MongoDB cannot be used: /) as unknown,
    });
    expect(found.of('lag')).toMatchObject({ level: 'yellow', finding: 'not checked: the views cannot be read' });
    expect(JSON.stringify(found)).not.toContain('geheim');
    expect(found.code).toBe(1);
  });

  test('neither answers: each is named', long, async () => {
    const env = {
      EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
      MONGODB_URL: absentMongo,
      SECRET: secret,
    };
    const found = await doctor(copied(), env);
    expect([found.of('log')?.level, found.of('views')?.level]).toEqual(['red', 'red']);
  });

  test('an EventStoreDB that does not answer', long, async () => {
    const url = 'esdb://admin:geheim@127.0.0.1:1?tls=false';
    const env = { EVENTSTORE_URL: url, MONGODB_URL: absentMongo, SECRET: secret };
    const found = await doctor(copied(), env);
    expect(found.of('log')).toMatchObject({
      level: 'red',
      finding: expect.stringMatching(/^EventStoreDB \(EVENTSTORE_URL\) cannot be used/) as unknown,
    });
    expect(JSON.stringify(found)).not.toContain('geheim');
    expect(found.code).toBe(1);
  });

  test('a MongoDB that answers: its version; nothing is made there', long, async (context) => {
    if (testMongoUrl === undefined) return context.skip(noMongo);
    const database = openTestDatabase(testMongoUrl);
    onTestFinished(() => database.close());
    const found = await doctor(copied(), { ...(await emptyLog()), MONGODB_URL: database.url, SEAL_DIR: seals });
    expect(found.of('views')).toMatchObject({
      level: 'green',
      finding: expect.stringMatching(/^MongoDB \d+\.\d+\.\d+ answers/) as unknown,
    });
    expect(found.of('clock')).toMatchObject({ level: 'green', finding: expect.stringContaining('MongoDB') as unknown });
    expect(await database.client.db().listCollections().toArray()).toEqual([]);
  });

  test('an EventStoreDB that answers: its version, and a log that has not begun', long, async (context) => {
    if (eventStoreUrl === undefined) return context.skip(noEventStore);
    const prefix = newPrefix().replaceAll('-', '_');
    const own = { EVENTSTORE_URL: eventStoreUrl, EVENTSTORE_PREFIX: prefix };
    const env = { ...own, MONGODB_URL: absentMongo, SECRET: secret };
    const found = await doctor(freshFolder(), env);
    expect(found.of('log')).toMatchObject({
      level: 'green',
      finding: expect.stringMatching(
        /^(?:EventStoreDB 2[0-4]\.\d+\.\d+\.\d+|KurrentDB 2[5-9]\.[\w.-]+) answers, and holds no events yet$/,
      ) as unknown,
    });
    expect(found.of('clock')).toMatchObject({
      level: 'green',
      finding: expect.stringMatching(/EventStoreDB|KurrentDB/) as unknown,
    });
  });
});
