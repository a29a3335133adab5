/** Answers of backup and restore: words on a terminal, one object of JSON elsewhere. */
import type { VerifiedBackup } from '../../backup/verify-backup.js';
import type { CommandLine } from '../shared/command-line.js';
import { counted, formatCount } from '../shared/numbers.js';
import { printable } from '../../events/printable.js';

/** Writes the answer in words to a terminal, and as JSON elsewhere, such as in a cron job. */
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

interface Content extends VerifiedBackup {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function contentInWords({ folder, manifest, mac, seals, now }: Content): readonly string[] {
  const { made_at, log_id, restores, count, root, position, register, secrets, versions } = manifest;
  const newest = register.newest === null ? '' : `, the newest of ${ageInWords(register.newest, now)}`;
  return [
    `${folder} is a complete backup.`,
    `  made      ${ageInWords(made_at, now)}, by version ${versions.service}`,
    `  manifest  ${macInWords[mac]}`,
    `  log       ${log_id}`,
    `  restores  ${formatCount(restores)}`,
    `  events    ${formatCount(count)}`,
    `  root      ${root}`,
    `  position  ${position}`,
    `  register  ${register.entries === 1 ? '1 entry' : `${formatCount(register.entries)} entries`}${newest}`,
    `  seals     ${sealsInWords(manifest.seals, seals)}`,
    `  secrets   ${secrets.length === 0 ? 'none: the secret is needed from elsewhere' : secrets.join(', ')}`,
  ];
}

function sealsInWords(files: number, { match, excused }: VerifiedBackup['seals']): string {
  if (files === 0) return 'none';
  const ignored = files - match - excused;
  return [
    `${formatCount(files)}: ${formatCount(match)} match the log`,
    ...(excused === 0 ? [] : [`${formatCount(excused)} of events that a restore removed`]),
    ...(ignored === 0 ? [] : [`${formatCount(ignored)} of another log or not readable`]),
  ].join(', ');
}

const macInWords: Readonly<Record<VerifiedBackup['mac'], string>> = {
  valid: 'its MAC is valid',
  not_checked: 'its MAC was not checked, because the secret is not known here',
  accepted: 'without a valid MAC (--accept-unsigned)',
};
