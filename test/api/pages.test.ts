/** What an operator may put into PAGES_DIR, and what is refused at the start. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAppearance } from '../../src/api/pages/texts.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('every language has every text, and the list stands where it stands in English', () => {
  const { texts } = readAppearance(undefined);
  const english = texts.get('en') ?? {};
  expect([...texts.keys()]).toEqual(['en', 'de']);
  for (const [language, own] of texts) {
    expect(Object.keys(own), language).toEqual(Object.keys(english));
    for (const [name, text] of Object.entries(own))
      expect(text.includes('{{list}}'), `${language} ${name}`).toBe(english[name]?.includes('{{list}}'));
  }
});

test('some texts of a language, and another language over the English texts', () => {
  writeFileSync(path.join(folder, 'de.json'), '{ "sender": "Bücher" }');
  writeFileSync(path.join(folder, 'fr.json'), '{ "save_button": "Enregistrer" }');
  const { texts, logo } = readAppearance(folder);
  expect(texts.get('de')).toMatchObject({ sender: 'Bücher', save_button: 'Speichern' });
  expect(texts.get('fr')).toMatchObject({ save_button: 'Enregistrer', unsubscribe_title: 'Unsubscribe' });
  expect(logo).toBeUndefined();
});

describe('a folder is refused', () => {
  test.each([
    ['{ "unsubscribe_titel": "x" }', 'has a text that no page shows: unsubscribe_titel'],
    ['{ "sender": 1 }', 'must be a JSON object of texts'],
    ['{', 'must be a JSON object of texts'],
  ])('with %s', (text, message) => {
    const file = path.join(folder, 'en.json');
    writeFileSync(file, text);
    expect(() => readAppearance(folder)).toThrow(`${file} ${message}`);
  });

  test('that is not there', () => {
    expect(() => readAppearance(path.join(folder, 'none'))).toThrow(/^PAGES_DIR /);
  });
});
