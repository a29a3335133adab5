/** Rebuilding while the service runs: nobody reads anything missing or old, kills do not matter, and what cannot be folded is shown to who asks. */
import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { withDigests } from '../../src/eventstore/leaf.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { readLive } from '../../src/projector/live-reader.js';
import { contacts } from '../../src/projections/contacts.js';
import { emails } from '../../src/projections/emails.js';
import { liveProjections } from '../../src/projections/views.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { usually } from '../support/amount.js';
import { newList, ok, refusal, someAddress } from '../support/answers.js';
import { exampleMetadata } from '../support/examples.js';
import { audience, jsonLines } from '../support/audience.js';
import { documentsOf, freshFold } from '../support/fresh-fold.js';
import { realTime } from '../support/real-time.js';
import { eventually, freshFolder, startService, type Answer, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

const clients = usually(8, 32);

interface Record {
  readonly rebuild_id: string;
  readonly state: string;
  readonly outcome: string | null;
  readonly results: readonly { name: string; differing: number; documents: number; storage_version: number }[];
  readonly poison: { data: string; position: string; view: string } | null;
}

const recordIn = (answer: Answer): Record => (answer.body as { data: Record }).data;

const begin = async (service: Service, views: string, body: object = {}): Promise<Record> =>
  recordIn(await ok(service.post(`/v1/projections/${views}/rebuild`, body)));

const over = (service: Service): Promise<Record> =>
  eventually(
    async () => {
      const record = recordIn(await ok(service.get('/v1/projections/rebuild')));
      return record.state === 'finished' || record.state === 'failed' ? record : undefined;
    },
    { within: 60_000, what: 'the end of the rebuild' },
  );

/** Id of a new contact who is subscribed to the list. */
async function newMember(service: Service, list: string): Promise<string> {
  const body = { email: someAddress(), status: 'Subscribed' };
  return String((await ok(service.post(`/v1/contacts/${list}/create`, body))).field('contact_id'));
}

/** The views as they stand in the data folder equal a fresh fold of its log. */
async function expectTrueViews({ dataDir }: Service): Promise<void> {
  const log = openSqliteEventReader({ file: path.join(dataDir, 'events.db') });
  const models = openSqliteReadModels({ file: path.join(dataDir, 'views.db'), readOnly: true });
  try {
    const head = await log.head();
    await eventually(async () => ((await models.checkpoint('views'))?.position ?? '') >= head || undefined, {
      what: 'the head in the views',
    });
    expect(await documentsOf(await readLive(models, liveProjections))).toEqual(await freshFold(log));
  } finally {
    await log.close();
    await models.close();
  }
}

describe('a rebuild', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { RATE_LIMIT: '0' } });
  });
  afterAll(() => service.close());

  test(
    `while ${clients} clients write and read: each sees all that it has written, every time`,
    { timeout: 120_000 },
    async () => {
      const list = await newList(service);
      let writing = true;
      let reads = 0;
      const client = async (): Promise<void> => {
        const email = someAddress();
        const created = await ok(service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }));
        const target = `/v1/contacts/${list}/${created.field('contact_id')}`;
        for (let round = 0; writing; round += 1) {
          const firstName = `Ada ${round}`;
          await ok(service.post(`/v1/contacts/${list}/upsertcontact`, { email, status: 'Subscribed', firstName }));
          expect((await ok(service.get(target))).field('firstName')).toBe(firstName);
          const byEmail = await ok(service.get(`/v1/contacts?email=${encodeURIComponent(email)}`));
          expect(byEmail.body).toMatchObject({ data: { firstName, subscriptions: [{ list_id: list }] } });
          reads += 2;
        }
      };
      const all = Promise.all(Array.from({ length: clients }, client));
      const storages: number[] = [];
      try {
        for (let rebuild = 0; rebuild < 2; rebuild += 1) {
          await begin(service, 'all');
          const { outcome, results } = await over(service);
          expect({ outcome, differing: results.map(({ differing }) => differing) }).toEqual({
            outcome: 'switched',
            differing: results.map(() => 0),
          });
          storages.push(results.find(({ name }) => name === 'contacts')?.storage_version ?? 0);
        }
      } finally {
        writing = false;
        await all;
      }
      expect(reads).toBeGreaterThan(clients);
      expect(storages).toEqual([3001, 3002]);
      const ready = await service.get('/health/ready');
      expect(ready.body).toMatchObject({ data: { projections: { missing: [], parked: [], rebuilding: false } } });
      if (!onServers) await expectTrueViews(service);
    },
  );

  test('is one at a time, of views that there are', async () => {
    const names = liveProjections.map(({ name }) => name).join(', ');
    expect(await service.post('/v1/projections/lists,nothing/rebuild', {})).toMatchObject({
      status: 404,
      body: { type: 'not_found', message: `There is no such view. There are: ${names}; or all` },
    });
    // This once rebuilt what was to be looked at only.
    expect((await service.post('/v1/projections/lists/rebuild', { dryrun: true })).body).toMatchObject(
      refusal('Unknown field dryrun. Did you mean dry_run?', {}),
    );
    expect((await service.post('/v1/projections/lists/rebuild', { dry_run: 'yes' })).status).toBe(400);
    const answers = await Promise.all(
      [1, 2].map(() => service.post('/v1/projections/lists,tags/rebuild', { dry_run: true })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await over(service)).toMatchObject({ outcome: 'checked', results: [{ name: 'lists' }, { name: 'tags' }] });
  });

  test('tells how far it is as server-sent events, and ends with the result', async () => {
    const { rebuild_id } = await begin(service, 'contacts', { dry_run: true });
    const { text, headers } = await ok(service.get('/v1/projections/rebuild?follow=true'));
    expect(headers['content-type']).toBe('text/event-stream');
    const last = text.trim().split('\n\n').at(-1) ?? '';
    expect(last).toMatch(/^event: result\n/);
    expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ rebuild_id, outcome: 'checked' });
  });

  test('goes on after the service was killed in the middle of it', { timeout: 120_000 }, async () => {
    const { rebuild_id } = await begin(service, 'all');
    // Killed at whatever moment: that is what is tested.
    await realTime(Math.random() * 300);
    await service.kill('SIGKILL');
    await service.start({ RATE_LIMIT: '0' });
    expect(await over(service)).toMatchObject({ rebuild_id, outcome: 'switched' });
    if (!onServers) await expectTrueViews(service);
  });

  test('the command line has the service rebuild, and fails without a service', { timeout: 120_000 }, async () => {
    const ran = (...words: readonly string[]) =>
      audience(['projections', ...words, '--url', service.url()], { env: { AUDIENCE_KEY: service.key } });
    expect((await ran('status')).out).toMatch(/^contacts +3 +300\d/m);
    const asked = await ran('rebuild', 'lists', 'tags', '--json');
    expect(asked.code).toBe(0);
    expect(JSON.parse(asked.out)).toMatchObject({
      outcome: 'switched',
      results: [
        { name: 'lists', differing: 0 },
        { name: 'tags', differing: 0 },
      ],
    });
    const url = service.url();
    await service.kill('SIGTERM');
    const unnamed = await audience(['projections', 'rebuild', 'all', '--data-dir', service.dataDir]);
    expect(unnamed).toMatchObject({ code: 1, out: '' });
    expect(unnamed.err).toContain('No service runs on this data folder');
    expect(unnamed.err).toContain('Start the service: only the service rebuilds views.');
    const named = await audience(['projections', 'rebuild', 'all', '--url', url]);
    expect(named).toMatchObject({ code: 1, err: expect.stringContaining(`No service answers at ${url}`) as unknown });
    await service.start({ RATE_LIMIT: '0' });
  });

  test('the next start builds all views after views.db was deleted', async ({ skip }) => {
    skip(onServers, 'only embedded views are a file');
    await service.kill('SIGTERM');
    for (const suffix of ['', '-wal', '-shm']) rmSync(path.join(service.dataDir, `views.db${suffix}`), { force: true });
    await service.start({ RATE_LIMIT: '0' });
    await eventually(async () => (await service.get('/health/ready')).status === 200 || undefined);
    await expectTrueViews(service);
  });

  test(
    'on a copy of the data folder leaves the service of the original alone',
    { timeout: 120_000 },
    async ({ skip }) => {
      skip(onServers, 'only a data folder can be copied');
      const copy = freshFolder();
      const env = { AUDIENCE_KEY: service.key };
      try {
        cpSync(service.dataDir, copy, { recursive: true });
        await begin(service, 'tags', { dry_run: true });
        const before = await over(service);
        const rebuilt = await audience(['--data-dir', copy, 'projections', 'rebuild', 'lists,tags', 'groups'], { env });
        expect(rebuilt).toMatchObject({ code: 1, out: '' });
        expect(rebuilt.err).toContain(`The service at ${service.url()} does not run on this data folder`);
        expect(recordIn(await ok(service.get('/v1/projections/rebuild')))).toEqual(before);
        const status = await audience(['--data-dir', copy, 'projections', 'status', '--json'], { env });
        expect(status.err).toContain('No service runs on this data folder: the views as they were left.');
        expect(jsonLines(status.out).map(({ name }) => name)).toEqual(liveProjections.map(({ name }) => name));
        const own = await audience(['--data-dir', service.dataDir, 'projections', 'status'], { env });
        expect(own).toMatchObject({ code: 0, err: `Through the service at ${service.url()}.\n` });
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }
    },
  );

  test(
    'a start with a view of another version fills that one, and serves the others meanwhile',
    { timeout: 120_000 },
    async ({ skip }) => {
      skip(onServers, 'the checkpoint is set back in the file of the embedded views');
      const list = await newList(service);
      const contact_id = await newMember(service, list);
      const target = `/v1/contacts/${list}/${contact_id}`;
      await ok(service.get(target));
      await service.kill('SIGTERM');
      const models = openSqliteReadModels({ file: path.join(service.dataDir, 'views.db') });
      const previous = await models.checkpoint('views');
      if (previous === null) throw new Error('there are no views');
      for (const view of [contacts, emails]) await models.prepare({ ...view, version: 1 });
      const next = { ...previous, storages: { ...previous.storages, contacts: 1, emails: 1 } };
      await models.commit({ writes: [], checkpoint: { name: 'views', previous, next } });
      await models.close();
      const { err } = await audience(['privacy', 'retention', '--days', '1', '--data-dir', service.dataDir]);
      expect(err).toBe('the view emails has not been built yet: the next start of the service builds it\n');
      const before = service.output().length;
      await service.start();
      expect((await service.get(`/v1/lists/${list}`)).status).toBe(200);
      await eventually(async () => ((await service.get(target)).status === 200 ? true : undefined));
      const views = ['contacts', 'emails'];
      expect(await over(service)).toMatchObject({ cause: 'start', outcome: 'switched', views });
      await eventually(async () => ((await service.get('/health/ready')).status === 200 ? true : undefined));
      // An update is no fault: the mailer waits for its view.
      expect(service.output().slice(before)).not.toContain('"level":50');
      await expectTrueViews(service);
    },
  );

  test(
    'an event that cannot be folded stops it: the body is for who asks, and in no log',
    { timeout: 120_000 },
    async ({ skip }) => {
      skip(onServers, 'the event is put into the embedded log');
      const list = await newList(service);
      const contact_id = await newMember(service, list);
      // A stop in order would make a final seal, after which a start refuses further events.
      await service.kill('SIGKILL');
      const store = await openSqliteEventStore({ file: path.join(service.dataDir, 'events.db'), clock: Date.now });
      const data = JSON.stringify({ contact_id, person: { firstName: 7, city: 'Secretville' } });
      const metadata = JSON.stringify(exampleMetadata);
      const event = { id: randomUUID(), type: 'ContactProfileChanged', data, metadata };
      const { position } = await store.append(`contact-${'0'.repeat(32)}`, [event], { expectedRevision: 'any' });
      await store.close();
      await service.start();
      await begin(service, 'contacts');
      expect(await over(service)).toMatchObject({
        state: 'failed',
        outcome: 'poison',
        poison: { view: 'contacts', position, data, event_id: event.id },
      });
      // To those who may not read contacts it is a digest.
      const key = await service.make('/v1/keys', { name: 'Operator', scopes: ['projections'] }, 'secret');
      for (const how of ['', '?follow=true']) {
        const seen = await service.get(`/v1/projections/rebuild${how}`, { authorization: `Bearer ${key}` });
        expect(seen.text).toContain(JSON.stringify(withDigests(data)));
        expect(seen.text).not.toContain('Secretville');
      }
      expect((await service.get(`/v1/contacts/${list}/${contact_id}`)).status).toBe(200);
      await eventually(() => Promise.resolve(service.output().includes('rebuild ended') || undefined));
      expect(service.output()).not.toContain('Secretville');
    },
  );
});
