/** The turns of the rows of an import. */
import { expect, test } from 'vitest';
import { createAddressTurns } from '../../src/copy/address-turns.js';

test('rows of one address in two spellings are saved one after the other', async () => {
  const inTurn = createAddressTurns();
  const first = Promise.withResolvers<string>();
  const begun: string[] = [];
  const save = (name: string, result: Promise<string>) => () => {
    begun.push(name);
    return result;
  };
  const saved = [
    inTurn(['ann@example.com', 'bob@example.com'], save('first', first.promise)),
    inTurn([' ANN@EXAMPLE.COM '], save('second', Promise.resolve('second'))),
    inTurn(['cleo@example.com'], save('other', Promise.resolve('other'))),
  ];
  expect(begun).toEqual(['first', 'other']);
  first.resolve('first');
  expect(await Promise.all(saved)).toEqual(['first', 'second', 'other']);
});

test('a row is not saved if an earlier row of its address could not be saved', async () => {
  const inTurn = createAddressTurns();
  const saved: string[] = [];
  const first = inTurn(['ann@example.com'], () => Promise.reject(new Error('no service')));
  const second = inTurn(['ann@example.com'], () => Promise.resolve(saved.push('second')));
  await expect(first).rejects.toThrow('no service');
  await expect(second).rejects.toThrow('no service');
  expect(saved).toEqual([]);
});
