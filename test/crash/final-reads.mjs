/** Reads back, over HTTP, what the service shows after a start: everything in the lists, samples of the rest. */
import { createClient } from './client.mjs';
import { contact, email } from './operations.mjs';
import { nouns } from './world.mjs';

const sampledContacts = 150;
const sampledEmails = 100;

/** From here on nothing older than the log's head may be shown. */
export async function readEverything({ url, key, journal, random, head }) {
  journal.acked = Math.max(journal.acked, head);
  const client = createClient({ url, key, journal, sockets: 8 });
  const get = (path) => client.send({ kind: 'get.part', method: 'GET', path });

  /** All pages as one entry of the journal. */
  async function all(operation, path) {
    const entry = { ...journal.begin(operation), path, status: 200, items: [] };
    let cursor = '';
    do {
      const { status, data, message, next } = await get(`${path}?limit=200${cursor}`);
      if (status !== 200) return journal.byId.set(entry.id, { ...entry, status, message });
      entry.items.push(...data);
      cursor = next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`;
    } while (cursor !== '');
    journal.byId.set(entry.id, { ...entry, data: entry.items, isWhole: true });
    return entry.items;
  }

  for (const noun of nouns) {
    const items = await all({ kind: 'get.all', noun }, `/v1/${noun}s`);
    if (noun !== 'list') continue;
    for (const { list_id: list } of items) await all({ kind: 'get.page', list }, `/v1/contacts/${list}`);
  }
  const { addresses, mails } = touched(journal);
  for (const address of sample(random, addresses, sampledContacts)) await client.send(contact.get(address));
  for (const id of sample(random, mails, sampledEmails)) await client.send(email.get(id));
  client.close();
}

/** In the last round. */
function touched({ byId, round }) {
  const addresses = new Set();
  const mails = new Set();
  for (const entry of byId.values()) {
    if (entry.round !== round) continue;
    if (entry.kind.startsWith('contact.')) addresses.add(entry.email);
    if (entry.kind === 'email.send' && entry.status === 200) mails.add(entry.location.split('/').at(-1));
  }
  return { addresses: [...addresses], mails: [...mails] };
}

function sample(random, items, most) {
  if (items.length <= most) return items;
  return Array.from({ length: most }, () => random.pick(items));
}
