/** Where a service under test may write its log: files and pipes that this process holds open for as long as a test runs. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { freshFolder, type Service } from '../support/service.js';

export function opened(file: string, flags: number): number {
  const descriptor = openSync(file, flags);
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}

/** A pipe whose ends this process holds. */
export function pipe(): { readonly reader: number; readonly writer: number; closeReader(): void } {
  const folder = freshFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  let isOpen = true;
  const closeReader = (): void => {
    if (isOpen) closeSync(reader);
    isOpen = false;
  };
  onTestFinished(closeReader);
  return { reader, writer: opened(file, constants.O_WRONLY), closeReader };
}

/** Each leaves a log line of about 250 bytes. */
export async function requests(service: Service, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 50)
    await Promise.all(Array.from({ length: 50 }, () => service.get('/v1/groups', { 'x-request-id': 'x'.repeat(128) })));
}
