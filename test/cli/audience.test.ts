/** `audience` as its users know it: the same answers as over HTTP, exit codes, pipes, signals, and what it says when something is wrong. */
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { untimed } from '../support/answers.js';
import { audience, audienceProcess, jsonLines, notRecorded, startAudience, type Ended } from '../support/audience.js';
import { eventually, freshFolder, startService, type Service } from '../support/service.js';

const ada = 'ada.of.the.command.line@example.com';
const later = '2999-01-01';
let service: Service;
let list: string;
let contactId: string;

beforeAll(async () => {
  service = await startService();
  list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
  await service.make('/v1/lists/create', { list_name: 'Empty' }, 'list_id');
  const consent = { source: 'form', statement: 'Yes,\nsend me the news.' };
  const body = { email: ada, firstName: 'Ada', status: 'Subscribed', tag_name: ['VIP'], consent };
  contactId = await service.make(`/v1/contacts/${list}/upsertcontact`, body, 'contact_id');
  await service.post(`/v1/lists/${list}/update`, { list_name: 'Letters' });
  await service.post(`/v1/contacts/${list}/updatestatus`, { contact_email: ada, status: 'Unsubscribed' });
});
afterAll(() => service.close());

/** A folder that goes away with the test. */
function newFolder(): string {
  const folder = freshFolder();
  onTestFinished(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** As it stands on the disk while the service runs. */
function copied(): string {
  const copy = path.join(newFolder(), 'copy');
  cpSync(service.dataDir, copy, { recursive: true });
  return copy;
}

const on = (folder: string, ...words: readonly string[]): Promise<Ended> => audience(['--data-dir', folder, ...words]);
const data = (text: string): unknown => (JSON.parse(text) as { data: unknown }).data;
const audit = (rest: string): string => `/v1/audit/${rest}`;

interface Told {
  readonly statusCode: number;
  readonly status: string;
}

/** What the auditor answers of a contact is what the service answers. */
async function expectSameContact(folder: string, contact: string): Promise<void> {
  const asked = encodeURIComponent(contact);
  const [history, at, one] = await Promise.all([
    on(folder, 'audit', 'history', contact, '--json'),
    on(folder, 'audit', 'at', contact, '--time', later, '--json'),
    on(folder, 'audit', 'at', contact, '--time', later, '--list', list, '--json'),
  ]);
  const told = await service.get(audit(`contacts/${asked}/history`));
  const {
    data: items,
    statusCode: _,
    status: __,
    ...end
  } = JSON.parse(untimed(told.text)) as { data: unknown[] } & Told;
  expect(jsonLines(untimed(history.out))).toEqual([...items, { line: 'end', ...end, recorded: false }]);
  const then = await service.get(audit(`contacts/${asked}/at?time=${later}`));
  expect(jsonLines(untimed(at.out))).toEqual([data(untimed(then.text))]);
  const inList = await service.get(audit(`contacts/${asked}/at?time=${later}&list_id=${list}`));
  expect(jsonLines(untimed(one.out))).toEqual([data(untimed(inList.text))]);
  for (const { code, err } of [history, at, one]) expect({ code, err }).toEqual({ code: 0, err: notRecorded });
}

/** What it answers of all else. */
async function expectSameLists(folder: string): Promise<void> {
  const [members, csv, events] = await Promise.all([
    on(folder, 'audit', 'list', list, '--time', later),
    on(folder, 'audit', 'list', list, '--time', later, '--format', 'csv'),
    on(folder, 'audit', 'events', '--json'),
  ]);
  expect(untimed(members.out)).toBe(untimed((await service.get(audit(`lists/${list}/at?time=${later}`))).text));
  expect(csv.out).toBe((await service.get(audit(`lists/${list}/at?time=${later}&format=csv`))).text);
  expect(events.out).toBe((await service.get(audit('events?format=ndjson'))).text);
  for (const { code } of [members, csv, events]) expect(code).toBe(0);
  expect(events.err).toBe(notRecorded);
  for (const { err } of [members, csv])
    expect(err).toMatch(
      /^The time is in the future: .*\nAnswered at .*, up to event \d+\.\nNo seal covers .*\nNot recorded: .*\n$/,
    );
}

describe('audience audit', () => {
  test('answers as the service does, while it runs, by address and by id', { timeout: 120_000 }, async () => {
    await expectSameContact(service.dataDir, ada.toUpperCase());
    await expectSameContact(service.dataDir, contactId);
    await expectSameLists(service.dataDir);
  });

  test('answers from a copy without views, by id', { timeout: 120_000 }, async () => {
    const folder = copied();
    for (const file of ['views.db', 'views.db-wal', 'views.db-shm']) rmSync(path.join(folder, file), { force: true });
    await expectSameContact(folder, contactId);
    await expectSameLists(folder);
  });

  test('answers where the views cannot be read, and says why', { timeout: 120_000 }, async () => {
    const folder = copied();
    for (const file of ['views.db-wal', 'views.db-shm']) rmSync(path.join(folder, file), { force: true });
    writeFileSync(path.join(folder, 'views.db'), 'no database');
    const { code, out, err } = await on(folder, 'audit', 'history', contactId, '--json');
    expect({ code, events: jsonLines(out).length > 1 }).toEqual({ code: 0, events: true });
    expect(err).toMatch(/^The views cannot be read, so the log is searched: .+\n/);
    expect(err).toContain(notRecorded);
  });

  test('answers from a copy that cannot be written to', { timeout: 120_000 }, async (context) => {
    const folder = copied();
    // A clean stop leaves no file of SQLite beside the log, and so nothing that could be read in place.
    const clean = await startService({ dataDir: folder });
    await clean.kill('SIGTERM');
    const isRoot = process.getuid?.() === 0;
    for (const file of ['events.db', 'views.db', 'secret']) chmodSync(path.join(folder, file), 0o444);
    chmodSync(path.dirname(folder), 0o755);
    chmodSync(folder, 0o555);
    onTestFinished(() => chmodSync(folder, 0o700));
    // Root may write anywhere.
    const options = isRoot ? { uid: 65_534 } : {};
    const probe = await audienceProcess(['--version'], options).catch(() => undefined);
    if (probe?.code !== 0) context.skip('no other user may run the program here');
    for (const contact of [ada, contactId]) {
      const { code, out, err } = await audienceProcess(
        ['audit', 'history', contact, '--json', '--data-dir', folder],
        options,
      );
      expect({ code, types: jsonLines(out).length }).toEqual({ code: 0, types: 6 });
      expect(err).toContain('cannot be written to');
    }
  });

  test('tells the history in a table of plain words', { timeout: 60_000 }, async () => {
    const { out } = await on(service.dataDir, 'audit', 'history', ada, '--list', 'news', '--limit', '3');
    const [head = '', first = '', ...lines] = out.split('\n');
    const [source, yes, news, second = '', third = '', ...rest] = lines;
    expect(head).toMatch(/^TIME +WHAT +BY +REQUEST$/);
    expect(first).toMatch(/^\S{23}Z {2}Subscribed to the list "News" for the first time, with consent\..* {2}test {2}/);
    expect(second).toContain('The tag "VIP" was attached in the list "News".');
    expect(third).toContain('The list "News" was renamed "Letters".');
    expect(first).toContain('(Its name now is "Letters".)');
    expect([source, yes, news].map((text) => text?.trim())).toEqual(['source form', '| Yes,', '| send me the news.']);
    expect(rest).toEqual([
      '',
      `"News" stands for the list ${list}, whose name is now "Letters".`,
      expect.stringMatching(/^Answered at \S+Z from the log \S+, up to event \d+\.$/),
      'No seal covers the events of this answer yet.',
      '',
    ]);
  });

  test('lists all lists, with their times', { timeout: 60_000 }, async () => {
    const words = ['audit', 'lists'];
    const { out } = await on(service.dataDir, ...words);
    expect(out).toMatch(new RegExp(`^LIST .*EARLIER NAMES\\n${list} +Letters +\\S+Z +News \\(until \\S+Z\\)\\n`));
    const [first, second, end] = jsonLines((await on(service.dataDir, ...words, '--json')).out);
    expect(first).toMatchObject({ list_id: list, list_name: 'Letters', deleted_at: null });
    expect(second).toMatchObject({ list_name: 'Empty', earlier_names: [] });
    expect(end).toMatchObject({ line: 'end', count: expect.any(Number) as unknown });
  });

  test('tells of e-mails in the history, with and without views', { timeout: 60_000 }, async () => {
    const mail = { from_email: 'shop@example.com', to_email: ada.toUpperCase(), subject: 'Hello {{name}}' };
    await service.post('/v1/email/send', { ...mail, mail_template: '<p>Hi</p>', variables: { name: 'Ada' } });
    // Waits until the views have the e-mail.
    await service.get(audit(`contacts/${ada}/history`));
    const folder = copied();
    const whole = await on(folder, 'audit', 'history', ada);
    expect(whole.out).toMatch(/An e-mail was requested\. Subject: "Hello Ada"\. +test/);
    expect(whole.out).toMatch(/\n\nE-mails are complete up to position \d{20}\.\nAnswered at/);
    for (const file of ['views.db', 'views.db-wal', 'views.db-shm']) rmSync(path.join(folder, file), { force: true });
    const { out } = await on(folder, 'audit', 'history', ada, '--json');
    const emails = jsonLines(out).flatMap(({ type, email }) => (email === undefined ? [] : [[type, email]]));
    expect(emails[0]).toMatchObject(['EmailRequested', { subject: 'Hello Ada' }]);
  });

  test('tells in words how it was, and why', { timeout: 60_000 }, async () => {
    const { out } = await on(service.dataDir, 'audit', 'at', ada, '--time', later);
    expect(out).toContain(`${ada} (${contactId}) at 2999-01-01T23:59:59.999Z\n`);
    expect(out).toContain(`Unsubscribed in the list "Letters" (${list})\n`);
    expect(out).toMatch(/\n {2}consent {6}source form\n {15}\| Yes,\n {15}\| send me the news\.\n {4}recorded {3}/);
    expect(out).toContain('\nThe time is in the future: this is how it is now, ');
    expect(out).toMatch(/because {4}\S+Z {2}Unsubscribed from the list "Letters"\. Actor test, request \S+\.\n/);
    const before = await on(service.dataDir, 'audit', 'at', ada, '--time', '2000-01-01');
    expect(before.out).toMatch(
      /^At 2000-01-01T23:59:59\.999Z, this contact did not exist\.\n {4}then +\S+ {2}The contact was created\./,
    );
  });

  test('writes a list into a file, whole and with its checksum', { timeout: 60_000 }, async () => {
    const folder = newFolder();
    const file = path.join(folder, 'news.csv');
    const words = ['audit', 'list', list, '--time', later, '--format', 'csv', '--out', file];
    const { code, out, err } = await on(service.dataDir, ...words);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toMatch(/SHA-256 [0-9a-f]{64}\n/);
    expect(readFileSync(file, 'utf8')).toContain(ada);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await on(service.dataDir, ...words);
    expect(again.code).toBe(1);
    expect((await on(service.dataDir, ...words, '--force', '--json')).out).toMatch(
      /^\{"file":.*"sha256":"[0-9a-f]{64}","recorded":false\}\n$/,
    );
  });

  test('follows the log until it is interrupted', { timeout: 60_000 }, async () => {
    const words = ['--data-dir', service.dataDir, 'audit', 'events', '--types', 'GroupCreated', '--follow', '--json'];
    const following = startAudience(words);
    const names = ['Friends of the log', 'Others'];
    for (const [index, name] of names.entries()) {
      await service.make('/v1/groups/create', { group_name: name }, 'group_id');
      await eventually(async () => (following.out().split('\n').length > index + 1 ? true : undefined), {
        within: 30_000,
      });
    }
    following.child.kill('SIGINT');
    const { code, out, err } = await following.ended;
    expect({ code, err }).toEqual({ code: 130, err: notRecorded });
    expect(jsonLines(out).map((event) => event['data'])).toMatchObject(names.map((group_name) => ({ group_name })));
  });

  test('ends quietly when the reader is gone', { timeout: 60_000 }, async () => {
    const { child, ended } = startAudience(['--data-dir', service.dataDir, 'audit', 'events', '--follow']);
    child.stdout?.once('data', () => child.stdout?.destroy());
    await eventually(async () => (child.stdout?.destroyed === true ? true : undefined), { within: 30_000 });
    // It notices with the next event.
    await service.make('/v1/groups/create', { group_name: 'Nobody reads of this one' }, 'group_id');
    const { code, err } = await ended;
    expect({ code, err }).toEqual({ code: 0, err: notRecorded });
  });
});

describe('what is wrong', () => {
  const failed = async (code: number, ...words: readonly string[]): Promise<string> => {
    const [plain, json] = await Promise.all([on(service.dataDir, ...words), on(service.dataDir, ...words, '--json')]);
    expect({ words, code: plain.code, out: plain.out }).toEqual({ words, code, out: '' });
    expect(json.code).toBe(code);
    const { error } = JSON.parse(json.out) as { error: { type: string; message: string } };
    const timeless = (text: string): string => text.replace(/ at \S+Z from /, ' from ');
    expect(timeless(plain.err).startsWith(timeless(error.message))).toBe(true);
    expect(plain.err).not.toContain('@');
    return `${error.type}: ${error.message}`;
  };

  test('is exit code 2 where the command line is wrong', { timeout: 60_000 }, async () => {
    expect(await failed(2, 'audit', 'history', 'a@b@c')).toBe(
      'usage: <contact> must be a contact id (con_…) or a valid email address',
    );
    expect(await failed(2, 'audit', 'history', 'ada\u200b@example.com')).toBe(
      'usage: <contact> must be a contact id (con_…) or a valid email address: it contains an invisible character',
    );
    expect(await failed(2, 'audit', 'at', ada, '--time', later, '--at', later)).toBe(
      'usage: --time and --at are one option: give it once',
    );
    expect(await failed(2, 'audit', 'events', '--after', '99999')).toContain('--after must be');
  });

  test('is exit code 1 where nothing is known', { timeout: 120_000 }, async () => {
    const nobody = 'unknown_contact: There is no such contact';
    const answers = await Promise.all([
      failed(1, 'audit', 'history', 'nobody@example.com'),
      failed(1, 'audit', 'at', 'con_of_nobody', '--time', later),
      failed(1, 'audit', 'list', 'lst_none', '--time', later),
      failed(1, 'audit', 'history', ada, '--list', 'leters'),
      failed(1, 'audit', 'at', ada, '--time', later, '--list', 'Empty'),
    ]);
    const never = 'never_in_list: The contact was never in this list';
    const nowhere = 'unknown_list: There is no such list';
    const basis = 'Answered at \\S+ from the log \\S+, up to event \\d+\\.';
    const named = expect.stringMatching(
      `^${never}. "Empty" stands for the list lst_\\S+, which has this name now\\. The time is in the future: .* ${basis}$`,
    );
    expect(answers).toEqual([nobody, nobody, nowhere, `${nowhere}. Did you mean "Letters"?`, named]);
  });

  test('is said in words where there is no log, or not its secret', { timeout: 60_000 }, async () => {
    const empty = newFolder();
    const none = await on(empty, 'audit', 'events');
    expect(none).toMatchObject({ code: 1, out: '' });
    const message = `There is no event log in ${empty}: name the data folder with --data-dir or DATA_DIR.\n`;
    expect(none.err).toBe(message);
    // A folder that was mistyped is not begun as a new log.
    expect(await on(empty, 'projections', 'status')).toEqual({ code: 1, out: '', err: message });
    expect((await audience(['--data-dir', 'no-folder', 'export', 'lists', '--out', '-'])).err).toBe(
      message.replace(empty, path.resolve('no-folder')),
    );
    expect(readdirSync(empty)).toEqual([]);
    const folder = copied();
    writeFileSync(path.join(folder, 'secret'), 'another secret, and long enough to be one\n');
    const wrong = await on(folder, 'audit', 'history', ada);
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('is not the one that this log was begun with');
    rmSync(path.join(folder, 'secret'));
    expect((await on(folder, 'audit', 'history', ada)).err).toContain('the secret of this log is needed');
    const byId = await on(folder, 'audit', 'history', contactId);
    expect(byId.code).toBe(0);
  });

  test('a folder that is named is meant, whatever the environment says', { timeout: 60_000 }, async () => {
    const env = { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', DATA_DIR: '/nowhere', PORT: 'not a port' };
    const named = await audience(['audit', 'events', '--limit', '1', '--data-dir', service.dataDir], { env });
    expect(named).toMatchObject({ code: 0, err: notRecorded });
    const unnamed = await audience(['export', 'events', '--out', '-'], { env });
    expect(unnamed).toMatchObject({ code: 1, out: '' });
    expect(unnamed.err).toContain('EventStoreDB (EVENTSTORE_URL) cannot be used');
  });

  test(
    'a command that reads views is refused if only one of the two servers is named',
    { timeout: 60_000 },
    async () => {
      const log = { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', DATA_DIR: '/nowhere' };
      const views = { MONGODB_URL: 'mongodb://127.0.0.1:1/audience', DATA_DIR: service.dataDir };
      for (const words of [
        ['audit', 'events'],
        ['audit', 'history', 'ada@example.com'],
        ['privacy', 'retention'],
      ]) {
        const withoutViews = await audience(words, { env: log });
        expect(withoutViews).toMatchObject({ code: 1, out: '' });
        expect(withoutViews.err).toMatch(/^MONGODB_URL is required with EVENTSTORE_URL: .*Set MONGODB_URL/);
        const withoutLog = await audience(words, { env: views });
        expect(withoutLog).toMatchObject({ code: 1, out: '' });
        expect(withoutLog.err).toMatch(/^EVENTSTORE_URL is required with MONGODB_URL: .*Set EVENTSTORE_URL/);
        expect((await audience([...words, '--data-dir', service.dataDir], { env: log })).err).not.toContain(
          'is required',
        );
      }
      // Reads the log alone.
      expect(await audience(['audit', 'verify'], { env: views })).toMatchObject({ code: 0 });
    },
  );

  test('no command on embedded files loads the drivers of servers', { timeout: 60_000 }, async () => {
    const tell = `import m from 'node:module'; process.on('exit', () => console.error(Object.keys(m._cache).join()))`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}` };
    const words = ['audit', 'events', '--limit', '1', '--data-dir', service.dataDir];
    const { code, err } = await audienceProcess(words, { env });
    expect(code).toBe(0);
    expect(err).not.toMatch(/db-client|grpc|mongodb/);
    // What is loaded is told: a command on servers loads them.
    const servers = { ...env, EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' };
    expect((await audienceProcess(['audit', 'verify'], { env: servers })).err).toMatch(/db-client/);
  });

  test('help and version are answers, a missing command is none', { timeout: 60_000 }, async () => {
    const version = await audienceProcess(['--version']);
    expect(version).toMatchObject({ code: 0, err: '' });
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = await audience(['audit', '--help']);
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help.out).toContain('Examples:\n  $ audience audit history ada@example.com\n');
    const nothing = await audience([]);
    expect(nothing).toMatchObject({ code: 2, out: '' });
    expect(nothing.err).toContain('Usage: audience');
  });
});
