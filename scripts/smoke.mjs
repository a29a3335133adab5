// Asks a running service, `docker compose up` as it comes, for what it is there for: node scripts/smoke.mjs [--again]
// It makes a list, a contact and an e-mail, and reads them back. With --again it expects to find what the last run has
// made, as after a restart. BASE_URL, READ_URL (another instance that must show the same), API_KEY, MAILPIT_URL ('' = none).
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

const {
  BASE_URL = 'http://127.0.0.1:3000',
  READ_URL = BASE_URL,
  API_KEY = 'development-only-key-change-me',
  MAILPIT_URL = 'http://127.0.0.1:8025',
} = process.env;
const again = process.argv.includes('--again');
const listName = 'Smoke test';
const email = 'smoke@example.com';
const patienceMs = 30_000;

async function ask(url, { body, headers = {} } = {}) {
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** Made now, or, the second time, refused because it is there already. */
async function create(path, body) {
  const answer = await ask(`${BASE_URL}${path}`, { body });
  const outcome = answer.status === 200 ? 'made' : answer.body.type;
  assert.equal(outcome, again ? 'duplicate' : 'made', `POST ${path}: ${JSON.stringify(answer.body)}`);
}

async function eventually(what, probe) {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await delay(200)) {
    const value = await probe();
    if (value !== undefined) return value;
  }
  throw new Error(`${what}: not within ${patienceMs / 1000} s`);
}

await create('/v1/lists/create', { list_name: listName });
const lists = await ask(`${BASE_URL}/v1/lists`);
const list = lists.body.data.find(({ list_name }) => list_name === listName);
assert.ok(list, 'the list is not shown');
console.log(`list ${list.list_id}`);

await create(`/v1/contacts/${list.list_id}/create`, { email, status: 'Subscribed' });
const city = `City ${Date.now()}`;
const upsert = await ask(`${BASE_URL}/v1/contacts/${list.list_id}/upsertcontact`, {
  body: { email, status: 'Subscribed', city },
});
assert.equal(upsert.status, 200, JSON.stringify(upsert.body));
const contact = await ask(`${READ_URL}/v1/contacts?email=${email}`, {
  headers: { 'x-min-position': upsert.headers.get('x-position') },
});
assert.equal(contact.body.data?.city, city, `an instance does not show the write: ${JSON.stringify(contact.body)}`);
console.log(`contact ${contact.body.data.contact_id}, shown by ${READ_URL}`);

const subject = `Smoke ${Date.now()}`;
const sent = await ask(`${BASE_URL}/v1/email/send`, {
  body: { from_email: 'ledger@example.com', to_email: email, subject, mail_template: '<p>It works.</p>' },
});
assert.equal(sent.status, 200, JSON.stringify(sent.body));
const location = sent.headers.get('location');
await eventually('the e-mail is sent', async () =>
  (await ask(`${BASE_URL}${location}`)).body.data?.state === 'sent' ? true : undefined,
);
if (MAILPIT_URL !== '') {
  const { messages } = (await ask(`${MAILPIT_URL}/api/v1/messages`)).body;
  assert.equal(messages.filter((message) => message.Subject === subject).length, 1, 'Mailpit has not got the e-mail');
}
console.log(`e-mail ${location}`);
