/** What backup and restore say: words on a terminal, one object of JSON elsewhere. */
import type { Manifest } from '../../backup/manifest.js';
import type { CommandLine } from '../shared/command-line.js';
import { counted, formatCount } from '../shared/numbers.js';
import { printable } from '../../events/printable.js';

/** For a cron line, which has no terminal, the answer is JSON. */
export const writeBackupAnswer = (
  { stdout, json }: CommandLine,
  answer: object,
  words: readonly string[],
): Promise<void> =>
  stdout.write(
    json || !stdout.isTTY ? `${JSON.stringify(answer)}\n` : words.map((word) => `${printable(word)}\n`).join(''),
  );

const dayMs = 86_400_000;

export const ageInWords = (time: string, now: number): string =>
  `${time}, ${counted(Math.max(0, Math.floor((now - Date.parse(time)) / dayMs)), 'day')} ago`;

export function contentInWords(folder: string, manifest: Manifest, now: number): readonly string[] {
  const { made_at, log_id, count, head, position, register, seals, secrets, versions, sealed_head_checked } = manifest;
  const newest = register.newest === null ? '' : `, the newest of ${ageInWords(register.newest, now)}`;
  return [
    `${folder} is a whole backup.`,
    `  made      ${ageInWords(made_at, now)}, by version ${versions.service}`,
    `  log       ${log_id}`,
    `  events    ${formatCount(count)}`,
    `  head      ${head}`,
    `  position  ${position}`,
    `  register  ${register.entries === 1 ? '1 entry' : `${formatCount(register.entries)} entries`}${newest}`,
    `  seals     ${formatCount(seals)}`,
    `  secrets   ${secrets.length === 0 ? 'none: SECRET is needed from elsewhere' : secrets.join(', ')}`,
    ...(sealed_head_checked ? [] : ['When it was made the mark at the end of the log could not be checked.']),
  ];
}
