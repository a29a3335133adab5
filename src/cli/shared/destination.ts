/** Where the answer of a command goes that has `--out`: a file that is whole or not there, or standard output. */
import { open, rename } from 'node:fs/promises';
import path from 'node:path';
import { demandPlace, withDraft } from '../../export/file.js';
import { giveToFolderOwner } from '../../flow/durable-file.js';
import type { CommandLine } from './command-line.js';

interface Destination {
  /** `-` is standard output. */
  readonly out: string;
  readonly force: boolean;
  /** Of a file. Default: everybody may read it. */
  readonly mode?: number;
}

/** @throws CommandFailedError in words, before anything is read. */
export function demandDestination({ out, force }: Destination): void {
  if (out !== '-') demandPlace(out, force);
}

/** A file holds the whole text or does not exist. It is written in a folder of its own first, so never through a symlink. */
export async function put(text: string, { out, mode = 0o666 }: Destination, { stdout }: CommandLine): Promise<void> {
  if (out === '-') return await stdout.write(Buffer.from(text));
  await withDraft(path.dirname(path.resolve(out)), async (own) => {
    const draft = path.join(own, 'draft');
    const file = await open(draft, 'wx', mode);
    try {
      giveToFolderOwner(file.fd, out);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, out);
  });
}
