/** The suite that groups, lists and tags share: what is true of everything that has a unique name and a life of its own. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  idOf,
  logPosition,
  refusal,
  refusals,
  shown,
  someRequestId,
  strangerId,
  success,
  unique,
} from '../support/answers.js';
import type { Answer, Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

interface Kind {
  readonly word: 'Group' | 'List' | 'Tag';
  readonly prefix: 'grp' | 'lst' | 'tag';
  /** Reading an unknown one is 404 where the read is ours alone, 400 where the document has it. */
  readonly unknownRead: 400 | 404;
}

const face = '😀';

/** Names that are one name under the key, none of them spelt as the first. */
const spellings = (base: string): readonly (readonly [string, string, string])[] => [
  ['other case', `${base} Été`, `${base.toUpperCase()} ÉTÉ`],
  ['inner white space', `${base} one two`, `${base}  one \u2003 two`],
  ['outer white space', `${base} three`, `  ${base} three \u00a0`],
  ['decomposed letters', `${base} caf\u00e9`, `${base} cafe\u0301`],
  ['all of them', `${base} \u00c5sa B`, ` ${base.toLowerCase()}   A\u030aSA b `],
];

export function describeNamedThings({ word, prefix, unknownRead }: Kind): void {
  const noun = word.toLowerCase();
  const plural = `/v1/${noun}s`;
  const idField = `${noun}_id`;
  const nameField = `${noun}_name`;
  const taken = `${word} name already exist!`;
  const unknown = `Please provide valid ${noun} id!`;
  const thing = (id: string, name: string): Record<string, string> => ({ [idField]: id, [nameField]: name });

  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });

  const create = (name: string, requestId = someRequestId()): Promise<Answer> =>
    service.post(`${plural}/create`, { [nameField]: name }, { 'x-request-id': requestId });
  const made = (name: string): Promise<string> => service.make(`${plural}/create`, { [nameField]: name }, idField);
  const rename = (id: string, name: string, requestId = someRequestId()): Promise<Answer> =>
    service.post(`${plural}/${id}/update`, { [nameField]: name }, { 'x-request-id': requestId });
  const show = (id: string): Promise<Answer> => service.get(`${plural}/${id}`);
  /** From the first page to the last, each with the cursor that leads to it. */
  async function pages(limit: number): Promise<{ readonly cursor: string; readonly page: Answer }[]> {
    const found: { readonly cursor: string; readonly page: Answer }[] = [];
    for (let cursor = ''; ;) {
      const page = await service.get(`${plural}?limit=${limit}${cursor}`);
      found.push({ cursor, page });
      const next: unknown = Reflect.get(Object(page.body), 'next_cursor');
      expect(page.body).toEqual({ ...shown(page.items()), ...(next === undefined ? {} : { next_cursor: next }) });
      if (typeof next !== 'string') return found;
      expect(page.items()).toHaveLength(limit);
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }
  const caused = async (requestId: string): Promise<unknown[]> =>
    (await service.events(requestId)).map(({ type, data }) => ({ type, data }));

  describe(`create a ${noun}`, () => {
    test('answers id and name, and writes one event', async () => {
      const name = unique('Spring');
      const requestId = someRequestId();
      const answer = await create(name, requestId);
      const id = answer.field(idField);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(success(`${word} created successfully!`, thing(id, name)));
      expect(id).toMatch(idOf(prefix));
      expect(await service.events(requestId)).toMatchObject([
        { stream: plural.slice(4), type: `${word}Created`, data: thing(id, name), metadata: { actor: 'test' } },
      ]);
      expect(answer.headers['x-position']).toMatch(logPosition);
    });

    test('keeps the name as typed, trimmed', async () => {
      const name = unique('Cafe\u0301  du   Nord');
      const answer = await create(` \u00a0 ${name}  `);
      expect(answer.body).toEqual(success(`${word} created successfully!`, thing(answer.field(idField), name)));
      expect((await show(answer.field(idField))).body).toEqual(shown(thing(answer.field(idField), name)));
    });

    test.each(spellings('Name').map(([what], index) => [what, index] as const))(
      'refuses a name that is taken: %s',
      async (_what, index) => {
        const [, first, second] = spellings(unique('Name'))[index] ?? ['', '', ''];
        await made(first);
        const requestId = someRequestId();
        const answer = await create(second, requestId);
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual(refusal(taken, { [nameField]: second }, 'duplicate'));
        expect(await caused(requestId)).toEqual([]);
      },
    );

    test('tells apart names that differ in more', async () => {
      const name = unique('Fuss');
      for (const other of [name, `${name}s`, name.replace('ss', 'ß'), name.replace('u', 'ü'), name.replace(' ', '')])
        expect((await create(other)).status, other).toBe(200);
    });

    test.each([
      ['Latin letters', (n: number) => unique('a').padEnd(n, 'x')],
      ['astral ones', (n: number) => unique('a') + face.repeat(n - 14)],
    ])('takes 255 code points and refuses 256: %s', async (_what, name) => {
      expect([...name(255)].length).toBe(255);
      expect((await create(`  ${name(255)}  `)).status).toBe(200);
      const long = name(256);
      const answer = await create(long);
      expect(answer.body).toEqual(refusal(`${nameField} must be at most 255 characters`, { [nameField]: long }));
    });
  });

  describe(`rename a ${noun}`, () => {
    test('shows the new name, frees the old one, and writes one event', async () => {
      const [before, after] = [unique('Before'), unique('After')];
      const id = await made(before);
      const requestId = someRequestId();
      const answer = await rename(id, ` ${after} `, requestId);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(success(`${word} updated successfully!`, thing(id, after)));
      expect(await caused(requestId)).toEqual([
        { type: `${word}Renamed`, data: { ...thing(id, after), previous_name: before } },
      ]);
      expect((await show(id)).body).toEqual(shown(thing(id, after)));
      expect((await create(before)).status).toBe(200);
    });

    test.each([
      ['the very same', (name: string) => name, 0],
      ['the same with outer white space', (name: string) => `  ${name} `, 0],
      ['other case', (name: string) => name.toUpperCase(), 1],
      ['other inner white space', (name: string) => name.replace(' ', '   '), 1],
    ])('to its own name: %s', async (_what, respell, events) => {
      const name = unique('Own');
      const id = await made(name);
      const requestId = someRequestId();
      const answer = await rename(id, respell(name), requestId);
      expect(answer.body).toEqual(success(`${word} updated successfully!`, thing(id, respell(name).trim())));
      expect(await caused(requestId)).toHaveLength(events);
      expect(answer.headers['x-position']).toMatch(logPosition);
      expect((await show(id)).body).toEqual(shown(thing(id, respell(name).trim())));
    });

    test('refuses a name that another one has, in any spelling', async () => {
      const other = unique('Other');
      await made(other);
      const id = await made(unique('Mine'));
      for (const name of [other, other.toUpperCase(), ` ${other.replace(' ', '  ')}`]) {
        const requestId = someRequestId();
        const answer = await rename(id, name, requestId);
        expect(answer.body).toEqual(refusal(taken, { [nameField]: name }, 'duplicate'));
        expect(await caused(requestId)).toEqual([]);
      }
    });

    test.each([
      ['never given out', strangerId(prefix)],
      ['of another kind', strangerId('con')],
      ['no id', 'x'],
    ])('refuses an unknown id: %s', async (_what, id) => {
      const answer = await rename(id, unique('Nobody'));
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject(refusal(unknown, {}, 'unknown_id'));
    });

    test('echoes the body when the id is unknown, also when the name is taken', async () => {
      const name = unique('Taken');
      await made(name);
      const answer = await service.post(`${plural}/${strangerId(prefix)}/update`, { [nameField]: name, more: 1 });
      expect(answer.body).toEqual(refusal(unknown, { [nameField]: name }, 'unknown_id'));
    });
  });

  describe(`delete a ${noun}`, () => {
    test.each(['POST', 'DELETE'])('by %s: gone for good, and its name is free', async (method) => {
      const name = unique('Gone');
      const id = await made(name);
      const requestId = someRequestId();
      const answer = await service.request(method, `${plural}/${id}/delete`, {
        headers: { 'x-request-id': requestId },
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(success(`${word} deleted successfully!`, { [idField]: id }));
      expect(await caused(requestId)).toEqual([{ type: `${word}Deleted`, data: thing(id, name) }]);

      const again = await service.request(method, `${plural}/${id}/delete`);
      expect(again.status).toBe(400);
      expect(again.body).toEqual(refusal(unknown, {}, 'unknown_id'));
      expect((await rename(id, unique('Late'))).body).toMatchObject({ statusCode: 400, message: unknown });
      expect((await show(id)).status).toBe(unknownRead);
      const successor = await made(name.toUpperCase());
      expect(successor).not.toBe(id);
      expect((await show(id)).status).toBe(unknownRead);
    });

    test.each(['POST', 'DELETE'])('by %s: an unknown id writes nothing', async (method) => {
      const events = await service.countEvents();
      for (const id of [strangerId(prefix), strangerId('con'), 'x']) {
        const answer = await service.request(method, `${plural}/${id}/delete`);
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual(refusal(unknown, {}, 'unknown_id'));
      }
      expect(await service.countEvents()).toBe(events);
    });
  });

  describe(`read ${noun}s`, () => {
    test('one, without a message', async () => {
      const name = unique('Read');
      const id = await made(name);
      const answer = await show(id);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(shown(thing(id, name)));
    });

    test.each([strangerId(prefix), strangerId('con'), 'x'])('an unknown one: %s', async (id) => {
      const answer = await show(id);
      expect(answer.status).toBe(unknownRead);
      expect(answer.body).toEqual(unknownRead === 404 ? refusals.notFound : refusal(unknown, {}, 'unknown_id'));
    });

    test('pages go through all of them once, in order of id', async () => {
      const names = Array.from({ length: 7 }, (_, index) => unique(`Page ${index}`));
      const ids = await Promise.all(names.map(made));
      const deleted = ids[3] ?? '';
      await service.post(`${plural}/${deleted}/delete`);
      const whole = (await pages(200)).flatMap(({ page }) => page.items());
      const all = whole.map((item) => String(item[idField]));
      expect(all).toEqual([...all].sort());
      expect(all).not.toContain(deleted);
      names.forEach((name, index) => {
        if (index !== 3) expect(whole).toContainEqual(thing(ids[index] ?? '', name));
      });
      expect((await pages(5)).flatMap(({ page }) => page.items())).toEqual(whole);
    });

    test('an exactly full last page has no cursor', async () => {
      const last = (await pages(200)).at(-1);
      const count = last?.page.items().length ?? 0;
      const page = await service.get(`${plural}?limit=${count}${last?.cursor ?? ''}`);
      expect(page.items()).toHaveLength(count);
      expect(page.body).not.toHaveProperty('next_cursor');
    });

    test.each(['0', '201', '-1', '1.5', 'ten', '1e1', '99999999999999999999'])('limit=%s is refused', async (limit) => {
      const answer = await service.get(`${plural}?limit=${limit}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(refusals.limit);
    });

    test.each([
      ['a word', 'nonsense'],
      ['a NUL', '%00'],
      ['an object', 'e30'],
      ['another object', 'eyJhIjoxfQ'],
      ['a path', '..%2F..%2Fetc'],
      ['far too long', 'x'.repeat(5_000)],
    ])('a cursor that the service never gave out is refused: %s', async (_what, cursor) => {
      const answer = await service.get(`${plural}?cursor=${cursor}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(refusals.cursor);
    });
  });
}
