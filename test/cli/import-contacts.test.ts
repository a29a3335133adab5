/** `audience import contacts`: CSV files as people have them, into a running service; interrupted, repeated, and with a service that goes away. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
    ['no header', 'ada@x.example,Ada\n', [], /no column has the address/],
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

/** Imports a file with `--status Subscribed` into a new list. Returns the report and the members by their address. */
async function importedInto(content: string | Buffer, ...words: readonly string[]) {
  const [list, file] = [await newList(service), fileOf(content)];
  const ended = await imported(file, '--list', list, '--status', 'Subscribed', ...words);
  const found = await members(list);
  return { list, file, ended, members: new Map(found.map((member) => [member['email'], member])) };
}

const tagsOf = (member: Readonly<Record<string, unknown>> | undefined): unknown =>
  (member?.['tags'] as readonly { readonly tag_name: string }[] | undefined)?.map(({ tag_name }) => tag_name).sort();

describe('files as other programs write them', () => {
  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  test.each<[string, string | Buffer]>([
    ['a line sep=;', 'sep=;\r\nemail;status;firstName\r\nzoe@x.example;Subscribed;Zoë\r\n'],
    ['semicolons', 'email;status;firstName\r\nzoe@x.example;Subscribed;Zoë\r\n'],
    ['UTF-16 with a mark and tabs', utf16('\ufeffemail\tstatus\tfirstName\r\nzoe@x.example\tSubscribed\tZoë\r\n')],
    ['UTF-16 without a mark', utf16('email,status,firstName\r\nzoe@x.example,Subscribed,Zoë\r\n')],
    ['UTF-16 BE', utf16('email,status,firstName\nzoe@x.example,Subscribed,Zoë\n').swap16()],
    ['white space before quotes', 'email, "status", "firstName"\n"zoe@x.example", "Subscribed", "Zoë"\n'],
  ])('with %s are imported', async (_, content) => {
    const { ended, members: found } = await importedInto(content);
    expect(report(ended)).toMatchObject({ rows: 1, rejected: 0 });
    expect(found.get('zoe@x.example')).toMatchObject({ firstName: 'Zoë', status: 'Subscribed' });
  });

  test('of Mailchimp have quoted tags in a cell, and times that need a zone', async () => {
    const text =
      'Email Address,First Name,TAGS,OPTIN_TIME,OPTIN_IP\r\nada@chimp.example,Ada,"""VIP"",""Berlin, Mitte""",2024-03-01 10:22:33,203.0.113.7\r\n';
    const map = ['--map', 'OPTIN_TIME=consent.occurred_at', 'OPTIN_IP=consent.ip'];
    const without = await importedInto(text, ...map, '--lenient');
    expect(without.ended.code).toBe(2);
    expect(without.ended.err).toContain('line 2: consent.occurred_at is a time without a zone.');
    expect(without.ended.err).toContain('Use --time-zone to name the zone, such as UTC, Europe/Berlin');
    expect(without.members.size).toBe(0);
    const { ended, members: found } = await importedInto(text, ...map, '--time-zone', 'Europe/Berlin');
    expect(report(ended)).toMatchObject({ created: 1, rejected: 0 });
    expect(tagsOf(found.get('ada@chimp.example'))).toEqual(['Berlin, Mitte', 'VIP']);
    const subscribed = (await service.events()).filter(({ type }) => type === 'ContactSubscribed').at(-1);
    expect(subscribed?.data['person']).toMatchObject({
      consent: { occurred_at: '2024-03-01T09:22:33.000Z', ip: '203.0.113.7' },
    });
    const unknown = await imported(fileOf(text), '--list', without.list, '--time-zone', 'Mars');
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('--time-zone must be UTC') as unknown });
  });

  test.each<[string, string | Buffer, RegExp]>([
    [
      'an Excel workbook',
      Buffer.from('PK\x03\x04xl/', 'latin1'),
      /This is a ZIP archive, not CSV\. .* Nothing was imported\./,
    ],
    [
      'Latin-1',
      Buffer.from('email\nok@x.example\nM\xfcller@x.example\n', 'latin1'),
      /line 3 has bytes that are not UTF-8\. Save the file as CSV UTF-8\. If the file is in Windows-1252 \(Latin-1\), use --encoding latin1\. Nothing was imported\./,
    ],
    ['a NUL byte', 'email,firstName\nok@x.example,A\nb@x.example,B\0ob\n', /line 3 has a NUL byte/],
    [
      'an open quote',
      'email,firstName\nok@x.example,A\nb@x.example,"Bob\nc@x.example,C\n',
      /line 3 opens a quote that is never closed\. Nothing/,
    ],
    [
      'a very long row',
      `email,firstName\nok@x.example,A\nb@x.example,${'x'.repeat(2 * 1024 * 1024)}\n`,
      /line 3 begins a row of more than 1\.5 MiB\. Nothing/,
    ],
    ['another sign', 'sep=:\nemail:firstName\nok@x.example:A\n', /line 1 names a delimiter that is not supported/],
  ])('with %s are refused with the cause, and nothing of them is imported', async (_, content, message) => {
    const { ended, members: found, file } = await importedInto(content);
    expect(ended.code).toBe(1);
    expect(report(ended)).toMatchObject({ error: { message: expect.stringMatching(message) as unknown } });
    expect(found.size).toBe(0);
    expect(readdirSync(path.dirname(file))).toEqual(['people.csv']);
  });

  test('with rows of another width are imported without these rows, which are listed with their lines', async () => {
    const { ended, file } = await importedInto(
      'email,city\na@ragged.example,Bern\nb@ragged.example\nc@ragged.example,Bonn,x\n',
    );
    expect(report(ended)).toMatchObject({ rows: 3, created: 1, rejected: 2 });
    expect(rejected(file)).toContain('3,"has 1 cells, and the first line has 2"\r\n4,"has 3 cells, and the');
  });
});

test('an export of contacts comes back with the same tags, whatever is in their names', async () => {
  const [from, to] = [await newList(service), await newList(service)];
  const names = ['a, b', 'c; d', 'e "f"', '[g]', "'h'", '=i', '["j"]', '"k","l"', 'm\\n', 'ü 😀'];
  const contact = { email: 'ada@round.example', status: 'Subscribed', tag_name: names };
  await service.post(`/v1/contacts/${from}/upsertcontact`, contact);
  await service.post(`/v1/contacts/${from}/upsertcontact`, { email: 'bob@round.example', status: 'Unsubscribed' });
  const folder = path.dirname(fileOf(''));
  const everything = path.join(folder, 'all.csv');
  const exported = await audience(['--data-dir', service.dataDir, 'export', 'contacts', '--out', everything]);
  expect(exported.code).toBe(0);
  const [head = '', ...rows] = readFileSync(everything, 'utf8').split('\r\n');
  const file = path.join(folder, 'list.csv');
  writeFileSync(file, [head, ...rows.filter((row) => row.includes(from))].join('\r\n'));
  const ended = await imported(file, '--list', to);
  expect(report(ended)).toMatchObject({ rows: 2, updated: 2, rejected: 0 });
  const found = new Map((await members(to)).map((member) => [member['email'], member]));
  expect(tagsOf(found.get('ada@round.example'))).toEqual([...names].sort());
  expect(found.get('bob@round.example')).toMatchObject({ status: 'Unsubscribed', tags: [] });
});

describe('--lenient', () => {
  const phoneAndDate =
    'email,phone,dateOfBirth,city\n' +
    'a@len.example,+1 555 123 4567 ext. 4,31.12.1980,Bern\n' +
    'b@len.example,030\u2011123,,Bonn\n' +
    'c@len.example,,1980-12-31,Rome\n' +
    'not an address,x,,\n' +
    // The same address twice: the later row wins, although the earlier one has a bad field.
    'c@len.example,ext,,Lima\nc@len.example,,,Oslo\n';

  test('imports rows without their bad optional fields, and lists them with the reason', async () => {
    const { ended, file, members: found } = await importedInto(phoneAndDate, '--lenient');
    expect(ended.code).toBe(1);
    expect(report(ended)).toMatchObject({ rows: 6, created: 3, updated: 2, rejected: 4, incomplete: 3 });
    expect(rejected(file).split('\r\n')).toEqual([
      'line,reason',
      '2,imported without phone (phone must be a valid phone number) and dateOfBirth (dateOfBirth must be a valid YYYY-MM-DD date)',
      '3,imported without phone (phone must be a valid phone number)',
      '5,email must be a valid email address',
      '6,imported without phone (phone must be a valid phone number)',
      '',
    ]);
    expect(found.get('a@len.example')).toMatchObject({ phone: null, dateOfBirth: null, city: 'Bern' });
    expect(found.get('c@len.example')).toMatchObject({ phone: null, dateOfBirth: '1980-12-31', city: 'Oslo' });
  });

  test('is not the default: these rows are rejected', async () => {
    const { ended, members: found } = await importedInto(phoneAndDate);
    expect(report(ended)).toMatchObject({ rows: 6, created: 0, updated: 2, rejected: 4, incomplete: 0 });
    expect([...found.keys()]).toEqual(['c@len.example']);
  });

  test('leaves out tags and times that cannot be read, and says so in a dry run, too', async () => {
    const text =
      'email,tags,consent.occurred_at,consent.source\nd@len.example,[VIP],2024-03-31 02:30:00,form\ne@len.example,VIP,soon,form\n';
    const words = ['--lenient', '--time-zone', 'Europe/Berlin'];
    const dry = await importedInto(text, ...words, '--dry-run');
    expect(report(dry.ended)).toMatchObject({ rows: 2, valid: 2, rejected: 2, incomplete: 2 });
    const listed = readFileSync(`${dry.file}.dry-run.csv`, 'utf8');
    expect(listed).toMatch(
      /2,"would be imported without tag_name \(tag_name is in brackets.*\) and consent\.occurred_at \(consent\.occurred_at does not exist/,
    );
    expect(dry.members.size).toBe(0);
    const { ended, members: found } = await importedInto(text, ...words);
    expect(report(ended)).toMatchObject({ created: 2, rejected: 2, incomplete: 2 });
    expect(tagsOf(found.get('e@len.example'))).toEqual(['VIP']);
    expect(tagsOf(found.get('d@len.example'))).toEqual([]);
  });
});

describe('the list of rejected rows', () => {
  const text = 'email\nok@list.example\nbad\n';
  /** A user other than root, because root can write to every folder. */
  const nobody = process.geteuid?.() === 0 ? { uid: 65_534 } : {};

  test('needs a folder that can be written to before any row is saved', async () => {
    const [list, file] = [await newList(service), fileOf(text)];
    chmodSync(path.dirname(file), 0o555);
    const words = ['import', 'contacts', file, '--list', list, '--status', 'Subscribed'];
    for (const more of [[], ['--dry-run']]) {
      const { code, err } = await startAudience([...words, ...more], { ...on(service.url()), ...nobody }).ended;
      expect(code).toBe(1);
      expect(err).toMatch(
        /cannot be written to \(EACCES\), but the list of rejected rows must be written there\. Nothing was imported\./,
      );
      expect(err).toContain('--rejected <file>');
    }
    expect(await members(list)).toEqual([]);
    const place = path.dirname(fileOf(''));
    chmodSync(place, 0o777);
    const elsewhere = path.join(place, 'rejected.csv');
    const ended = await startAudience([...words, '--json', '--rejected', elsewhere], {
      ...on(service.url()),
      ...nobody,
    }).ended;
    expect(report(ended)).toMatchObject({ created: 1, rejected: 1, rejected_file: elsewhere });
    expect(readFileSync(elsewhere, 'utf8')).toContain('3,email must be a valid email address');
    expect(readdirSync(place).sort()).toEqual(['people.csv', 'rejected.csv']);
  });

  test('replaces no other file without --force, and never the imported one', async () => {
    const [list, file] = [await newList(service), fileOf(text)];
    const place = path.join(path.dirname(file), 'list.csv');
    writeFileSync(place, 'mine');
    const words = ['--list', list, '--status', 'Subscribed', '--rejected'];
    const refused = await imported(file, ...words, place);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/is there already: .* --force/) as unknown });
    expect(readFileSync(place, 'utf8')).toBe('mine');
    expect((await imported(file, ...words, path.join(`${place}.d`, 'x'))).err).toMatch(/there is no folder/);
    for (const own of [file, path.join(path.dirname(file), '.', 'people.csv')])
      expect((await imported(file, ...words, own, '--force')).err).toContain('must not name the imported file');
    expect((await imported(file, ...words, path.dirname(file), '--force')).err).toContain('is not a file');
    expect((await imported(file, ...words, '-')).err).toContain('--rejected must name a file');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(await members(list)).toEqual([]);
    expect(report(await imported(file, ...words, place, '--force'))).toMatchObject({
      rejected: 1,
      rejected_file: place,
    });
    expect(readFileSync(place, 'utf8')).toMatch(/^line,reason\r\n3,/);
    // Without rejected rows there is no list.
    writeFileSync(file, 'email\nok@list.example\n');
    expect(report(await imported(file, ...words, place, '--force'))).toMatchObject({ rejected_file: null });
    expect(existsSync(place)).toBe(false);
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
  expect(rest.err).toContain(`Continuing after 500 rows`);
  expect(report(rest)).toMatchObject({ rows: 600, rejected: 588 });
  expect(rejected(file).split('\r\n')).toHaveLength(590);
  expect(new Set(rejected(file).split('\r\n')).size).toBe(590);

  writeFileSync(`${file}.import`, JSON.stringify(kept));
  const before = rejected(file);
  const other = await audience([...words, '--resubscribe', '--dry-run'], on(url));
  expect(other.err).not.toContain('Goes on');
  expect(report(other)).toMatchObject({ rows: 600, rejected_file: `${file}.dry-run.csv` });
  expect(rejected(file)).toBe(before);
  // Without the list of what was rejected before, it begins again.
  rmSync(`${file}.rejected.csv`);
  expect(report(await audience(words, on(url)))).toMatchObject({ rows: 600, created: 0, unchanged: 12 });
});

test('an import that is interrupted continues its list of rejected rows where --rejected says', async () => {
  const list = await newList(service);
  const file = fileOf(many(600));
  const place = path.join(path.dirname(file), 'list.csv');
  const { url } = await gateway((request) => (request === 2 ? 'hang' : undefined));
  const words = ['import', 'contacts', file, '--list', list, '--rejected', place, '--json'];
  const started = startAudience(words, on(url));
  await eventually(async () => (existsSync(`${place}.import`) ? true : undefined));
  started.child.kill('SIGINT');
  expect((await started.ended).code).toBe(130);
  const rest = await audience(words, on(url));
  expect(rest.err).toContain('Continuing after 500 rows');
  expect(report(rest)).toMatchObject({ rows: 600, rejected: 588, rejected_file: place });
  expect(new Set(readFileSync(place, 'utf8').split('\r\n')).size).toBe(590);
  expect(readdirSync(path.dirname(file)).sort()).toEqual(['list.csv', 'people.csv']);
});
