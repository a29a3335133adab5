/** Searching contacts over HTTP by the beginning of an address or a name. */
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { forbidden, newList, refusal, someRequestId, success } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let list: string;
/** A beginning that nobody else has. */
const mark = `q${randomBytes(5).toString('hex')}`;
beforeAll(async () => {
  service = await sharedService();
  list = await newList(service);
});

interface Person {
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

const create = (person: Person): Promise<string> =>
  service.make(`/v1/contacts/${list}/create`, { status: 'Subscribed', ...person }, 'contact_id');
const search = (body: object, headers: Record<string, string> = {}) =>
  service.post('/v1/contacts/search', body, headers);
const found = async (text: string, limit?: number): Promise<readonly unknown[]> => {
  const answer = await search({ text, ...(limit !== undefined && { limit }) });
  expect(answer.status).toBe(200);
  return answer.items().map(({ email }) => email);
};

test('by the beginning of address, first and last name, or of both in either order, right after it was written', async () => {
  const email = `Ada.${mark}@example.com`;
  const id = await create({ email, firstName: `Ada${mark}`, lastName: `Lo\u0308velace${mark} King` });
  for (const text of [
    `ada.${mark}`,
    `ADA${mark}`,
    `  ada${mark}   lov`,
    `love\u006cace${mark}`,
    `lövelace${mark} king ADA`,
    `ada.${mark}@example.com`,
  ])
    expect(await found(text), text).toEqual([email]);
  for (const text of [
    `velace${mark}`,
    `king`,
    `a%${mark}`,
    `ada.${mark}@example.com.`,
    `${mark}*`,
    `.*${mark}`,
    `_da${mark}`,
  ])
    expect(await found(text), text).not.toContain(email);
  const { body } = await service.get(`/v1/contacts?email=${encodeURIComponent(email)}`);
  const { subscriptions: _, ...shown } = (body as { data: { subscriptions: unknown } }).data;
  expect(shown).toMatchObject({ contact_id: id, email });
  expect((await search({ text: `ada.${mark}` })).body).toEqual(success('Contacts searched successfully!', [shown]));
});

test('letters without their accents, ligatures and sharp s are the same, Japanese syllables are not', async () => {
  const [german, japanese] = [`strasse.${mark}@example.com`, `kana.${mark}@example.com`];
  await create({ email: german, firstName: `Große${mark}`, lastName: `Œuvre${mark}` });
  await create({ email: japanese, lastName: `ガ${mark}` });
  for (const text of [`GROSSE${mark}`, `große${mark} oeuvre`, `œuvre${mark}`])
    expect(await found(text), text).toEqual([german]);
  expect(await found(`ガ${mark}`)).toEqual([japanese]);
  expect(await found(`ｶﾞ${mark}`)).toEqual([japanese]);
  expect(await found(`カ${mark}`)).toEqual([]);
});

test('points that a name is also written without make no difference, and vowel signs do', async () => {
  const names = {
    hebrew: 'שָׁלוֹם',
    arabic: 'مُحَمَّد',
    quranic: 'طۭه',
    syriac: 'ܫܠܳܡܐ',
    hindi: 'शर्मा',
  };
  const emailOf = (script: string): string => `${script}.${mark}@example.com`;
  for (const [script, name] of Object.entries(names))
    await create({ email: emailOf(script), firstName: mark, lastName: name });
  const withoutMarks = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '');
  for (const [script, name] of Object.entries(names)) {
    expect(await found(`${mark} ${name}`), script).toEqual([emailOf(script)]);
    const bare = await found(`${mark} ${withoutMarks(name)}`);
    expect(bare, script).toEqual(script === 'hindi' ? [] : [emailOf(script)]);
  }
});

test('a name that was changed or cleared is found no more, and the new one is', async () => {
  const email = `grace.${mark}@example.com`;
  await create({ email, lastName: `Murray${mark}` });
  const change = (lastName: string | null) =>
    service.post(`/v1/contacts/${list}/upsertcontact`, { email, status: 'Subscribed', lastName });
  await change(`Hopper${mark}`);
  expect(await found(`murray${mark}`)).toEqual([]);
  expect(await found(`hopper${mark}`)).toEqual([email]);
  await change(null);
  expect(await found(`hopper${mark}`)).toEqual([]);
  expect(await found(`grace.${mark}`)).toEqual([email]);
});

test('at most as many as are asked for, in the order of what begins so', async () => {
  const people = Array.from({ length: 23 }, (_, at) => `many${mark}${String.fromCharCode(97 + at)}@example.com`);
  for (const email of people.toReversed()) await create({ email });
  expect(await found(`many${mark}`)).toEqual(people.slice(0, 20));
  expect(await found(`many${mark}`, 1)).toEqual(people.slice(0, 1));
  expect(await found(`many${mark}`, 50)).toEqual(people);
});

test('who is erased is not found, by address nor by name', async () => {
  const email = `gone.${mark}@example.com`;
  await create({ email, firstName: `Gone${mark}` });
  expect(await found(`gone${mark}`)).toEqual([email]);
  expect((await service.post('/v1/privacy/erasures', { email })).status).toBe(202);
  await expect.poll(() => found(`gone${mark}`)).toEqual([]);
  expect(await found(`gone.${mark}`)).toEqual([]);
});

test('that somebody searched is on record, and not for what', async () => {
  const requestId = someRequestId();
  await search({ text: `secret${mark}` }, { 'x-request-id': requestId });
  const events = await service.events(requestId);
  expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
    { type: 'RecordRead', data: { subject: 'contacts', what: 'search' } },
  ]);
  expect(JSON.stringify(events)).not.toContain(mark);
});

test('an invalid search is refused, with the documented fields that were sent', async () => {
  const refused = async (body: object, message: string) => {
    const answer = await search(body);
    const { limits: _, ...documented } = body as { limits?: unknown };
    expect(answer.body).toEqual(refusal(message, JSON.parse(JSON.stringify(documented)) as object));
    expect(answer.status).toBe(400);
  };
  for (const text of [undefined, null, '', ' \u2003 ']) await refused({ text }, 'text is required');
  await refused({ text: 7 }, 'text must be a string');
  await refused({ text: 'a\u0000b' }, 'text contains invalid characters');
  await refused({ text: 'a\ud800b' }, 'text contains invalid characters');
  await refused({ text: 'x'.repeat(201) }, 'text must be at most 200 characters');
  for (const limit of [0, 51, 1.5, '5', true, []])
    await refused({ text: 'x', limit }, 'limit must be a whole number from 1 to 50');
  await refused({ text: 'x', limits: 5 }, 'Unknown field limits. Did you mean limit?');
  expect((await search({ text: '\u0301\u0301' })).items()).toEqual([]);
  expect((await search({ text: 'x', limit: null })).status).toBe(200);
  expect((await search({ text: 'x' }, { 'x-min-position': 'x' })).body).toMatchObject({
    message: 'X-Min-Position is not a position of this log',
  });
  expect((await service.get('/v1/contacts/search')).status).toBe(405);
  const key = await service.post('/v1/keys', { name: `Writer ${mark}`, scopes: ['contacts:write'] });
  const other = await search({ text: 'x' }, { authorization: `Bearer ${key.field('secret')}` });
  expect(other.body).toEqual(forbidden('contacts:read'));
});
