/** The whole service in this process, on a data folder, spoken to over HTTP: for what is done to its files while it runs. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pino, type Logger } from 'pino';
import { expect } from 'vitest';
import { startService, type Service } from '../../src/app/start-service.js';
import { readConfig } from '../../src/stores/config.js';

export const localKey = 'a-key-of-these-tests';
const headers = { authorization: `Bearer ${localKey}` };

interface LocalOptions {
  readonly logger?: Logger;
  /** Most events that are read for one page of the feed. */
  readonly mostSearched?: number;
  /** Runs the build, because only the build has the console. */
  readonly isBuilt?: boolean;
}

const built = new URL('../../dist/app/start-service.js', import.meta.url).href;

/** Starts the service as main.ts does. Rejects if the service refuses to start. */
export async function startLocally(
  folder: string,
  env: NodeJS.ProcessEnv = {},
  { logger = pino({ level: 'silent' }), isBuilt = false, ...options }: LocalOptions = {},
): Promise<Service> {
  const config = readConfig({ DATA_DIR: folder, PORT: '0', API_KEYS: `test:${localKey}`, LOG_LEVEL: 'silent', ...env });
  const lines = { write: () => true, dropped: () => 0 } as unknown as Parameters<typeof startService>[1]['lines'];
  const { startService: start } = isBuilt
    ? ((await import(/* @vite-ignore */ built)) as { readonly startService: typeof startService })
    : { startService };
  return start(config, { logger, lines, ...options }, new AbortController().signal);
}

/** The address of the service that runs on the folder, with a path. */
export const urlOf = (folder: string, target = ''): string =>
  readFileSync(path.join(folder, 'address'), 'utf8').trim() + target;

export const getFrom = (folder: string, target: string): Promise<Response> => fetch(urlOf(folder, target), { headers });

/** So many contacts in a list of their own, each two events. Returns their addresses. */
export async function addContacts(folder: string, count: number): Promise<readonly string[]> {
  const name = randomBytes(4).toString('hex');
  const made = await fetch(urlOf(folder, '/v1/lists/create'), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ list_name: name }),
  });
  const { data } = (await made.json()) as { data: { list_id: string } };
  const emails = Array.from({ length: count }, (_, at) => `${name}${at}@example.com`);
  const rows = emails.map((email) => JSON.stringify({ email, status: 'Subscribed' }));
  const answer = await fetch(urlOf(folder, `/v1/contacts/${data.list_id}/bulk`), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: `${rows.join('\n')}\n`,
  });
  expect(answer.status).toBe(200);
  await answer.text();
  return emails;
}
