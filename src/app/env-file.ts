/** The file `.env` in the current folder. The command line reads it only if it belongs to the user or to root. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { CommandFailedError } from '../failures.js';
import { userName } from '../flow/users.js';

const envFileName = '.env';

interface EnvFile {
  readonly folder: string;
  /** Gets the variables that it does not have yet. */
  readonly env: Record<string, string | undefined>;
  /** Id of the current user; undefined on Windows, where files have no such owner. */
  readonly uid: number | undefined;
  onNotice(notice: string): void;
}

/**
 * Reads `.env` into the environment. Refuses a file of another user, because that file could direct the command line and its
 * API key to a service of that user.
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
    // Do not wait for the writer of a pipe.
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
    `${file} belongs to ${userName(owner)}, neither to you (${userName(uid)}) nor to root, so the command line does not use it. Run the command in another folder, or add --no-env-file to ignore the file.`,
    { type: 'env_file', exitCode: 2 },
  );
}
