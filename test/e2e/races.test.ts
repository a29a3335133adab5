/** Many at once: of 64 parallel creates of one name or address exactly one wins, and the log proves it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { someAddress, unique } from '../support/answers.js';
import { usually } from '../support/amount.js';
import type { Answer, LoggedEvent, Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

const rounds = usually(4, 50);
const clients = 64;

let service: Service;
let list: string;
beforeAll(async () => {
  service = await sharedService();
  list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
});

const together = <Result>(call: (index: number) => Promise<Result>, count = clients): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)));

/** How often each outcome came. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const message = String(Reflect.get(Object(body), 'message'));
    counts[`${status} ${message}`] = (counts[`${status} ${message}`] ?? 0) + 1;
  }
  return counts;
}

/** A spelling of its own for each client; all are the same name, or the same address. */
const respell = (text: string, index: number): string =>
  [...text].map((letter, at) => ((index >> (at % 6)) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join('');

const caseless = (value: unknown): string => String(value).toLowerCase();

describe.each(['group', 'list', 'tag'])('%s names', (noun) => {
  const word = noun.charAt(0).toUpperCase() + noun.slice(1);
  const [idField, nameField, path] = [`${noun}_id`, `${noun}_name`, `/v1/${noun}s`];
  const taken = `400 ${word} name already exist!`;
  const create = (name: string): Promise<Answer> => service.post(`${path}/create`, { [nameField]: name });
  const rename = (id: string, name: string): Promise<Answer> =>
    service.post(`${path}/${id}/update`, { [nameField]: name });
  const ofKind = async (): Promise<LoggedEvent[]> =>
    (await service.events()).filter(({ type }) => type.startsWith(word));

  test(`${clients} parallel creates, ${rounds} rounds: one each`, async () => {
    const names = Array.from({ length: rounds }, () => unique('Race'));
    for (const name of names) {
      const answers = await together((index) => create(respell(name, index)));
      expect(tally(answers)).toEqual({ [`200 ${word} created successfully!`]: 1, [taken]: clients - 1 });
    }
    const created = (await ofKind()).map(({ data }) => caseless(data[nameField]));
    for (const name of names) expect(created.filter((one) => one === caseless(name))).toHaveLength(1);
  }, 60_000);

  test(`${clients} renames and creates racing for one name, ${rounds} rounds: one of them has it`, async () => {
    const ids = await together(() => service.make(`${path}/create`, { [nameField]: unique('Own') }, idField), 32);
    const wins: { readonly name: string; readonly id: string | undefined }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const name = unique('Coveted');
      const answers = await together((index) => {
        const id = ids[index];
        return id === undefined ? create(respell(name, index)) : rename(id, respell(name, index));
      });
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      expect(tally(answers)[taken]).toBe(clients - 1);
      wins.push({ name, id: winners[0]?.field(idField) });
    }
    const log = await ofKind();
    for (const { name, id } of wins) {
      const holders = log.filter(({ data }) => caseless(data[nameField]) === caseless(name));
      expect(holders.map(({ data }) => data[idField])).toEqual([id]);
    }
  }, 60_000);

  test('deletes, renames and creates of one name at once leave a log without two holders', async () => {
    const name = unique('Contested');
    const first = await service.make(`${path}/create`, { [nameField]: name }, idField);
    const answers = await together((index) => {
      if (index % 4 === 0) return service.post(`${path}/${first}/delete`);
      return index % 4 === 1 ? rename(first, unique('Away')) : create(name);
    }, 48);
    for (const outcome of Object.keys(tally(answers))) expect(outcome).toMatch(/^(200|400) /);
    expect(tally(answers)[`200 ${word} deleted successfully!`]).toBe(1);
    const holder = new Map<string, string>();
    for (const { type, data } of await ofKind()) {
      const [id, now] = [String(data[idField]), caseless(data[nameField])];
      for (const [held, by] of holder) if (by === id) holder.delete(held);
      if (type.endsWith('Deleted')) continue;
      expect(holder.has(now), `${now} is held twice`).toBe(false);
      holder.set(now, id);
    }
  });
});

describe('addresses', () => {
  test(`${clients} parallel creates, ${rounds} rounds: one contact each`, async () => {
    const addresses = Array.from({ length: rounds }, () => someAddress());
    for (const email of addresses) {
      const answers = await together((index) =>
        service.post(`/v1/contacts/${list}/create`, { email: respell(email, index), status: 'Subscribed' }),
      );
      expect(tally(answers)).toEqual({
        '200 Contact created successfully!': 1,
        '400 Email already exist!': clients - 1,
      });
    }
    const created = (await service.events()).filter(({ type }) => type === 'ContactCreated');
    const emails = created.map(({ data }) => caseless(Reflect.get(Object(data['person']), 'email')));
    for (const email of addresses) expect(emails.filter((one) => one === email)).toHaveLength(1);
  }, 60_000);

  test('creates and upserts of one address at once are one contact', async () => {
    for (let round = 0; round < usually(3, 10); round += 1) {
      const email = someAddress();
      const answers = await together((index) => {
        const operation = index % 2 === 0 ? 'create' : 'upsertcontact';
        return service.post(`/v1/contacts/${list}/${operation}`, { email, status: 'Subscribed' });
      });
      const outcomes = tally(answers);
      expect(outcomes['200 Contact saved successfully!']).toBe(clients / 2);
      const created = outcomes['200 Contact created successfully!'] ?? 0;
      expect(created).toBeLessThanOrEqual(1);
      expect(outcomes['400 Email already exist!']).toBe(clients / 2 - created);
      const ids = answers.filter(({ status }) => status === 200).map((answer) => answer.field('contact_id'));
      expect(new Set(ids).size).toBe(1);
      const events = (await service.events()).filter(({ data }) => data['contact_id'] === ids[0]);
      expect(events.map(({ type }) => type)).toEqual(['ContactCreated', 'ContactSubscribed']);
    }
  }, 30_000);

  test('a new tag attached by many at once is created once', async () => {
    const tag_name = unique('Hot');
    const emails = await together(async () => {
      const email = someAddress();
      await service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }, 'contact_id');
      return email;
    });
    const answers = await together((index) =>
      service.post(`/v1/contacts/tags/${list}/add`, {
        tag_name: [respell(tag_name, index)],
        contact_email: emails[index],
      }),
    );
    expect(tally(answers)).toEqual({ '200 Tags added successfully!': clients });
    expect(new Set(answers.map((answer) => answer.field('tag_id'))).size).toBe(1);
    const created = (await service.events()).filter(({ data }) => caseless(data['tag_name']) === caseless(tag_name));
    expect(created.map(({ type }) => type)).toEqual(['TagCreated']);
  });
});
