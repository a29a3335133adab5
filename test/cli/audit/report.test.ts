/** `audience audit report` as an auditor uses it. */
import { randomUUID } from 'node:crypto';
import { Database } from '../../../src/sqlite/database.js';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteEventStore } from '../../../src/eventstore/sqlite/event-store.js';
import { sealsName } from '../../../src/integrity/seal-store.js';
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
  expect(page).toContain(`${sealed_at}, ${count} events, which include every event on this page`);
  expect((await on('report', email, '--out', out())).code).toBe(1);
});

test('the same facts as JSON, which say so if no seal covers them', async () => {
  const { email, contactId } = personOf(1);
  const json = await on('report', contactId, '--json', '--out', '-');
  expect(JSON.parse(json.out)).toMatchObject({ question: { contact: contactId, asked_by: 'cli' }, seal: null });
  expect((await on('report', email, '--out', '-')).out).toContain('No seal covers every event on this page yet');
});

/** A log with a seal in its data folder, and the commands on it. */
async function sealedLog(name: string, past: Parameters<typeof writePast>[1]) {
  const data = path.join(folder, name);
  mkdirSync(path.join(data, sealsName), { recursive: true });
  const file = await writePast(data, past);
  const there = (...words: readonly string[]) =>
    audience(['--data-dir', data, 'audit', ...words], { env: { SECRET: secret } });
  const kept = path.join(data, 'kept.json');
  expect((await there('seal', '--out', kept)).code).toBe(0);
  const own = path.join(data, sealsName, 'seal.json');
  writeFileSync(own, readFileSync(kept));
  const change = (sql: string): void => {
    const db = new Database(file);
    db.exec(sql);
    db.close();
  };
  const report = (...more: readonly string[]) => there('report', personOf(1).email, '--out', '-', ...more);
  return { file, there, kept, own, change, report };
}

test('a log that is not the sealed one gets no page, and the page names a kept seal that fails', async () => {
  const { own, change, there, report } = await sealedLog('other', { people: 2, rounds: 4 });
  const { sealed_at, root } = JSON.parse(readFileSync(own, 'utf8')) as { sealed_at: string; root: string };
  const reported = async () => JSON.parse((await report('--json')).out) as object;
  expect(await reported()).toMatchObject({ seal: { sealed_at, root }, failing_seal: null });
  change("update events set type = 'ContactUnsubscribed' where position = 5");
  const reason = expect.stringContaining('events are not those that were sealed') as unknown;
  expect(await reported()).toMatchObject({ seal: null, failing_seal: { sealed_at, reason } });
  const page = path.join(folder, 'never.html');
  const refused = await there('report', personOf(1).email, '--seal', seal, '--out', page);
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/No page was made: the log is not the one that was sealed: /);
  expect(() => statSync(page)).toThrow();
  const altered = path.join(folder, 'altered.json');
  writeFileSync(altered, readFileSync(seal, 'utf8').replace(/"count": (\d)/, '"count": 9$1'));
  expect((await on('report', personOf(1).email, '--seal', altered, '--out', page)).code).toBe(1);
});

test('refuses a page of an event in a complete block that is not the one in the tree', async () => {
  const { file, own, kept, change, report } = await sealedLog('altered', { people: 3, rounds: 270 });
  expect((await report('--seal', kept)).code).toBe(0);
  // An event of the person, and the event of the list whose name the page shows. Block roots stay as they were.
  for (const sql of [
    "update events set type = 'ContactUnsubscribed' where position = 6",
    "update events set data = replace(data, '“1”', '“7”') where position = 2",
  ]) {
    const before = readFileSync(file);
    change(sql);
    const ofOneList = ['--list', 'lst_01JQ8ZK3V5W7X9YABC00000001'];
    for (const more of [['--seal', kept], ['--seal', kept, ...ofOneList], []]) {
      const answer = await report(...more);
      expect([answer.code, answer.out], answer.err).toEqual([1, '']);
      expect(answer.err).toContain('No page was made: the events 1 to 256 of the log are not those that were sealed');
    }
    writeFileSync(file, before);
  }
  rmSync(own);
  expect((await report('--seal', kept)).code).toBe(0);
});

test('names no seal on a page with events that came after the seal', async () => {
  const { file, report, kept } = await sealedLog('later', { people: 2, rounds: 4 });
  const { stream } = personOf(1);
  const db = new Database(file, { access: 'read' });
  const [type = '', data = '', metadata = '', revision = 0] =
    db
      .prepareRows<[string], [string, string, string, number]>(
        'select type, data, metadata, revision from log where stream = ? order by position desc limit 1',
      )
      .get(stream) ?? [];
  db.close();
  const store = await openSqliteEventStore({ file, clock: () => 0 });
  await store.append(stream, [{ id: randomUUID(), type, data, metadata }], { expectedRevision: BigInt(revision) });
  await store.close();
  const answer = await report('--seal', kept);
  expect(answer).toMatchObject({
    code: 0,
    out: expect.stringContaining('No seal covers every event on this page yet'),
  });
});
