/** `audience suppressions`: list, add, release, and CSV files of people who must not be written to, into a running service. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newList, ok, someAddress } from '../support/answers.js';
import { audience, jsonLines, type Ended } from '../support/audience.js';
import { freshFolder, type Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let list: string;
let listName: string;
beforeAll(async () => {
  service = await sharedService();
  list = await newList(service);
  listName = (await ok(service.get(`/v1/lists/${list}`))).field('list_name');
});

const run = (...words: readonly string[]): Promise<Ended> =>
  audience(['suppressions', ...words], { env: { AUDIENCE_URL: service.url(), AUDIENCE_KEY: service.key } });
const active = async (email: string): Promise<unknown> =>
  ((await ok(service.post('/v1/suppressions/search', { email }))).body as { data: { active: unknown } }).data.active;

test('an address is added, listed and released, a list by its name', async () => {
  const email = someAddress();
  const added = await run('add', email, '--reason', 'manual', '--scope', listName, '--note', 'by phone');
  expect(added).toMatchObject({ code: 0 });
  expect(added.out).toContain(`Outcome: created. Mail to the address is refused in:\n  ${list}  manual  since `);
  expect((await run('add', email, '--reason', 'manual', '--scope', list)).out).toContain('unchanged');
  await run('add', email, '--reason', 'complaint');
  const listed = await run('list', '--scope', listName);
  expect(listed.out).toMatch(new RegExp(`${email} +${list} +manual`));
  const [item] = jsonLines((await run('list', '--scope', list, '--reason', 'manual', '--json')).out);
  expect(item).toMatchObject({ email, active: [{ scope: list, reason: 'manual' }, { scope: 'all' }] });
  const released = await run('release', email, '--scope', listName, '--reason', 'asked', '--json');
  expect(JSON.parse(released.out)).toMatchObject({ outcome: 'released', active: [{ scope: 'all' }] });
  expect(await active(email)).toMatchObject([{ scope: 'all', reason: 'complaint' }]);
});

test('an erasure leaves what is refused, and forgets it where it is told to', async () => {
  const email = someAddress();
  await run('add', email, '--reason', 'unsubscribe');
  const env = { AUDIENCE_URL: service.url(), AUDIENCE_KEY: service.key };
  expect(await audience(['privacy', 'erase', email], { env })).toMatchObject({ code: 0 });
  expect(await active(email)).toMatchObject([{ scope: 'all', reason: 'unsubscribe' }]);
  expect(await audience(['privacy', 'erase', email, '--forget-suppression'], { env })).toMatchObject({ code: 0 });
  expect(await active(email)).toEqual([]);
});

test('says what is wrong', async () => {
  const wrong = await run('add', 'ada', '--reason', 'manual');
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect((await run('add', someAddress(), '--reason', 'bored')).code).toBe(2);
  const none = await run('add', someAddress(), '--reason', 'manual', '--scope', 'No such list');
  expect(none).toMatchObject({ code: 1 });
  expect(none.err).toContain('There is no list No such list.');
  const reserved = await run('release', someAddress(), '--scope', 'all', '--reason', 'person');
  expect(reserved).toMatchObject({ code: 1 });
  expect(reserved.err).toContain('reason must not be person or forgotten');
});

test('imports a file, once; lists what was rejected; reads no other column', async () => {
  const folder = freshFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'unsubscribed.csv');
  const emails = Array.from({ length: 250 }, () => someAddress());
  const rows = [...emails.map((email) => `Ada;${email}`), `Twice;${emails[0]?.toUpperCase() ?? ''}`];
  writeFileSync(file, ['name;E-Mail', ...rows, 'Bob;bob', 'Nobody;', 'Too few'].join('\n'));
  const words = ['--column', 'email', '--reason', 'unsubscribe', '--scope', listName, '--delimiter', ';', '--json'];
  const first = await run('import', file, ...words);
  expect(JSON.parse(first.out)).toMatchObject({ rows: 254, created: 250, unchanged: 1, rejected: 3, scope: list });
  expect(first.code).toBe(1);
  const rejected = readFileSync(`${file}.rejected.csv`, 'utf8');
  expect(rejected.split(/\r?\n/).filter((line) => line !== '')).toEqual([
    'line,reason',
    '253,email must be a valid email address',
    '254,email is required',
    expect.stringContaining('has 1 cells, and the first line has 2'),
  ]);
  expect(await active(emails[249] ?? '')).toMatchObject([{ scope: list, reason: 'unsubscribe' }]);
  const again = await run('import', file, ...words);
  expect(JSON.parse(again.out)).toMatchObject({ rows: 254, created: 0, unchanged: 251, rejected: 3 });
  const column = await run('import', file, '--column', 'mail', '--reason', 'manual', '--delimiter', ';');
  expect(column.err).toContain('the first line of the file, has no such column');
});
