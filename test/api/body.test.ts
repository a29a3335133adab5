/** Bodies whose clients have gone before they are read. */
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { ServiceError } from '../../src/errors.js';
import { parseObject, readBody, readLines, RequestAbortedError } from '../../src/api/http/body.js';

test('a body whose client went away before it was asked for is given up', async () => {
  const request = new IncomingMessage(new Socket());
  request.headers = { 'content-length': '10' };
  request.destroy();
  await once(request, 'close');
  await expect(readLines(request, 100)).rejects.toThrow(RequestAbortedError);
  await expect(readBody(request, { limit: 100, expected: true })).rejects.toThrow(RequestAbortedError);
});

const refusalOf = (text: string): unknown => {
  try {
    return parseObject(Buffer.from(text));
  } catch (error) {
    const { code, message } = error as ServiceError;
    return [code, message];
  }
};

const bodyOf = async (bytes: Buffer): Promise<unknown> => {
  const request = new IncomingMessage(new Socket());
  request.headers = { 'content-length': String(bytes.length) };
  request.push(bytes);
  request.push(null);
  return await readBody(request, { limit: 100, expected: true });
};

test('a byte order mark at the start of a body is skipped', async () => {
  expect(await bodyOf(Buffer.from('\ufeff{"group_name":"x"}'))).toEqual({ group_name: 'x' });
  expect(await bodyOf(Buffer.from('\ufeff'))).toEqual({});
  await expect(bodyOf(Buffer.from('\ufeff\ufeff{}'))).rejects.toThrow('Request body must be a JSON object');
});

test('a body in another encoding is refused with the name of the right one', async () => {
  const text = '{"group_name":"Müller"}';
  const others = [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le'), Buffer.from(`\ufeff${text}`, 'utf16le')];
  for (const bytes of [...others, ...others.slice(1).map((wide) => Buffer.from(wide).swap16())])
    await expect(bodyOf(bytes)).rejects.toThrow('Request body must be encoded in UTF-8');
});

const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const members = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"${at}":1`).join(',')}}`;

test('a body that is nested too deeply is refused, at whatever depth', () => {
  const tooDeep = ['too_deep', 'Request body must be at most 32 levels deep'];
  expect(refusalOf(nested(32))).toEqual(JSON.parse(nested(32)));
  for (const text of [nested(33), nested(100_000), ` \n${nested(33)}`, `{"a":${'['.repeat(1024 * 1024)}`])
    expect(refusalOf(text)).toEqual(tooDeep);
  // Brackets in a string are text, also behind escaped quotes.
  expect(refusalOf(JSON.stringify({ a: `\\"${'[{'.repeat(1_000)}` }))).toEqual({ a: `\\"${'[{'.repeat(1_000)}` });
  for (const text of ['"'.repeat(1_001), '['.repeat(1024 * 1024), ' '.repeat(1024 * 1024)])
    expect(refusalOf(text)).toEqual(['invalid_json', 'Request body must be a JSON object']);
});

test('a body with too many members is refused', () => {
  expect(refusalOf(members(20_000))).toEqual(JSON.parse(members(20_000)));
  const tooMany = ['too_many_values', 'Request body must have at most 20000 values'];
  expect(refusalOf(members(20_001))).toEqual(tooMany);
  expect(refusalOf(`{"a":[${'1,'.repeat(40_000)}1]}`)).toEqual(tooMany);
});
