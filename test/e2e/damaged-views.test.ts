/** A service whose `views.db` is damaged refuses wrong answers and repairs itself while it runs. */
import { openSync, closeSync, readFileSync, writeSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { newList, ok, someAddress } from '../support/answers.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

interface Ready {
  readonly projections: { readonly damaged: readonly string[]; readonly caught_up: boolean };
}

const readyOf = async (service: Service) => {
  const answer = await service.get('/health/ready');
  return { status: answer.status, ...(answer.body as { readonly data: Ready }).data.projections };
};

async function withContacts() {
  const service = await startService();
  onTestFinished(() => service.close());
  const list = await newList(service);
  const contacts: string[] = [];
  for (let at = 0; at < 5; at += 1)
    contacts.push(
      await service.make(`/v1/contacts/${list}/create`, { email: someAddress(), status: 'Subscribed' }, 'contact_id'),
    );
  const pages = [...contacts.map((id) => `/v1/contacts/${list}/${id}`), `/v1/contacts/${list}`];
  const answers = async (): Promise<readonly Answer[]> => Promise.all(pages.map((page) => service.get(page)));
  const texts = async (): Promise<readonly string[]> => (await answers()).map(({ text }) => text);
  const before = await texts();
  await eventually(async () => (service.output().includes('the views were checked') ? true : undefined));
  const rebuilt = async (): Promise<void> => {
    await eventually(async () => ((await readyOf(service)).status === 200 ? true : undefined), { what: 'readiness' });
    expect(await texts()).toEqual(before);
    await ok(service.post(`/v1/contacts/${list}/create`, { email: someAddress(), status: 'Subscribed' }));
  };
  return { service, list, contacts, answers, rebuilt, file: path.join(service.dataDir, 'views.db') };
}

/** The log of the service arrives through a pipe, so it may be later than an answer. */
const said = (service: { output(): string }, words: string): Promise<true> =>
  eventually(() => Promise.resolve(service.output().includes(words) || undefined), { what: words });

test.skipIf(onServers)(
  'a damaged document is refused, named in readiness, and rebuilt once without a restart',
  async () => {
    const { service, list, contacts, rebuilt, file } = await withContacts();
    const views = new DatabaseSync(file);
    views.exec(`UPDATE contacts_v3 SET document = replace(document, '@', '#') WHERE id = '${contacts[0] ?? ''}'`);
    views.close();
    const refused = await service.get(`/v1/contacts/${list}/${contacts[0] ?? ''}`);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(refused.text).toContain('A view is damaged and is being rebuilt, please retry: contacts');
    await rebuilt();
    await said(service, 'a view is damaged');
    expect(service.output().match(/a view is damaged/g)).toHaveLength(1);
    expect(service.output().match(/rebuild begins/g)).toHaveLength(1);
    expect(await readyOf(service)).toMatchObject({ damaged: [], caught_up: true });
  },
);

test.skipIf(onServers)(
  'a corrupt file of views is replaced while the service runs, and answers are never wrong',
  async () => {
    const { service, answers, rebuilt, file } = await withContacts();
    const views = new DatabaseSync(file);
    views.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    views.close();
    // Everything behind the first page.
    const { size } = statSync(file);
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(size - 4_096, 0x55), 0, size - 4_096, 4_096);
    closeSync(descriptor);
    await service.make('/v1/tags/create', { tag_name: 'one' }, 'tag_id');
    const isBuiltAgain = async (): Promise<true | undefined> => {
      for (const { status } of await answers()) expect([200, 503]).toContain(status);
      return service.output().includes('a damaged view was rebuilt') || undefined;
    };
    await eventually(isBuiltAgain, { what: 'a new file' });
    await rebuilt();
    expect(service.output().match(/views.db is damaged/g)).toHaveLength(1);
  },
);

/** Moves the entry that leads from a recipient to an email, and leaves the row of the email as it was. */
function hideEmail(file: string, emailId: string): void {
  const index = 'emails_v8_by_recipient_key_and_requested_position';
  // Each on a connection of its own, because a connection keeps the schema that it has read.
  const run = (use: (views: DatabaseSync) => void): void => {
    const views = new DatabaseSync(file, { timeout: 5_000, defensive: false });
    use(views);
    views.close();
  };
  const setKey = (key: string) => (views: DatabaseSync) =>
    void views.prepare('UPDATE emails_v8 SET i_recipient_key = ? WHERE id = ?').run(key, emailId);
  let key = '';
  let schema: readonly SQLOutputValue[] = [];
  run((views) => {
    key = String(views.prepare('SELECT i_recipient_key AS key FROM emails_v8 WHERE id = ?').get(emailId)?.['key']);
    schema = Object.values(views.prepare('SELECT * FROM sqlite_schema WHERE name = ?').get(index) ?? {});
  });
  run(setKey('zz'));
  run((views) => {
    views.exec(`PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '${index}'`);
  });
  run(setKey(key));
  run((views) => {
    views.exec('PRAGMA writable_schema = ON');
    views.prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)').run(...schema);
    const version = Number(views.prepare('PRAGMA schema_version').get()?.['schema_version']);
    views.exec(`PRAGMA schema_version = ${version + 1}`);
  });
}

test.skipIf(onServers)('an erasure is not completed without an email that a damaged index hides', async () => {
  const { service, file } = await withContacts();
  const to_email = someAddress();
  for (const subject of ['one', 'two', 'three']) {
    const mail = { from_email: 'us@example.com', to_email, subject, mail_template: `text ${subject}` };
    await ok(service.post('/v1/email/send', mail));
  }
  const [first = ''] = await eventually(async () => {
    const { text } = await service.get('/v1/email?state=sent');
    const ids = text.match(/eml_\w+/g) ?? [];
    return ids.length === 3 ? ids.sort() : undefined;
  });
  hideEmail(file, first);
  const asked = await service.post('/v1/privacy/erasures', { email: to_email });
  const erasure = String(asked.field('erasure_id'));
  const log = ['events.db', 'events.db-wal'].map((name) => path.join(service.dataDir, name));
  const isErased = async (): Promise<true | undefined> => {
    const status = (await service.get(`/v1/privacy/erasures/${erasure}`)).field('status');
    const isTold = log.some((name) => readFileSync(name).includes('text one'));
    expect([status, isTold]).not.toEqual(['completed', true]);
    return isTold ? undefined : true;
  };
  await eventually(isErased, { what: 'the erasure of the hidden email' });
  await said(service, 'an index of emails_v8 lacks an entry');
});
