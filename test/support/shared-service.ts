/** One service for all test files of a worker that need nothing special of it: a start takes more than a second of CPU time. */
import { rmSync } from 'node:fs';
import { startService, type Service } from './service.js';

let shared: Promise<Service> | undefined;

/** It ends with the worker: do not close it, and start it again where you kill it. It holds what other files have written. */
export const sharedService = (): Promise<Service> => (shared ??= start());

async function start(): Promise<Service> {
  const service = await startService();
  process.once('exit', () => rmSync(service.dataDir, { recursive: true, force: true, maxRetries: 5 }));
  // Vitest ends its workers by this signal.
  process.once('SIGTERM', () => process.exit());
  return service;
}
