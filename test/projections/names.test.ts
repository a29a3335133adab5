/** Names of lists and tags: when they are asked for, and when those that are held do. */
import { describe, expect, test } from 'vitest';
import { lists } from '../../src/projections/catalogues.js';
import { createNames, type Standing } from '../../src/projections/names.js';
import type { DocumentsById, WantedDocuments } from '../../src/readmodels/read-models.js';

function setUp(standing?: Standing) {
  const listNames = new Map([['lst_1', 'Readers']]);
  const asked: (readonly string[])[] = [];
  let answering = Promise.resolve();
  const read = async (wanted: readonly WantedDocuments[]): Promise<readonly DocumentsById[]> => {
    asked.push(wanted.flatMap(({ ids }) => ids));
    const found = wanted.map(({ view, ids }) =>
      ids.flatMap((id) => {
        const name = view === lists ? listNames.get(id) : `tag ${id}`;
        const document = view === lists ? { list_name: name } : { tag_name: name };
        return name === undefined ? [] : [{ id, document, position: '1' }];
      }),
    );
    await answering;
    return found.map((documents) => new Map(documents.map((document) => [document.id, document])));
  };
  const getEach = read as <D>(wanted: readonly WantedDocuments[]) => Promise<readonly DocumentsById<D>[]>;
  const names = createNames(standing);
  const namesOf = (wanted: Parameters<typeof names>[1]) => names({ getEach, settle: () => undefined }, wanted);
  return {
    asked,
    listNames,
    slowly(until: Promise<void>): void {
      answering = until;
    },
    nameOf: async (id: string) => (await namesOf({ lists: [id], tags: [] })).lists.get(id),
    namesOf,
  };
}

describe('names of lists and tags', () => {
  test('are asked for together, each once while the views stand still', async () => {
    const { asked, namesOf } = setUp(() => [1]);
    const names = await namesOf({ lists: ['lst_1', 'lst_1'], tags: ['tag_1', 'tag_2'] });
    expect(names.lists.get('lst_1')).toBe('Readers');
    expect([...names.tags.values()]).toEqual(['tag tag_1', 'tag tag_2']);
    await namesOf({ lists: ['lst_1'], tags: ['tag_2', 'tag_3'] });
    await namesOf({ lists: ['lst_1'], tags: ['tag_3'] });
    expect(asked).toEqual([['lst_1', 'tag_1', 'tag_2'], ['tag_3']]);
  });

  test('are asked for again when the views have moved, or are other ones', async () => {
    const live = { lists: 1 };
    let now: readonly unknown[] = [live, '1'];
    const { listNames, nameOf } = setUp(() => now);
    expect(await nameOf('lst_1')).toBe('Readers');
    listNames.set('lst_1', 'Friends');
    expect(await nameOf('lst_1')).toBe('Readers');
    now = [live, '2'];
    expect(await nameOf('lst_1')).toBe('Friends');
    listNames.delete('lst_1');
    now = [{ lists: 1_001 }, '2'];
    expect(await nameOf('lst_1')).toBeUndefined();
  });

  test('what is missing is asked for each time: it may just have been created', async () => {
    const { listNames, nameOf } = setUp(() => [1]);
    expect(await nameOf('lst_2')).toBeUndefined();
    listNames.set('lst_2', 'New');
    expect(await nameOf('lst_2')).toBe('New');
  });

  test('a name that was read before the views moved is not held after it', async () => {
    let now = 1;
    const { listNames, nameOf, slowly } = setUp(() => [now]);
    let answer = (): void => undefined;
    slowly(new Promise((resolve) => (answer = resolve)));
    const first = nameOf('lst_1');
    listNames.set('lst_1', 'Friends');
    now = 2;
    slowly(Promise.resolve());
    expect(await nameOf('lst_1')).toBe('Friends');
    answer();
    expect(await first).toBe('Readers');
    expect(await nameOf('lst_1')).toBe('Friends');
  });

  test('none is held by who cannot tell where the views stand', async () => {
    const { asked, nameOf } = setUp();
    await nameOf('lst_1');
    await nameOf('lst_1');
    expect(asked).toHaveLength(2);
  });
});
