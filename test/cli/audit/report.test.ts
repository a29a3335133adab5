/** `audience audit report` as an auditor uses it. */
import { randomUUID } from 'node:crypto';
import { Database } from '../../../src/sqlite/database.js';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteEventStore } from '../../../src/eventstore/sqlite/event-store.js';
import { sealsName } from '../../../src/evidence/seal-folder.js';
import { audience, type Ended } from '../../support/audience.js';
import { personOf, secret, writePast } from '../../support/proofs.js';

let folder: string;
let seal: string;
const out = (): string => path.join(folder, 'page.html');
const on = (...words: readonly string[]): Promise<Ended> =>
  audience(['--data-dir', folder, 'audit', ...words], { env: { SECRET: secret } });

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'cli-report-'));
  await writePast(folder, { people: 3, rounds: 5 });
  seal = path.join(folder, 'seal.json');
  expect((await on('seal', '--out', seal)).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('writes the page, with the seal that was given', async () => {
  const { email } = personOf(2);
  const made = await on('report', email, '--seal', seal, '--out', out());
  expect(made).toMatchObject({ code: 0, out: '' });
  expect(made.err).toMatch(/^Written to .*page\.html\. At .* was /);
  expect(statSync(out()).mode & 0o777).toBe(0o600);
  const page = readFileSync(out(), 'utf8');
  const { count, sealed_at } = JSON.parse(readFileSync(seal, 'utf8')) as { count: number; sealed_at: string };
  expect(page).toContain(`${sealed_at}, up to event ${count}`);
  expect((await on('report', email, '--out', out())).code).toBe(1);
});

test('the same facts as JSON; without a seal it says so', async () => {
  const { email, contactId } = personOf(1);
  const json = await on('report', contactId, '--json', '--out', '-');
  expect(JSON.parse(json.out)).toMatchObject({ question: { contact: contactId, asked_by: 'cli' }, seal: null });
  expect((await on('report', email, '--out', '-')).out).toContain('No seal was given');
});

test('a log that is not the sealed one gets no page, and is no secret where the seal is in the data folder', async () => {
  const other = path.join(folder, 'other');
  mkdirSync(path.join(other, sealsName), { recursive: true });
  await writePast(other, { people: 2, rounds: 4 });
  const there = (...words: readonly string[]) =>
    audience(['--data-dir', other, 'audit', ...words], { env: { SECRET: secret } });
  const { sealed_at, ...sealed } = JSON.parse((await there('seal', '--out', '-')).out) as { sealed_at: string };
  const own = path.join(other, sealsName, `${sealed_at.replaceAll(':', '-')}.json`);
  writeFileSync(own, JSON.stringify({ sealed_at, ...sealed }));
  const reported = async () =>
    JSON.parse((await there('report', personOf(1).email, '--json', '--out', '-')).out) as object;
  expect(await reported()).toMatchObject({ seal: { sealed_at }, failing_seal: null });
  const db = new Database(path.join(other, 'events.db'));
  db.exec(`update events set type = 'ContactUnsubscribed' where position = 5`);
  db.close();
  const reason = 'event 5 does not fit its link: it was altered';
  expect(await reported()).toMatchObject({ seal: null, failing_seal: { sealed_at, reason } });
  const page = path.join(folder, 'never.html');
  const refused = await audience(
    ['--data-dir', other, 'audit', 'report', personOf(1).email, '--seal', seal, '--out', page],
    { env: { SECRET: secret } },
  );
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/No page was made: the log (?:is not the one that was sealed|has fewer events)/);
  expect(() => statSync(page)).toThrow();
  const altered = path.join(folder, 'altered.json');
  writeFileSync(altered, readFileSync(seal, 'utf8').replace(/"count": (\d)/, '"count": 9$1'));
  expect((await on('report', personOf(1).email, '--seal', altered, '--out', page)).code).toBe(1);
});

test('a page that names a seal shows nothing but what was sealed, though links and roots are left as they were', async () => {
  const altered = path.join(folder, 'altered');
  mkdirSync(path.join(altered, sealsName), { recursive: true });
  await writePast(altered, { people: 3, rounds: 270 });
  const there = (...words: readonly string[]) =>
    audience(['--data-dir', altered, 'audit', ...words], { env: { SECRET: secret } });
  const kept = path.join(altered, 'kept.json');
  expect((await there('seal', '--out', kept)).code).toBe(0);
  const { sealed_at } = JSON.parse(readFileSync(kept, 'utf8')) as { sealed_at: string };
  const own = path.join(altered, sealsName, `${sealed_at.replaceAll(':', '-')}.json`);
  const { email } = personOf(1);
  const report = (...more: readonly string[]) => there('report', email, '--out', '-', ...more);
  expect((await report('--seal', kept)).code).toBe(0);
  const change = (sql: string): void => {
    const db = new Database(path.join(altered, 'events.db'));
    db.exec(sql);
    db.close();
  };
  // Of the person; of the list whose name the page shows; of the first block, which is complete.
  const [list, subscribed] = [2, 6];
  for (const [at, sql] of [
    [subscribed, `update events set type = 'ContactUnsubscribed' where position = ${subscribed}`],
    [list, `update events set data = replace(data, '“1”', '“7”') where position = ${list}`],
  ] as const) {
    const before = readFileSync(path.join(altered, 'events.db'));
    change(sql);
    for (const more of [['--seal', kept], ['--seal', kept, '--list', 'lst_01JQ8ZK3V5W7X9YABC00000001'], []]) {
      if (more.length === 0) writeFileSync(own, readFileSync(kept));
      const answer = await report(...more);
      expect([answer.code, answer.out], answer.err).toEqual([1, '']);
      expect(answer.err).toContain(`No page was made: event ${at} does not fit its link`);
    }
    rmSync(own);
    writeFileSync(path.join(altered, 'events.db'), before);
  }
  expect((await report('--seal', kept)).code).toBe(0);
});

test('no page that names a seal is made of a log to which somebody else has appended', async () => {
  const forged = path.join(folder, 'forged');
  mkdirSync(path.join(forged, sealsName), { recursive: true });
  const file = await writePast(forged, { people: 2, rounds: 4 });
  const there = (...words: readonly string[]) =>
    audience(['--data-dir', forged, 'audit', ...words], { env: { SECRET: secret } });
  const kept = path.join(forged, 'kept.json');
  expect((await there('seal', '--out', kept)).code).toBe(0);
  const { email, stream } = personOf(1);
  const db = new Database(file);
  const last = db
    .prepareRows<[string], [string, string, string, number]>(
      `select e.type, rtrim(data), metadata, e.revision from events e join streams s on s.id = e.stream_id
       where name = ? order by position desc limit 1`,
    )
    .get(stream);
  db.close();
  const [type = '', data = '', metadata = '', revision = 0] = last ?? [];
  // With a right link, and without the secret.
  const store = await openSqliteEventStore({ file, clock: () => 0 });
  await store.append(stream, [{ id: randomUUID(), type, data, metadata }], { expectedRevision: BigInt(revision) });
  await store.close();
  for (const more of [
    ['--seal', kept],
    ['--seal', kept, '--time', '2026-01-01'],
  ]) {
    const answer = await there('report', email, '--out', '-', ...more);
    expect([answer.code, answer.out], answer.err).toEqual([1, '']);
    expect(answer.err).toMatch(/No page was made: the events after number \d+ are not covered by its sealed head/);
  }
});
