/** Answers of backup and restore: words on a terminal, one object of JSON elsewhere. */
import type { VerifiedBackup } from '../../recovery/verify-backup.js';
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

export function contentInWords({ folder, manifest, mac, seals, register, now }: Content): readonly string[] {
  const { made_at, log_id, restores, count, root, position, secrets, versions } = manifest;
  return [
    `${folder} is a complete backup.`,
    `  made      ${ageInWords(made_at, now)}, by version ${versions.service}`,
    `  manifest  ${macInWords[mac]}`,
    `  log       ${log_id}`,
    `  restores  ${formatCount(restores)}`,
    `  events    ${formatCount(count)}`,
    `  root      ${root}`,
    `  position  ${position}`,
    `  register  ${registerInWords(register)}`,
    `  seals     ${sealsInWords(manifest.seals, seals)}`,
    `  secrets   ${secrets.length === 0 ? 'none: the secret is needed from elsewhere' : secrets.join(', ')}`,
  ];
}

function registerInWords({ entries, invalid, checked }: VerifiedBackup['register']): string {
  return [
    counted(entries, 'line'),
    ...(invalid === 0 ? [] : [`${formatCount(invalid)} not valid`]),
    ...(checked || entries === 0 ? [] : ['their MACs were not checked, because the secret is not known here']),
  ].join(', ');
}

function sealsInWords(files: number, { match, excused }: VerifiedBackup['seals']): string {
  if (files === 0) return 'none';
  if (match === files) return `${formatCount(files)}, and the log matches`;
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
