/** The transport of a service without `SMTP_URL`: each e-mail becomes a file `<email_id>.eml` in the outbox folder. */
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { giveToFolderOwner, makeSubfolder } from '../flow/durable-file.js';
import type { Mail, SendOutcome, Transport } from './transport.js';

interface OutboxOptions {
  readonly folder: string;
  /** Called for each file written, for a log line; holds nothing personal. */
  readonly onWritten?: (file: { readonly email_id: string; readonly file: string; readonly bytes: number }) => void;
}

/** Writing the same e-mail again replaces the file with the same bytes, so an attempt in doubt does no harm here. */
export function createOutboxTransport({ folder, onWritten }: OutboxOptions): Transport {
  const write = async (mail: Mail): Promise<SendOutcome> => {
    // Ids become file names: nothing that could leave the folder.
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(mail.email_id))
      return { status: 'failed', reason: 'invalid_message', stage: 'data' };
    const file = path.join(folder, `${mail.email_id}.eml`);
    makeSubfolder(folder);
    await writeDurably(file, mail.bytes);
    onWritten?.({ email_id: mail.email_id, file, bytes: mail.bytes.length });
    return { status: 'sent', reason: 'written' };
  };
  return {
    async send(mail, { beforeHandOver, mayHandOver, signal }) {
      try {
        if (beforeHandOver !== undefined && !(await beforeHandOver())) return { status: 'withdrawn' };
        if (signal.aborted || !mayHandOver()) return { status: 'deferred', reason: 'stopped', stage: 'data' };
      } catch {
        return { status: 'deferred', reason: 'stopped', stage: 'data' };
      }
      return await write(mail).catch(() => ({ status: 'deferred', reason: 'outbox_unavailable', stage: 'data' }));
    },
    probe: () => Promise.resolve({ status: 'ready' }),
    limit: () => undefined,
    close: () => undefined,
  };
}

/** Writes a file that is complete or absent, even after a power cut, because only a file on the disk gets its name. */
async function writeDurably(file: string, bytes: Buffer): Promise<void> {
  const temporary = `${file}.tmp`;
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    giveToFolderOwner(handle.fd, temporary);
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncFolder(path.dirname(file));
}

/** Whether this e-mail has a file. */
export const isInOutbox = (folder: string, emailId: string): boolean => existsSync(path.join(folder, `${emailId}.eml`));

/** The files of these e-mails, for good. */
export async function removeFromOutbox(folder: string, emailIds: readonly string[]): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of emailIds.flatMap((id) => [`${id}.eml`, `${id}.eml.tmp`]))
    await rm(path.join(folder, name), { force: true });
  await syncFolder(folder);
}

async function syncFolder(name: string): Promise<void> {
  const folder = await open(name, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
