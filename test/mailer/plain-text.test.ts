/** The text alternative: tables can be read, and no HTML takes long. */
import { expect, test } from 'vitest';
import { plainText } from '../../src/mailer/plain-text.js';

test('the rows of a table are lines, and cells are apart', () => {
  const cells = (tag: string, ...texts: string[]): string =>
    `<tr>${texts.map((text) => `\n  <${tag}>${text}</${tag}>`).join('')}\n</tr>\n`;
  const html = `<p>Your order:</p><table><caption>Order 7</caption><thead>${cells('th', 'Item', 'Number', 'Price')}</thead>
    <tbody>${cells('td', 'Notebook', '2', '6.00 EUR')}${cells('td', '<p>Pen</p>', '<b>1</b>', '<div>1.00 EUR</div>')}
    ${cells('td', 'Gift', '', '')}</tbody><tfoot><tr><td colspan="2">Total</td><td>7.00 EUR</td></tr></tfoot></table><p>Thank you.</p>`;
  expect(plainText(html).split('\n')).toEqual([
    'Your order:',
    '',
    'Order 7',
    '',
    'Item   Number   Price',
    'Notebook   2   6.00 EUR',
    'Pen   1   1.00 EUR',
    'Gift',
    'Total   7.00 EUR',
    '',
    'Thank you.',
  ]);
});

test('without spaces, closing tags or a table, cells are apart, too', () => {
  expect(plainText('<table><tr><td>Notebook</td><td>2</td><td>6.00 EUR</td></tr></table>')).toBe(
    'Notebook   2   6.00 EUR',
  );
  expect(plainText('<table><tr><td>Notebook<td>2<tr><td>Pen<td>1</table>')).toBe('Notebook   2\nPen   1');
  expect(plainText('<td>Notebook</td><td>2</td><td>6.00 EUR</td>')).toBe('Notebook 2 6.00 EUR');
});

test('an image in a link is its alt, apart from the address of the link', () => {
  const link = (inside: string): string => `<p>Now: <a href="https://example.org/1">${inside}</a></p>`;
  expect(plainText(link('<img src="a.png" alt="See the offer">'))).toBe('Now: See the offer https://example.org/1');
  expect(plainText(link('<img src="a.png"><img src="b.png" alt="">'))).toBe('Now: https://example.org/1');
  expect(plainText('<p>Half <img src="a.png" alt="price">, <img src="b.png">until Sunday</p>')).toBe(
    'Half price, until Sunday',
  );
});

test('the address of a link has no brackets, which mail programs would take for a part of it', () => {
  const link = (text: string, href: string): string => `<a href="https://example.org/${href}">${text}</a>`;
  expect(plainText(`<p>${link('Leave', 'u')}. Or (${link('write', 'w')}), or ${link('<b>read</b>', 'r')}</p>`)).toBe(
    'Leave https://example.org/u. Or (write https://example.org/w), or read\nhttps://example.org/r',
  );
  expect(plainText(`${link('One', '1')}${link('Two', '2')}|<b>${link('Three', '3')}</b>more`)).toBe(
    'One https://example.org/1 Two https://example.org/2 |Three\nhttps://example.org/3 more',
  );
  expect(plainText(`<p>${link('https://example.org/x', 'x')}<b>!</b></p>`)).toBe('https://example.org/x !');
  expect(plainText('<a href="#top">Up</a>, <a href="mailto:ada@example.com">Ada</a>')).toBe('Up, Ada ada@example.com');
});

test('tables that lay out read like the text that they hold', () => {
  const spaced = (html: string): string => `<table><tr><td>&nbsp;</td><td>${html}</td><td>&nbsp;</td></tr></table>`;
  const html = `<table><tr><td><table>
    <tr><td><img src="logo.png" alt="Ledger"></td></tr>
    <tr><td><h1>Thank you</h1><p>Dear Ada,</p><p>we have your order.</p></td></tr>
    <tr><td>${spaced('<a href="https://example.org/1">See it</a>')}</td></tr>
    <tr><td><p>Left, a first line<br>and a second.</p><p>More.</p></td><td><p>Right.</p></td></tr>
  </table></td></tr></table>`;
  expect(plainText(html).split('\n')).toEqual([
    'Ledger',
    '',
    '',
    'Thank you',
    '',
    'Dear Ada,',
    '',
    'we have your order.',
    '',
    'See it https://example.org/1',
    '',
    'Left, a first line',
    'and a second.',
    '',
    'More.',
    '',
    'Right.',
  ]);
});

/** Milliseconds of processor time that this process has taken: what others do on the machine does not count. */
function taken(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

test('no HTML of the largest size keeps the thread for long', () => {
  const size = 512 * 1024;
  const fill = (unit: string): string => unit.repeat(Math.floor(size / unit.length));
  const inputs = [
    '<div>',
    '<b>',
    '<ul><li>',
    '<table><tr><td>',
    '<table><tr><td>a<td>',
    '<br>',
    '<p>',
    '<',
    '<a ',
    '<a href="x">y',
    '<a href="x">y</a>',
    '<!--',
    'x ',
    '&amp;',
  ].map(fill);
  plainText(fill('<p>warm <b>up</b></p>'));
  for (const input of inputs) {
    const before = taken();
    plainText(input);
    // 40 ms at most where it was measured; room for a slow machine. Unbounded, the worst of these take seconds.
    expect(taken() - before).toBeLessThan(400);
  }
  expect(plainText(fill('<p>text</p>'))).toMatch(/text\n\n\[…\]$/);
});

test('a long text within many tables does not keep the thread for long', () => {
  const before = taken();
  plainText(`${'<table><tr><td>a</td><td>'.repeat(99)}<pre>${'a\n'.repeat(120_000)}</pre>`);
  expect(taken() - before).toBeLessThan(1_000);
});
