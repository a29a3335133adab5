/** Erasures that cannot be completed at once, because the views were just built again: who comes back meanwhile and asks again is erased again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newList, ok, unique } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { foundIn } from './erasing/places.js';
import { eventually, startService, type Service } from '../support/service.js';
import { storeVariables } from '../support/stores.js';
import { searchFor } from './erasing/traces.js';

let service: Service;
let list: string;
beforeAll(async () => {
  service = await startService();
  list = await newList(service);
});
afterAll(() => service.close());

/** In words that nobody else uses. */
const someone = (): { email: string; firstName: string } => {
  const [name = '', token = ''] = unique('Somebody').split(' ');
  return { email: `${token}@privat.example`, firstName: `${name}${token}` };
};
type Someone = ReturnType<typeof someone>;

const create = (person: Someone) =>
  ok(service.post(`/v1/contacts/${list}/create`, { ...person, status: 'Subscribed' }));
const write = ({ email, firstName: subject }: Someone) =>
  ok(service.post('/v1/email/send', { from_email: 'a@example.com', to_email: email, subject, mail_template: subject }));
const ask = async ({ email }: Someone): Promise<string> =>
  String((await service.post('/v1/privacy/erasures', { email })).headers.location);
const statusOf = async (erasure: string): Promise<string> => (await ok(service.get(erasure))).field('status');
const known = async ({ email }: Someone): Promise<boolean> =>
  (await service.get(`/v1/contacts?email=${encodeURIComponent(email)}`)).status === 200;

test('who asks again before the first erasure is completed', async () => {
  const [contact, writtenTo, stranger] = [someone(), someone(), someone()];
  await create(contact);
  await write(writtenTo);
  const { dataDir, key } = service;
  const env = { ...storeVariables(dataDir), DATA_DIR: dataDir, AUDIENCE_KEY: key };
  expect(await audience(['projections', 'rebuild', 'all'], { env })).toMatchObject({ code: 0 });
  const people = [contact, writtenTo, stranger];
  const first = await Promise.all(people.map(ask));
  for (const person of people) await eventually(async () => ((await known(person)) ? undefined : true));
  expect(await Promise.all(first.map(statusOf))).toEqual(['requested', 'requested', 'requested']);
  expect(await Promise.all(people.map(ask)), 'nothing new').toEqual(first);
  await Promise.all([create(contact), write(writtenTo), create(stranger)]);
  const second = await Promise.all(people.map(ask));
  expect(second.map((one, at) => one === first[at])).toEqual([false, false, false]);
  for (const erasure of [...first, ...second])
    await eventually(async () => ((await statusOf(erasure)) === 'completed' ? true : undefined));
  expect(await Promise.all(people.map(known))).toEqual([false, false, false]);
  expect(await foundIn(service, searchFor(people.flatMap((person) => Object.values(person))))).toEqual([]);
});
