/** Reads our documents as what they promise: sections, code blocks, tables. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** A file of the repository by its path from the root. */
export const document = (path: string): string => readFileSync(fileURLToPath(new URL(path, root)), 'utf8');

/** What stands under the heading of that level and text, up to the next heading of that level or above. */
export function section(text: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const lines = text.split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`there is no heading "${heading}"`);
  let fenced = false;
  const end = lines.findIndex((line, index) => {
    if (index <= start) return false;
    if (line.startsWith('```')) fenced = !fenced;
    return !fenced && /^#+ /.test(line) && line.indexOf(' ') <= level;
  });
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}

/** The headings of exactly that level, such as `### Name`. */
export const headings = (text: string, level: number): readonly string[] =>
  withoutBlocks(text)
    .split('\n')
    .filter((line) => line.startsWith(`${'#'.repeat(level)} `));

interface Block {
  readonly language: string;
  readonly text: string;
}

/** Fenced code blocks in their order. */
export const blocks = (text: string): readonly Block[] =>
  [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', content = '']) => ({
    language,
    text: content.replace(/\n$/, ''),
  }));

export const withoutBlocks = (text: string): string => text.replace(/^```\w*\n.*?^```$/gms, '');

/** The rows of all tables in the text, without their heads. */
export function rows(text: string): readonly (readonly string[])[] {
  const lines = withoutBlocks(text).split('\n');
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim()),
    );
}

const isRule = (line: string): boolean => /^\|(?: *:?-+:? *\|)+$/.test(line);

/** The code spans of a cell or a heading. */
export const codes = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
