/** Users of this machine, for messages about the owners of files. */
import { readFileSync } from 'node:fs';

/** Returns the name of a user for messages: `ann (uid 1000)`, or `uid 1000` if /etc/passwd has no such user. */
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
