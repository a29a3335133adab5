/** Checks that this user can use the data folder and the files in it, and that nobody else can write there or read them. */
import { accessSync, constants, existsSync, readdirSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { dataFolderAt, rights } from '../stores/data-folder.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';

const { R_OK, W_OK, X_OK } = constants;
/** Rights of the group and of all others. */
const ofOthers = 0o077;

export function checkFolder(dataDir: string): Diagnosis {
  const folder = path.resolve(dataDir);
  if (!existsSync(folder))
    return yellow(
      `there is no folder ${folder} yet`,
      'Start the service, which makes it, or name the right one with DATA_DIR or --data-dir.',
    );
  const files = fault(folder, R_OK | W_OK | X_OK) === undefined ? filesIn(folder) : [];
  const faults = [fault(folder, R_OK | W_OK | X_OK), ...files.map(({ file }) => fault(file, R_OK | W_OK))];
  const denied = faults.filter((found) => found !== undefined);
  if (denied.length > 0)
    return red(
      `this user (${userId()}) cannot read and write ${denied.join(', ')}`,
      'Run as the user of the service, give it these files with chown, or mount the disk for writing.',
    );
  const { mode } = statSync(folder);
  const openToAll = dataFolderAt(folder).openToAll();
  if (openToAll !== undefined)
    return red(
      `${openToAll.reason}, so a stranger can direct the command line and its API key to another service`,
      openToAll.remedy,
    );
  if (process.platform !== 'win32' && (mode & rights.groupWrites) !== 0)
    return yellow(
      `every member of the group of ${folder} can write to it and replace any file in it`,
      `Unless you trust all members, remove that right: chmod g-w ${folder}`,
    );
  const open = (mode & ofOthers) === 0 ? [] : files.filter(({ stats }) => (stats.mode & ofOthers) !== 0);
  if (open.length > 0)
    return yellow(
      `other users of this machine can get at ${open.map(({ file }) => path.basename(file)).join(', ')} in ${folder}`,
      `Remove the rights of other users: chmod -R go= ${folder}`,
    );
  return green(`${folder} can be read and written, by its owner only`);
}

interface FoundFile {
  readonly file: string;
  readonly stats: Stats;
}

/** A file may go meanwhile: a service may run. */
function filesIn(folder: string): readonly FoundFile[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ file, stats }];
  });
}

/** Name and reason. */
function fault(file: string, rights: number): string | undefined {
  try {
    accessSync(file, rights);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return code === 'ENOENT' ? undefined : `${file} (${code})`;
  }
}

const userId = (): string => `uid ${process.getuid?.() ?? 'unknown'}`;
