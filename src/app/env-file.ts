/** The file `.env` of the command line: settings from the current folder, if they are the user's own. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { CommandFailedError } from '../failures.js';
import { userName } from '../flow/users.js';

const envFileName = '.env';

interface EnvFile {
  readonly folder: string;
  /** Is given the variables that it has not. */
  readonly env: Record<string, string | undefined>;
  /** Of the current user; undefined on Windows, where files have no such owner. */
  readonly uid: number | undefined;
  onNotice(notice: string): void;
}

/**
 * Reads `.env` into the environment. A file of another user could lead the command line, and the API key that it sends, to
 * that user's service.
 * @throws CommandFailedError with exit code 2 if the file, or the link in its place, belongs neither to this user nor to root
 */
export function readEnvFile({ folder, env, uid, onNotice }: EnvFile): void {
  const file = path.join(folder, envFileName);
  const named = lstatSync(file, { throwIfNoEntry: false });
  if (named === undefined) return;
  demandOwner(file, named.uid, uid);
  let text: string;
  let descriptor: number | undefined;
  try {
    // Without waiting for the writer of a pipe.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    demandOwner(file, fstatSync(descriptor).uid, uid);
    text = readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof CommandFailedError) throw error;
    onNotice(`The file ${envFileName} is ignored, because it cannot be read: ${String(error)}`);
    return;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
  for (const [name, value] of Object.entries(parseEnv(text))) env[name] ??= value;
}

function demandOwner(file: string, owner: number, uid: number | undefined): void {
  if (uid === undefined || owner === uid || owner === 0) return;
  throw new CommandFailedError(
    `${file} belongs to ${userName(owner)}, neither to you (${userName(uid)}) nor to root, so nothing in it is used. Run the command in another folder, or with --no-env-file, which leaves the file out.`,
    { type: 'env_file', exitCode: 2 },
  );
}
