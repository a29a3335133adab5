/** What a key, a request, a contact or a list did on a day, over HTTP and by the command, the same. */
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Progress } from '../../../client/client.js';
import { audience, notRecorded } from '../../support/audience.js';
import { newFolder } from '../../support/integrity-log.js';
import { addContacts, getFrom, localKey, startLocally, urlOf } from '../../support/local-service.js';

interface Told {
  readonly type: string;
  readonly request_id: string;
  readonly at: string;
  readonly data: { readonly list_id?: string };
}

test('by key, request, contact, stream, list and day', async () => {
  const folder = newFolder();
  const service = await startLocally(folder, { SEAL_EVERY: '0' });
  onTestFinished(() => service.close());
  const [email = ''] = await addContacts(folder, 2);
  await addContacts(folder, 1);
  const overHttp = async (query: string): Promise<readonly Told[]> =>
    ((await (await getFrom(folder, `/v1/audit/events?limit=200&${query}`)).json()) as { data: readonly Told[] }).data;
  const byCommand = async (...words: readonly string[]): Promise<readonly Told[]> => {
    const { out } = await audience(['--data-dir', folder, 'audit', 'events', '--json', ...words]);
    return out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Told]));
  };
  const all = await overHttp('');
  const bulk = all.find(({ type }) => type === 'ContactCreated');
  const list = all.find(({ type }) => type === 'ListCreated')?.data.list_id ?? '';
  const day = all[0]?.at.slice(0, 10) ?? '';
  const saved = ['ContactCreated', 'ContactSubscribed'];
  for (const [query, words, types] of [
    ['actor=nobody', ['--actor', 'nobody'], []],
    [`request_id=${bulk?.request_id}`, ['--request', bulk?.request_id ?? ''], [...saved, ...saved]],
    [`contact=${encodeURIComponent(email)}`, ['--contact', email], saved],
    ['stream=lists', ['--stream', 'lists'], ['ListCreated', 'ListCreated']],
    [`stream=lists&contact=${encodeURIComponent(email)}`, ['--stream', 'lists', '--contact', email], []],
    [`list_id=${list}&types=ListCreated`, ['--list', list, '--type', 'ListCreated'], ['ListCreated']],
    [`list_id=${list}`, ['--list', list], ['ListCreated', 'ContactSubscribed', 'ContactSubscribed']],
    [`actor=test&to=2020-01-01`, ['--actor', 'test', '--to', '2020-01-01'], []],
    [
      `actor=test&from=${day}&contact=${encodeURIComponent(email)}&list_id=${list}`,
      ['--actor', 'test', '--from', day, '--contact', email, '--list', list],
      ['ContactSubscribed'],
    ],
  ] as const) {
    const found = await overHttp(query);
    expect(
      found.map(({ type }) => type),
      query,
    ).toEqual(types);
    expect(await byCommand(...words), query).toEqual(found);
  }
  expect((await getFrom(folder, '/v1/audit/events?from=2026-02-01&to=2026-01-01')).status).toBe(400);
  const refused = await audience(['--data-dir', folder, 'audit', 'events', '--follow', '--actor', 'test']);
  expect(refused).toMatchObject({ code: 2 });
});

test('the client and the command find a match at the end of a long log, and do not report that nothing matches before', async () => {
  const folder = newFolder();
  const service = await startLocally(folder, { SEAL_EVERY: '0' }, { mostSearched: 20 });
  onTestFinished(() => service.close());
  await addContacts(folder, 60);
  const client = createClient({ baseUrl: urlOf(folder), apiKey: localKey });
  await client.createGroup({ body: { group_name: 'Last' } });

  const seen: Progress[] = [];
  const found: string[] = [];
  const onProgress = (progress: Progress): void => void seen.push(progress);
  for await (const { type } of client.events({ types: 'GroupCreated', onProgress })) found.push(type);
  expect(found).toEqual(['GroupCreated']);
  expect(seen.length).toBeGreaterThan(5);
  expect(seen[0]).toEqual({ found: 0, searched: 20, total: seen.at(-1)?.total });
  expect(seen.at(-1)).toMatchObject({ found: 1, searched: seen.at(-1)?.total });

  const stopping = new AbortController();
  const stopped = client.events({ actor: 'nobody', signal: stopping.signal, onProgress: () => stopping.abort() });
  await expect(stopped[Symbol.asyncIterator]().next()).rejects.toThrow(/abort/i);

  const events = (...words: readonly string[]) => audience(['--data-dir', folder, 'audit', 'events', ...words]);
  expect((await events('--types', 'GroupCreated')).out).toMatch(/GroupCreated/);
  const nothing = await events('--actor', 'nobody');
  expect(nothing).toMatchObject({ code: 0, out: '' });
  expect(nothing.err).toBe(
    `No event matches. Records of reads are left out. To include them, use --types RecordRead.\n${notRecorded}`,
  );
});

test('the client reads on over pages of recorded reads without a match', async () => {
  const folder = newFolder();
  const service = await startLocally(folder, { SEAL_EVERY: '0' }, { mostSearched: 3 });
  onTestFinished(() => service.close());
  const [email = ''] = await addContacts(folder, 1);
  const client = createClient({ baseUrl: urlOf(folder), apiKey: localKey });
  for (let round = 0; round < 8; round += 1) await client.listEvents({ query: { limit: 1 } });
  await client.getContactHistory({ path: { contact: email } });
  const found: unknown[] = [];
  for await (const { what } of client.all('listReads', { query: { contact: email } })) found.push(what);
  expect(found).toEqual(['history']);
});
