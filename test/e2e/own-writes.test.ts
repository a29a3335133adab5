/** A read that follows an answered write sees it: at once, many in parallel, and after every kind of restart. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usually } from '../support/amount.js';
import { newList, ok, shown, someAddress, unique } from '../support/answers.js';
import { eventually, startService, type Answer, type LoggedEvent, type Service } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const parallel = <Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

const page = async (target: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await ok(service.get(target))).items();

describe('at once', () => {
  test.each([
    ['group', 404],
    ['list', 400],
    ['tag', 400],
  ])('a %s created, renamed, deleted', async (noun, gone) => {
    const [idField, nameField, plural] = [`${noun}_id`, `${noun}_name`, `/v1/${noun}s`];
    await parallel(usually(8, 60), async (index) => {
      const name = unique(`Own ${index}`);
      const id = await service.make(`${plural}/create`, { [nameField]: name }, idField);
      expect((await service.get(`${plural}/${id}`)).body).toEqual(shown({ [idField]: id, [nameField]: name }));
      expect(await page(`${plural}?limit=200`)).toContainEqual({ [idField]: id, [nameField]: name });
      const renamed = unique('Renamed');
      await ok(service.post(`${plural}/${id}/update`, { [nameField]: renamed }));
      expect((await service.get(`${plural}/${id}`)).body).toEqual(shown({ [idField]: id, [nameField]: renamed }));
      expect(await page(`${plural}?limit=200`)).toContainEqual({ [idField]: id, [nameField]: renamed });
      await ok(service.post(`${plural}/${id}/delete`));
      expect((await service.get(`${plural}/${id}`)).status).toBe(gone);
      expect((await page(`${plural}?limit=200`)).map((item) => item[idField])).not.toContain(id);
    });
  });

  test('everything that happens to a contact, by address, by id and on the page', async () => {
    const list = await newList(service);
    await parallel(usually(8, 60), async () => {
      const email = someAddress();
      const tag_name = unique('Tag');
      const save = (operation: string, more: object): Promise<Answer> =>
        ok(service.post(`/v1/contacts/${list}/${operation}`, { email, status: 'Subscribed', ...more }));
      const id = (await save('create', { firstName: 'Ada' })).field('contact_id');
      const sees = async (wanted: object, status: string, tags: readonly unknown[]): Promise<void> => {
        const subscriptions = [{ list_id: list, status, tags }];
        const byEmail = await service.get(`/v1/contacts?email=${email}`);
        expect(byEmail.body).toMatchObject({ statusCode: 200, data: { contact_id: id, ...wanted, subscriptions } });
        const byId = await service.get(`/v1/contacts/${list}/${id}`);
        expect(byId.body).toMatchObject({ statusCode: 200, data: { contact_id: id, ...wanted, subscriptions } });
        const item = (await page(`/v1/contacts/${list}?limit=200`)).find((one) => one['contact_id'] === id);
        expect(item).toMatchObject({ ...wanted, status, tags });
      };
      await sees({ firstName: 'Ada', city: null }, 'Subscribed', []);
      await save('upsertcontact', { firstName: 'Augusta', city: 'London' });
      await sees({ firstName: 'Augusta', city: 'London' }, 'Subscribed', []);
      await ok(service.post(`/v1/contacts/${list}/updatestatus`, { status: 'Unsubscribed', contact_email: email }));
      await sees({ city: 'London' }, 'Unsubscribed', []);
      const tagging = { tag_name: [tag_name], contact_email: email };
      const tag_id = (await ok(service.post(`/v1/contacts/tags/${list}/add`, tagging))).field('tag_id');
      await sees({ city: 'London' }, 'Unsubscribed', [{ tag_id, tag_name }]);
      expect(await page(`/v1/contacts/${list}?tag_name=${encodeURIComponent(tag_name)}`)).toHaveLength(1);
      await ok(service.post(`/v1/contacts/tags/${list}/remove`, tagging));
      await sees({ city: 'London' }, 'Unsubscribed', []);
    });
    expect(await page(`/v1/contacts/${list}?limit=200&status=Unsubscribed`)).toHaveLength(usually(8, 60));
  }, 60_000);

  test('what is done to a list or a tag shows on its contacts', async () => {
    await parallel(usually(6, 30), async () => {
      const list = await newList(service);
      const [email, tag_name] = [someAddress(), unique('Tag')];
      const body = { email, status: 'Subscribed', tag_name: [tag_name] };
      const id = await service.make(`/v1/contacts/${list}/upsertcontact`, body, 'contact_id');
      const [item] = await page(`/v1/contacts/${list}`);
      const tag_id = String(Reflect.get(Object(Reflect.get(Object(item?.['tags']), 0)), 'tag_id'));
      const [list_name, renamed] = [unique('Renamed'), unique('Renamed')];
      await ok(service.post(`/v1/tags/${tag_id}/update`, { tag_name: renamed }));
      await ok(service.post(`/v1/lists/${list}/update`, { list_name }));
      expect((await service.get(`/v1/contacts?email=${email}`)).body).toMatchObject({
        data: { contact_id: id, subscriptions: [{ list_id: list, list_name, tags: [{ tag_id, tag_name: renamed }] }] },
      });
      await ok(service.post(`/v1/tags/${tag_id}/delete`));
      expect(await page(`/v1/contacts/${list}`)).toMatchObject([{ contact_id: id, tags: [] }]);
      await ok(service.post(`/v1/lists/${list}/delete`));
      expect((await service.get(`/v1/contacts/${list}`)).status).toBe(404);
      expect((await service.get(`/v1/contacts?email=${email}`)).body).toMatchObject({ data: { subscriptions: [] } });
    });
  });

  test('an e-mail asked for is known', async () => {
    await parallel(usually(6, 30), async () => {
      const answer = await ok(
        service.post('/v1/email/send', {
          from_email: 'ledger@example.com',
          to_email: someAddress(),
          subject: 'Hello',
          mail_template: 'Hello',
        }),
      );
      expect((await service.get(String(answer.headers.location))).body).toMatchObject({ statusCode: 200 });
    });
  });
});

describe('after a restart', () => {
  /** Asks as soon as there is an address, long before anybody says that the service is ready. */
  async function firstRead(target: string): Promise<{ status: number; body: unknown }> {
    const file = path.join(service.dataDir, 'address');
    const address = await eventually(() =>
      Promise.resolve(existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined),
    );
    const answer = await fetch(address + target, { headers: { authorization: `Bearer ${service.key}` } });
    return { status: answer.status, body: await answer.json() };
  }

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'by %s all that was answered is there, from the first read on',
    async (signal) => {
      const list = await newList(service);
      const members = await parallel(usually(24, 150), async (index) => {
        const email = someAddress();
        const status = index % 2 === 0 ? 'Subscribed' : 'Unsubscribed';
        const body = { email, status, firstName: `Ada ${index}`, tag_name: [unique('Tag')] };
        return { email, status, id: await service.make(`/v1/contacts/${list}/upsertcontact`, body, 'contact_id') };
      });
      const list_name = unique('Renamed');
      await ok(service.post(`/v1/lists/${list}/update`, { list_name }));
      const exit = await service.kill(signal);
      expect(exit).toMatchObject(signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal });
      const starting = service.start();
      const first = await firstRead(`/v1/lists/${list}`);
      // Not yet able to tell is fine, telling what was before is not.
      if (first.status !== 503) expect(first).toEqual({ status: 200, body: shown({ list_id: list, list_name }) });
      await starting;
      expect((await service.get(`/v1/lists/${list}`)).body).toEqual(shown({ list_id: list, list_name }));
      const items = await page(`/v1/contacts/${list}?limit=200`);
      expect(items).toHaveLength(members.length);
      for (const { email, id, status } of members) {
        expect(items.find((item) => item['contact_id'] === id)).toMatchObject({ email, status, tags: [{}] });
        const contact = await service.get(`/v1/contacts?email=${email}`);
        expect(contact.body).toMatchObject({ data: { contact_id: id, subscriptions: [{ list_name, status }] } });
      }
    },
    30_000,
  );

  test('a kill under load loses nothing that was answered', async () => {
    const list = await newList(service);
    const answered: { email: string; id: string }[] = [];
    let killed = false;
    const writer = async (): Promise<void> => {
      while (!killed) {
        const email = someAddress();
        try {
          const answer = await service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' });
          if (answer.status === 200) answered.push({ email, id: answer.field('contact_id') });
        } catch {
          // A connection that broke promised nothing.
          return;
        }
      }
    };
    const writers = parallel(32, writer);
    await eventually(() => Promise.resolve(answered.length >= usually(100, 300) ? true : undefined));
    await service.kill('SIGKILL');
    killed = true;
    await writers;
    await service.start();
    for (let from = 0; from < answered.length; from += 50)
      await Promise.all(
        answered.slice(from, from + 50).map(async ({ email, id }) => {
          const contact = await service.get(`/v1/contacts?email=${email}`);
          expect(contact.body).toMatchObject({ data: { contact_id: id, email } });
        }),
      );
    expectSound(await service.events());
  }, 30_000);
});

/** No stream has a hole or goes back in time, and no event is there twice. */
function expectSound(events: readonly LoggedEvent[]): void {
  const streams = new Map<string, { revision: number; at: string }>();
  for (const { stream, revision, metadata } of events) {
    const before = streams.get(stream) ?? { revision: -1, at: '' };
    const at = String(metadata['at']);
    expect(revision).toBe(before.revision + 1);
    expect(at >= before.at, `${stream} ${revision} goes back in time`).toBe(true);
    streams.set(stream, { revision, at });
  }
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
}
