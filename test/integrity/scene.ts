/** Starts of the service in this process on a data folder with seals. */
import { pino } from 'pino';
import { expect, vi } from 'vitest';
import { AlteredLogError } from '../../src/eventstore/log-source.js';
import { audience } from '../support/audience.js';
import { getFrom, startLocally } from '../support/local-service.js';
import { stateOf, type Scene } from './attacks.js';

export const envOf = ({ copies }: Pick<Scene, 'copies'>) => ({ SEAL_EVERY: '0', SEAL_DIR: copies });
/** Waits until the service on the folder is ready. */
export const ready = (folder: string): Promise<boolean> =>
  vi.waitUntil(async () => (await getFrom(folder, '/health/ready')).status === 200, { timeout: 20_000 });

/** Seals a running service, because a proof of its last event demands it. */
export async function sealNow(folder: string): Promise<void> {
  const { count } = stateOf(folder);
  const answer = await getFrom(folder, `/v1/audit/events/${String(count).padStart(20, '0')}/proof`);
  expect(answer.status, await answer.text()).toBe(200);
}

interface Start {
  /** Why the start was refused, or why the check after the start ended the service. */
  readonly refused: string;
  readonly altered: string;
  /** Lines of the log from level warn. */
  readonly said: string;
}

/** Starts the service, and waits until the whole log was checked. */
export async function startOn(scene: Scene, env: NodeJS.ProcessEnv = {}): Promise<Start> {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  let service;
  try {
    service = await startLocally(scene.folder, { ...envOf(scene), ...env }, { logger });
  } catch (error) {
    expect((error as Error).name).toMatch(/^(AlteredLogError|ConfigurationError|StoreUnavailableError)$/);
    return { refused: String(error), altered: '', said: lines.join('') };
  }
  const found: AlteredLogError[] = [];
  void service.altered?.then((error) => found.push(error));
  await vi.waitUntil(async () => found.length > 0 || (await isChecked(scene.folder)), { timeout: 20_000 });
  await service.close().catch((error: unknown) => expect(error).toBeInstanceOf(AlteredLogError));
  return { refused: '', altered: found.map(String).join(), said: lines.join('') };
}

/** Whether the whole log was checked since the start. */
export async function isChecked(folder: string): Promise<boolean> {
  const answer = (await (await getFrom(folder, '/health/ready')).json()) as {
    readonly data?: { readonly integrity?: { readonly read_back_at: string | null } };
  };
  return (answer.data?.integrity?.read_back_at ?? null) !== null;
}

export const verify = ({ folder, copies }: Scene, ...more: string[]) =>
  audience(['audit', 'verify', '--data-dir', folder, ...more], { env: { SEAL_DIR: copies } });
