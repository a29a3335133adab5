// Asks whatever service is up whether it does its work, in ten seconds, and takes back what it made:
//
//   npm run smoke -- URL KEY [--email ADDRESS]
//
// One list, one contact, read back by every way, then the list is deleted and the contact erased. An e-mail is sent only
// with --email, to that address: one that was cancelled at once might be on its way already. Without URL and KEY, those of
// AUDIENCE_URL and AUDIENCE_KEY are taken: a key on the command line is seen by all users of the machine.
// The key needs lists:write, contacts:write and their reads; with `privacy` the contact is erased, with email:write and
// email:read an e-mail can be sent. Exit codes: 0 all is well; 1 something is not; 2 the command line is wrong.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const budgetMs = 10_000;
/** For taking back what was made, also where the time was over. */
const cleanUpMs = 5_000;

const { positionals, values } = readCommandLine();
const [url = process.env.AUDIENCE_URL ?? '', key = process.env.AUDIENCE_KEY ?? ''] = positionals;
if (!/^https?:\/\//.test(url) || key === '' || positionals.length > 2) usage();
const origin = new URL(url).origin;

function readCommandLine() {
  try {
    return parseArgs({ allowPositionals: true, options: { email: { type: 'string' } } });
  } catch {
    return usage();
  }
}

function usage() {
  console.error('npm run smoke -- URL KEY [--email ADDRESS]    (or AUDIENCE_URL and AUDIENCE_KEY)');
  process.exit(2);
}

const begun = performance.now();
let signal = AbortSignal.timeout(budgetMs);

async function ask(method, path, body) {
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': randomUUID() };
  if (position !== undefined && method === 'GET') headers['x-min-position'] = position;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const answer = await fetch(origin + path, { method, headers, body: JSON.stringify(body), redirect: 'error', signal });
  const json = await answer.json().catch(() => ({}));
  return { status: answer.status, headers: answer.headers, data: json.data, message: json.message };
}

/** Of the last write: behind a load balancer another process may answer the read. */
let position;

async function demand(method, path, body) {
  const answer = await ask(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.message ?? ''}`);
  if (method === 'POST') position = answer.headers.get('x-position') ?? position;
  return answer;
}

function must(isTrue, what) {
  if (!isTrue) throw new Error(what);
}

const told = (text) => console.log(`${String(Math.round(performance.now() - begun)).padStart(6)} ms  ${text}`);

async function until(what, probe) {
  for (;;) {
    if (await probe()) return;
    await sleep(100, undefined, { signal }).catch(() => {
      throw new Error(`not in time: ${what}`);
    });
  }
}

const name = `smoke ${randomUUID().slice(0, 8)}`;
/** Of a domain that is reserved for examples: nobody has this address. */
const address = `${name.replace(' ', '-')}@example.com`;
/** What is to be taken back, the newest first. */
const undo = [];

async function tryAll() {
  const ready = await fetch(`${origin}/health/ready`, { redirect: 'error', signal });
  must(ready.status === 200, `GET /health/ready: ${ready.status}`);
  told('the service is ready');

  const { list_id: list } = (await demand('POST', '/v1/lists/create', { list_name: name })).data;
  undo.push(['the list is deleted', () => demand('POST', `/v1/lists/${list}/delete`)]);
  const found = await demand('GET', `/v1/lists/${list}`);
  must(found.data.list_name === name, 'the list has another name');
  told('a list is made, and shown');

  undo.push(['the contact is erased', eraseContact]);
  await demand('POST', `/v1/contacts/${list}/create`, { email: address, status: 'Subscribed' });
  const contact = (await demand('GET', `/v1/contacts?email=${encodeURIComponent(address)}`)).data;
  must(contact.email === address, 'the contact has another address');
  const members = (await demand('GET', `/v1/contacts/${list}`)).data;
  must(members.length === 1 && members[0].contact_id === contact.contact_id, 'the list has other contacts');
  told('a contact is made, and shown in the list');

  if (values.email === undefined) return told('no e-mail is sent: name an address with --email');
  const body = { from_email: values.email, to_email: values.email, subject: name, mail_template: '<p>It works.</p>' };
  const sent = await demand('POST', '/v1/email/send', body);
  const location = sent.headers.get('location');
  undo.push(['an e-mail that still waits is cancelled', () => ask('POST', `${location}/cancel`)]);
  await until('the e-mail is sent', async () => {
    const { state, last_error } = (await demand('GET', location)).data;
    must(!['failed', 'held', 'cancelled'].includes(state), `the e-mail is ${state}: ${last_error ?? 'no reason'}`);
    return state === 'sent';
  });
  told('an e-mail was sent, or written to the outbox where there is no mail server');
}

async function eraseContact() {
  const answer = await ask('POST', '/v1/privacy/erasures', { email: address, reason: 'smoke_test' });
  if (answer.status === 403) throw new Error(`the key lacks the scope privacy: the contact ${address} stays`);
  if (answer.status >= 300) throw new Error(`POST /v1/privacy/erasures: ${answer.status} ${answer.message ?? ''}`);
  await until(
    'the erasure',
    async () => (await demand('GET', answer.headers.get('location'))).data.status === 'completed',
  );
}

const inWords = (error) => (error.name === 'TimeoutError' ? 'no answer in time' : (error.cause?.code ?? error.message));

let failed = false;
const failure = (error) => {
  failed = true;
  told(`FAILED: ${inWords(error)}`);
};
await tryAll().catch(failure);
signal = AbortSignal.timeout(cleanUpMs);
for (const [what, act] of undo.reverse()) await act().then(() => told(what), failure);
told(failed ? 'something is wrong' : 'all is well');
process.exitCode = failed ? 1 : 0;
