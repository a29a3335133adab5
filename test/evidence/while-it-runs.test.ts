/** What somebody does to the log while the service runs gets into no answer that is called evidence, and ends the service. */
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AlteredLogError } from '../../src/app/evidence-guard.js';
import { sealsName } from '../../src/evidence/seal-folder.js';
import { Database } from '../../src/sqlite/database.js';
import { logOf } from '../support/attacks.js';
import { audience } from '../support/audience.js';
import { newFolder } from '../support/evidence-log.js';
import { addContacts, getFrom, startLocally } from '../support/local-service.js';

/** With contacts, and closed at the end. */
async function running(contacts: number) {
  const folder = newFolder();
  const service = await startLocally(folder, { SEAL_EVERY: '0' });
  onTestFinished(() => service.close());
  const emails = await addContacts(folder, contacts);
  const found: AlteredLogError[] = [];
  void service.altered?.then((error) => found.push(error));
  return { folder, service, found, emails, get: (target: string) => getFrom(folder, target) };
}

const auditOf = (email: string, what: string): string => `/v1/audit/contacts/${encodeURIComponent(email)}/${what}`;

/** Made by the command line, as the service keeps its own. */
async function sealIn(folder: string): Promise<void> {
  const out = path.join(folder, 'seal.json');
  expect(await audience(['audit', 'seal', '--out', out, '--data-dir', folder])).toMatchObject({ code: 0 });
  const seal = readFileSync(out, 'utf8');
  const { sealed_at } = JSON.parse(seal) as { sealed_at: string };
  mkdirSync(path.join(folder, sealsName), { recursive: true });
  writeFileSync(path.join(folder, sealsName, `${sealed_at.replaceAll(':', '-')}.json`), seal);
}

const change = (folder: string, sql: string): void => new Database(logOf(folder)).exec(sql).close();

test('a page names no seal where an event of the person was altered, in a block whose root is kept', async () => {
  const { folder, found, emails, get } = await running(130);
  await sealIn(folder);
  const [first = '', second = ''] = emails;
  const page = await get(auditOf(first, 'report'));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<dt>sealed</dt>');
  // The first two are the name of the log and the list; then each contact has two.
  change(folder, `update events set data = replace(data, '${first}', 'eve@example.com') where position = 3`);
  expect((await get(auditOf(first, 'report'))).status).toBe(503);
  expect((await get(auditOf(second, 'report'))).status).toBe(503);
  expect(String(found[0])).toContain('event 3 does not fit its link');
});
