/** The fields of a POST to a page, whatever its body looks like. */
import { expect, test } from 'vitest';
import { fieldsOf } from '../../src/api/pages/form.js';

const part = (head: string, value: string, end = '\r\n'): string => `--x${end}${head}${end}${end}${value}${end}`;
const field = 'Content-Disposition: form-data; name="do"';

test.each([
  ['pairs', 'do=list&shown=1&shown=2', ''],
  ['pairs on lines', 'do=list\nshown=1\r\nshown=2\r\n', 'text/plain'],
  ['pairs with blanks and codes', ' %64o = list &SHOWN=1&shown=2', 'application/octet-stream'],
  ['JSON', '{"do":"list","shown":1,"Shown":"2"}', 'application/json'],
  [
    'parts',
    `${part(field, 'list')}${part('content-disposition: FORM-DATA; NAME=shown', '1')}--x--`,
    'multipart/form-data; boundary="x"',
  ],
  ['parts with bare line feeds and no end', part(field, 'list', '\n'), 'multipart/form-data; boundary=x'],
  ['parts of another type', part(field, 'list'), 'text/plain'],
  [
    'parts behind a preamble',
    `Hello\r\n${part(field, 'list')}--x--\r\nbye`,
    'Multipart/Form-Data;charset=a;Boundary=x',
  ],
  ['parts of another boundary', part(field, 'list'), 'multipart/form-data; boundary=y'],
])('fields are read from %s', (_kind, body, type) => {
  const fields = fieldsOf(body, type);
  expect(fields.get('do')).toEqual(['list']);
  if (/shown=2|"2"/i.test(body)) expect(fields.get('shown')).toEqual(['1', '2']);
});

test('a file is not a field', () => {
  expect([...fieldsOf(part(`${field}; filename="a"`, 'list'), 'multipart/form-data; boundary=x')]).toEqual([]);
});

test('a body of 64 KiB is read quickly, whatever it contains', () => {
  const largest = 64 * 1024;
  const units = [
    'a&',
    '--',
    '-- ',
    '--x\n\n',
    'name=',
    ';name=',
    '; ',
    '\r',
    '\r\n',
    '%',
    '%3',
    '{',
    '{"a":',
    '[',
    '"',
    ' ',
    '=&',
  ];
  const bodies = units.flatMap((unit) => {
    const filled = unit.repeat(largest / unit.length);
    return [filled, `--x\n${filled}`, `{"a":${filled}`, `--x\n${filled}\n\n--x`];
  });
  for (const body of bodies)
    for (const type of ['', `multipart/form-data; ${'boundary='.repeat(1_000)}`]) {
      const before = process.cpuUsage();
      fieldsOf(body, type);
      const { user } = process.cpuUsage(before);
      // Microseconds. The slowest took 13 ms where it was measured; a quadratic reading takes seconds.
      expect(user, JSON.stringify(body.slice(0, 20))).toBeLessThan(500_000);
    }
});
