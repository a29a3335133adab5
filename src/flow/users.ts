/** Users of this machine, for messages about the owners of files. */
import { readFileSync } from 'node:fs';

/** Names a user for people: `ann (uid 1000)`, or `uid 1000` if the user has no entry in /etc/passwd. */
export function userName(uid: number): string {
  const entry = passwd()
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, , id]) => id === String(uid));
  return entry?.[0] === undefined ? `uid ${uid}` : `${entry[0]} (uid ${uid})`;
}

function passwd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}
