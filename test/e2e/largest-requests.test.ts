/** The largest request that each endpoint accepts fits one append, embedded and (TEST_STORES=servers) on the real server: nothing accepted can never be stored. */
import { beforeAll, expect, test } from 'vitest';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let list: string;
beforeAll(async () => {
  service = await sharedService();
  list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
}, 60_000);

/** Four bytes a character. */
const wide = (count: number): string => '🦉'.repeat(count);
const hundred = (from: number): string[] =>
  Array.from({ length: 100 }, (_, at) => `${wide(252)}${String(from + at).padStart(3, '0')}`);
const names = hundred(0);
const address = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.io`;
const profile = {
  ...Object.fromEntries(['firstName', 'lastName', 'city', 'state', 'country'].map((name) => [name, wide(255)])),
  address: wide(500),
  phone: '1'.repeat(32),
  zipcode: wide(32),
};
const consent = { source: wide(255), statement: wide(2_000), legal_basis: wide(100), ip: '2001:db8::1' };

/** The store refuses an append of more than 1 MiB: what is answered with 200 fitted. */
const accepted = async (path: string, body: object): Promise<void> => {
  const answer = await service.post(path, body);
  expect({ path, status: answer.status, body: answer.status === 200 ? {} : answer.body }).toEqual({
    path,
    status: 200,
    body: {},
  });
};

test('names of groups, lists and tags, created and changed', async () => {
  for (const kind of ['group', 'list', 'tag']) {
    const id = await service.make(`/v1/${kind}s/create`, { [`${kind}_name`]: wide(255) }, `${kind}_id`);
    await accepted(`/v1/${kind}s/${id}/update`, { [`${kind}_name`]: '🦊'.repeat(255) });
  }
});

test('a contact with all that it can hold, with a hundred tags, created, changed, saved, tagged and untagged', async () => {
  const email = address;
  await accepted(`/v1/contacts/${list}/create`, { email, status: 'Subscribed', ...profile, consent, tag_name: names });
  await accepted(`/v1/contacts/${list}/updatestatus`, { contact_email: email, status: 'Unsubscribed', consent });
  const other = profile.address.replace('🦉', '🦊');
  const saved = { email, status: 'Subscribed', ...profile, address: other, consent, tag_name: names };
  await accepted(`/v1/contacts/${list}/upsertcontact`, saved);
  const tags = { contact_email: email, tag_name: hundred(100) };
  await accepted(`/v1/contacts/tags/${list}/add`, tags);
  await accepted(`/v1/contacts/tags/${list}/remove`, tags);
}, 30_000);

test('a contact that is new, saved with a hundred tags', async () => {
  const email = address.replace('a', 'z');
  const saved = { email, status: 'Subscribed', ...profile, consent, tag_name: hundred(200) };
  await accepted(`/v1/contacts/${list}/upsertcontact`, saved);
}, 30_000);

test('an e-mail', async () => {
  // 512 KiB as received and 700 KiB as encoded in the event, with its quotes: line breaks take two bytes there.
  const breaks = (700 - 512) * 1024 - 2;
  const mail_template = '\n'.repeat(breaks) + 'x'.repeat(512 * 1024 - breaks);
  // White space around an address counts as received.
  const from = `Name <${address}>`.padEnd(1_024);
  await accepted('/v1/email/send', {
    from_email: from,
    to_email: address.padEnd(1_024),
    subject: 'ü'.repeat(450),
    mail_template,
  });
}, 30_000);

test('an e-mail with variables', async () => {
  const rest = { from_email: address, to_email: address, subject: '{{name}}' };
  const mail_template = '{{name}}'.padEnd(512 * 1024 - 100, 'x');
  const encoded = Buffer.byteLength(JSON.stringify(mail_template) + JSON.stringify({ name: 'x', more: '' }));
  const variables = { name: 'x', more: 'x'.repeat(700 * 1024 - encoded) };
  await accepted('/v1/email/send', { ...rest, mail_template, variables });
  const answer = await service.post('/v1/email/send', {
    ...rest,
    mail_template,
    variables: { ...variables, name: 'xx' },
  });
  expect(answer.body).toMatchObject({ message: 'mail_template and variables together must be at most 716800 bytes' });
}, 30_000);
