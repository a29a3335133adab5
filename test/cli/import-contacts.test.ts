/** `audience import contacts`: CSV files as people have them, into a running service; interrupted, repeated, and with a service that goes away. */
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { csvRow } from '../../src/audit/csv.js';
import { newList, strangerId, unique } from '../support/answers.js';
import { audience, startAudience, type Ended } from '../support/audience.js';
import { eventually, freshFolder, type Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

function fileOf(content: string | Buffer): string {
  const folder = freshFolder();
  onTestFinished(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });
  const file = path.join(folder, 'people.csv');
  writeFileSync(file, content);
  return file;
}

const on = (url: string) => ({ env: { AUDIENCE_URL: url, AUDIENCE_KEY: service.key } });
const imported = (file: string, ...words: readonly string[]): Promise<Ended> =>
  audience(['import', 'contacts', file, '--json', ...words], on(service.url()));
const report = ({ out }: Ended): unknown => JSON.parse(out);
const members = async (list: string) => (await service.get(`/v1/contacts/${list}?limit=200`)).items();
const rejected = (file: string): string => readFileSync(`${file}.rejected.csv`, 'utf8');

test('what was exported comes back: one apostrophe before = + - @ is taken off', async () => {
  const list = await newList(service);
  const profile = {
    firstName: '-Jo',
    lastName: "'=King",
    phone: '+49 30 901820',
    city: '@home',
    address: "'s-Gravenhage 1",
  };
  const head = Object.keys(profile);
  const file = fileOf([csvRow(['email', ...head]), csvRow(['jo@csv.example', ...Object.values(profile)])].join(''));
  expect(readFileSync(file, 'utf8')).toContain("'-Jo,''=King,'+49 30 901820,'@home,'s-Gravenhage 1");
  const ended = await imported(file, '--list', list, '--status', 'Subscribed');
  expect(report(ended)).toMatchObject({ created: 1, rejected: 0 });
  expect(await members(list)).toMatchObject([profile]);
});

test('a list by its name; what there is not is said in words, and leaves no report behind', async () => {
  const list_name = unique('Näws');
  const list = await service.make('/v1/lists/create', { list_name }, 'list_id');
  const file = fileOf('email\nada@named.example\n');
  const ended = await imported(file, '--list', list_name.toUpperCase(), '--status', 'Subscribed');
  expect(report(ended)).toMatchObject({ outcome: 'imported', list_id: list, created: 1 });
  const unknown = await imported(file, '--list', 'Nowhere', '--status', 'Subscribed');
  expect(unknown.err).toContain('There is no list Nowhere.');
  const missing = await imported(`${file}.not`, '--list', list, '--status', 'Subscribed');
  expect(missing.err).toContain(`There is no file ${file}.not.`);
  await imported(file, '--list', strangerId('lst'), '--status', 'Subscribed');
  expect(existsSync(`${file}.rejected.csv`)).toBe(false);
});

test('columns by name and map, tags, consent, empty cells; bad rows are reported with line and reason', async () => {
  const list = await newList(service);
  const file = fileOf(
    [
      '\ufeffE-Mail;First Name;Surname;Date of birth;Tags;Consent Source;Notes;Status',
      'ada@x.example;Ada;"King; Countess";1915-12-10;"VIP; press";Signup form;a note;subscribed',
      'bob@x.example;Bob;;;;;;Unsubscribed',
      'not an address;X;;;;;;Subscribed',
      'cyd@x.example;C;;;;;;',
      'too;few',
      '',
      'dan@x.example;"D "quoted" an";;;;;;Subscribed',
      'eve@x.example;Eve;;10.12.1990;;;;Subscribed',
    ].join('\r\n'),
  );
  const words = ['--list', list, '--delimiter', ';', '--map', 'Surname=lastName', 'tags=tag_name'];
  const ended = await imported(file, ...words);
  expect(ended.code).toBe(1);
  expect(report(ended)).toMatchObject({
    outcome: 'imported',
    rows: 7,
    created: 2,
    updated: 0,
    unchanged: 0,
    rejected: 5,
    rejected_file: `${file}.rejected.csv`,
  });
  expect(ended.err).toContain('columns "Notes"');
  expect(rejected(file).split('\r\n')).toEqual([
    'line,reason',
    '4,email must be a valid email address',
    '5,status is required',
    '6,"has 2 cells, and the first line has 8"',
    '8,"has a quote that is not closed or not doubled, up to line 8"',
    '9,dateOfBirth must be a valid YYYY-MM-DD date',
    '',
  ]);
  expect(statSync(`${file}.rejected.csv`).mode & 0o077).toBe(statSync(file).mode & 0o077);
  const [ada, bob] = [...(await members(list))].sort((one, other) =>
    String(one['email']).localeCompare(String(other['email'])),
  );
  expect(ada).toMatchObject({
    email: 'ada@x.example',
    firstName: 'Ada',
    lastName: 'King; Countess',
    dateOfBirth: '1915-12-10',
    status: 'Subscribed',
    tags: [{ tag_name: 'VIP' }, { tag_name: 'press' }],
  });
  expect(bob).toMatchObject({ lastName: null, status: 'Unsubscribed' });
  const subscribed = (await service.events()).filter(({ type }) => type === 'ContactSubscribed').at(-1);
  expect(subscribed?.data['person']).toMatchObject({ consent: { source: 'Signup form' } });
  expect(existsSync(`${file}.import`)).toBe(false);
  // Once more: nothing changes, and an empty cell clears nothing.
  expect(report(await imported(file, ...words))).toMatchObject({ created: 0, unchanged: 2, rejected: 5 });
});

test('nobody is subscribed again unless told so; a dry run writes nothing; a status for all', async () => {
  const list = await newList(service);
  await service.post(`/v1/contacts/${list}/create`, { email: 'fay@x.example', status: 'Unsubscribed' });
  const file = fileOf('email,city\nfay@x.example,Bern\ngus@x.example,\n');
  const events = await service.countEvents();
  const all = ['--list', list, '--status', 'Subscribed'];
  expect(report(await imported(file, ...all, '--dry-run'))).toMatchObject({ outcome: 'checked', rows: 2, valid: 2 });
  expect(await service.countEvents()).toBe(events);
  expect(report(await imported(file, ...all))).toMatchObject({ created: 1, updated: 1 });
  const statuses = async () => (await members(list)).map(({ city, status }) => [city, status]);
  expect(await statuses()).toEqual([
    ['Bern', 'Unsubscribed'],
    [null, 'Subscribed'],
  ]);
  const again = await audience(['import', 'contacts', file, ...all, '--resubscribe'], on(service.url()));
  expect(again.out).toMatch(/created +0\n +updated +1\n +unchanged +1\n +valid +0\n +rejected +0\n/);
  expect((await statuses())[0]).toEqual(['Bern', 'Subscribed']);
});

describe('what cannot be imported is said before anything is sent, without personal data', () => {
  test.each<[string, string, readonly string[], RegExp]>([
    ['two columns of one name', 'email,City,city\n', [], /columns 2 and 3 are both city/],
    ['two columns of a mapped name', 'email,x,x\n', ['--map', 'x=city'], /columns 2 and 3 are both city/],
    ['no header', 'ada@x.example,Ada\n', [], /no column is the address/],
    ['no status', 'email\n', [], /--status Subscribed/],
    ['a map to nothing', 'email,status,x\n', ['--map', 'y=city'], /no such column/],
    ['a map to no field', 'email,status,x\n', ['--map', 'x=town hall'], /no such field/],
    ['nothing', '', [], /holds no rows/],
  ])('%s', async (_, text, words, message) => {
    const file = fileOf(text === '' ? '' : `${text}ada@x.example,Ada,Bern\n`);
    const ended = await imported(file, '--list', 'lst_x', ...words);
    expect(ended.code).toBeGreaterThan(0);
    expect(ended.err).toMatch(message);
    expect(ended.err.replaceAll(file, '')).not.toMatch(/ada|Bern/i);
  });

  test('an unknown list, no file, no service', async () => {
    const file = fileOf('email,status\nada@x.example,Subscribed\n');
    expect((await imported(file, '--list', 'lst_x')).err).toMatch(/no list lst_x/);
    expect((await imported(`${file}x`, '--list', 'lst_x')).err).toContain(`There is no file ${file}x.`);
    const nowhere = await audience(['--data-dir', path.dirname(file), 'import', 'contacts', file, '--list', 'lst_x']);
    expect(nowhere).toMatchObject({ code: 1, err: expect.stringMatching(/^No service runs/) as unknown });
  });
});

/** One of fifty is good. */
const many = (count: number): string =>
  `email,status,firstName\n${Array.from({ length: count }, (_, index) => `p${index}@${index % 50 === 0 ? 'y.example' : ''},Subscribed,Ada\n`).join('')}`;

/** Before the service: passes requests on, until `spoil` says what to do with the nth instead. */
async function gateway(spoil: (request: number) => 'reset' | 'cut' | 'hang' | 429 | 503 | undefined) {
  let requests = 0;
  const server = http.createServer((incoming, outgoing) => {
    const isBulk = incoming.url?.includes('/bulk') === true;
    const what = isBulk ? spoil((requests += 1)) : undefined;
    if (what === 'hang') return;
    if (what === 'reset') return void incoming.socket.destroy();
    if (what === 429 || what === 503) {
      outgoing.writeHead(what, { 'retry-after': what === 429 ? '0' : '1', 'content-type': 'application/json' });
      return void incoming.resume().on('end', () => outgoing.end('{"message":"not now"}'));
    }
    const { hostname, port } = new URL(service.url());
    const target = { hostname, port, path: incoming.url, method: incoming.method, headers: incoming.headers };
    const passed = http.request(target, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      if (what === 'cut')
        answer.once('data', (piece: Buffer) => outgoing.write(piece, () => incoming.socket.destroy()));
      else answer.pipe(outgoing);
    });
    passed.on('error', () => incoming.socket.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, requests: () => requests };
}

test('answers that are cut, resets, 429 and 503: each row is done in the end, and counted once', async () => {
  const list = await newList(service);
  const file = fileOf(many(600));
  const troubles = ['cut', 'reset', 429, 503, undefined, 'cut'] as const;
  const { url, requests } = await gateway((request) => troubles[request - 1]);
  const ended = await audience(['import', 'contacts', file, '--list', list, '--json'], on(url));
  expect(report(ended)).toMatchObject({ rows: 600, rejected: 588 });
  expect(requests()).toBeGreaterThanOrEqual(7);
  const lines = rejected(file).split('\r\n').slice(1, -1);
  expect(lines).toHaveLength(588);
  expect(lines[0]).toBe('3,email must be a valid email address');
  // What an answer that was cut had created comes again as unchanged: it is not lost, and not counted twice.
  const { created, unchanged } = report(ended) as { created: number; unchanged: number };
  expect(created + unchanged).toBe(12);
});

test('a service that is started again on another port is found there, and each row is done', async () => {
  const file = fileOf(many(3_000));
  const words = ['--data-dir', service.dataDir, 'import', 'contacts', file, '--list', await newList(service), '--json'];
  const ended = audience(words, { env: { AUDIENCE_KEY: service.key } });
  await eventually(async () => (existsSync(`${file}.import`) ? true : undefined));
  const before = service.url();
  await service.kill('SIGKILL');
  await service.start();
  expect(service.url()).not.toBe(before);
  const { out, err } = await ended;
  expect(err).toContain(service.url());
  expect(JSON.parse(out)).toMatchObject({ rows: 3_000, rejected: 2_940 });
  expect(existsSync(`${file}.import`)).toBe(false);
});

test('interrupted with Ctrl-C it goes on where it was, with the same command; another file or option begins again', async () => {
  const list = await newList(service);
  const file = fileOf(many(600));
  const { url } = await gateway((request) => (request === 2 ? 'hang' : undefined));
  const words = ['import', 'contacts', file, '--list', list, '--json'];
  const started = startAudience(words, on(url));
  await eventually(async () => (existsSync(`${file}.import`) ? true : undefined));
  started.child.kill('SIGINT');
  const stopped = await started.ended;
  expect(stopped.code).toBe(130);
  expect(stopped.err).toContain('The same command again goes on');
  const kept = JSON.parse(readFileSync(`${file}.import`, 'utf8')) as { done: { rows: number } };
  expect(kept.done.rows).toBe(500);
  const rest = await audience(words, on(url));
  expect(rest.err).toContain(`Goes on after 500 rows`);
  expect(report(rest)).toMatchObject({ rows: 600, rejected: 588 });
  expect(rejected(file).split('\r\n')).toHaveLength(590);
  expect(new Set(rejected(file).split('\r\n')).size).toBe(590);

  writeFileSync(`${file}.import`, JSON.stringify(kept));
  const before = rejected(file);
  const other = await audience([...words, '--resubscribe', '--dry-run'], on(url));
  expect(other.err).not.toContain('Goes on');
  expect(report(other)).toMatchObject({ rows: 600, rejected_file: `${file}.dry-run.csv` });
  expect(rejected(file)).toBe(before);
  // Without the report of what was rejected before, it begins again.
  rmSync(`${file}.rejected.csv`);
  expect(report(await audience(words, on(url)))).toMatchObject({ rows: 600, created: 0, unchanged: 12 });
});
