/** What the pages say in each language, their style and logo; and what the operator has put in their place. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigurationError } from '../../stores/values-from-files.js';

const own = fileURLToPath(new URL('./', import.meta.url));
const textsSchema = z.record(z.string(), z.string());
const english = textsSchema.parse(jsonIn(path.join(own, 'en.json')));

/** By name; `{{list}}` in some of them stands for the name of the list. */
export type Texts = Readonly<Record<string, string>>;

export interface Appearance {
  /** By language, `en` first. */
  readonly texts: ReadonlyMap<string, Texts>;
  readonly style: string;
  readonly logo: { readonly type: string; readonly bytes: Buffer } | undefined;
}

const logoTypes = { svg: 'image/svg+xml', png: 'image/png' };

/**
 * `folder` may hold `style.css`, read after the one here, `logo.svg` or `logo.png`, and texts: `de.json` with some
 * of the texts of this language or, for a language that is not here, those that are not to be English.
 * @throws ConfigurationError
 */
export function readAppearance(folder: string | undefined): Appearance {
  const texts = new Map([['en', english]]);
  if (folder !== undefined && !existsSync(folder)) throw new ConfigurationError(`PAGES_DIR is no folder: ${folder}`);
  for (const from of folder === undefined ? [own] : [own, folder])
    for (const name of readdirSync(from).sort()) {
      const language = /^([a-z]{2,3})\.json$/.exec(name)?.[1];
      if (language === undefined) continue;
      texts.set(language, { ...(texts.get(language) ?? english), ...readTexts(path.join(from, name)) });
    }
  const style = [own, folder].map((from) => (from === undefined ? '' : textIn(path.join(from, 'style.css'))));
  return { texts, style: style.join('\n'), logo: folder === undefined ? undefined : logoIn(folder) };
}

/** @throws ConfigurationError */
function readTexts(file: string): Texts {
  const texts = textsSchema.safeParse(jsonIn(file)).data;
  if (texts === undefined) throw new ConfigurationError(`${file} must be a JSON object of texts`);
  const other = Object.keys(texts).find((name) => !Object.hasOwn(english, name));
  if (other !== undefined) throw new ConfigurationError(`${file} has a text that no page shows: ${other}`);
  return texts;
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const textIn = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

function logoIn(folder: string): Appearance['logo'] {
  for (const [ending, type] of Object.entries(logoTypes)) {
    const file = path.join(folder, `logo.${ending}`);
    if (existsSync(file)) return { type, bytes: readFileSync(file) };
  }
  return undefined;
}
