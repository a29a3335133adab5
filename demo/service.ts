/** Starts the service on the folder of the demo, in this process, as `npm start` does, with nothing of the environment but where to listen. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { mailSettings } from './shop.js';

/** The last one has the service end with npm. There is no SMTP_URL: e-mails go to the outbox. */
const kept = new Set([
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'SystemRoot',
  'HOST',
  'PORT',
  'LOG_LEVEL',
  'npm_lifecycle_event',
]);

/** `main`: the built service. Resolves with where it listens, once it is ready. Where it cannot start it ends the process. */
export async function startService(folder: string, main: string): Promise<string> {
  const { PORT = '3000', LOG_LEVEL = 'warn' } = process.env;
  for (const name of Object.keys(process.env)) if (!kept.has(name)) delete process.env[name];
  Object.assign(process.env, mailSettings, { LOG_LEVEL, DATA_DIR: folder, PUBLIC_URL: `http://localhost:${PORT}` });
  // Where it starts, the service reads a file .env, which may be that of another one.
  process.chdir(folder);
  const addressFile = path.join(folder, 'address');
  void import(pathToFileURL(main).href);
  for (;;) {
    await sleep(50, undefined, { ref: false });
    const address = existsSync(addressFile) ? readFileSync(addressFile, 'utf8').trim() : '';
    if (address !== '' && (await isReady(address))) return address;
  }
}

const isReady = async (address: string): Promise<boolean> =>
  (await fetch(`${address}/health/ready`).catch(() => undefined))?.ok === true;
