/** How far erasures are, as the log has them; what it lacks of the registers; and digests that no erasure explains. */
import { erasureDecider, type Erasure } from '../commands/erasures.js';
import { foldStream } from './fold-stream.js';
import { erasuresStream } from '../events/streams.js';
import { isRedacted } from '../eventstore/leaf.js';
import type { EventReader } from '../eventstore/event-store.js';
import { readLogId } from '../eventstore/log-id.js';
import { createFindings, type Finding } from '../integrity/findings.js';
import type { ReadModelReader } from '../readmodels/read-models.js';
import { isScavenged, waitsOf, type ErasureWaits } from './person-in-stores.js';
import { missingInLog } from './missing.js';
import { newestOf, placesOf, readRegister, type RegisterContent, type RegisterPlaces } from './register.js';

export interface RegisterStatus {
  readonly file: string;
  readonly erasures: number;
  /** Rotations and revocations. */
  readonly keys: number;
  /** Of mail, and their releases. */
  readonly refusals: number;
  /** When the newest was requested. Whether there was one after it the register cannot tell. */
  readonly newest: string | null;
}

export type ErasureStatus = Erasure & ErasureWaits;

interface StatusOptions {
  readonly places: RegisterPlaces;
  /** Opened only where something may wait. */
  openViews(): Promise<ReadModelReader>;
  readonly signal: AbortSignal;
  /** Of reading the whole log: how many events so far. */
  readonly onProgress: (done: number) => void;
}

/** Erasures by id. @throws StoreUnavailableError @throws ReadModelsUnavailableError @throws RegisterError */
export async function erasureStatus(log: EventReader, options: StatusOptions) {
  const state = await foldStream(log, erasuresStream, erasureDecider);
  const registers = await registersIn(log, options.places);
  const contents = registers.map(({ content }) => content);
  const { erasures, keys, refusals } = await missingInLog(log, contents, { isThorough: true });
  const sorted = [...state.all.values()].sort((one, other) => (one.erasure_id < other.erasure_id ? -1 : 1));
  return {
    registers: registers.map(statusOf),
    /** In a register, and not in the log. */
    missing: { erasures, keys: keys.map(([, change]) => change), refusals: [...refusals.values()].flat() },
    digests: await unexplained(log, options),
    erasures: await withWaits(sorted, log, options),
  };
}

async function withWaits(
  erasures: readonly Erasure[],
  log: EventReader,
  { openViews }: Pick<StatusOptions, 'openViews'>,
): Promise<readonly ErasureStatus[]> {
  const mayWait = isScavenged(log) || erasures.some(({ completed }) => completed === null);
  if (!mayWait) return erasures.map((one) => ({ ...one, waits_for_scavenge: false, waits_for_emails: [] }));
  const views = await openViews();
  try {
    const all: ErasureStatus[] = [];
    for (const one of erasures) all.push({ ...one, ...(await waitsOf(one, { log, views })) });
    return all;
  } finally {
    await views.close();
  }
}

interface FoundRegister {
  readonly file: string;
  readonly content: RegisterContent;
}

async function registersIn(log: EventReader, places: RegisterPlaces): Promise<readonly FoundRegister[]> {
  const logId = (await readLogId(log)) ?? '';
  return placesOf(places).map((file) => ({ file, content: readRegister(file, logId) }));
}

const statusOf = ({ file, content }: FoundRegister): RegisterStatus => ({
  file,
  erasures: content.erasures.length,
  keys: content.keys.length,
  refusals: content.refusals.length,
  newest: newestOf(content) ?? null,
});

async function unexplained(
  log: EventReader,
  { signal, onProgress }: Pick<StatusOptions, 'signal' | 'onProgress'>,
): Promise<readonly Finding[]> {
  const findings = createFindings();
  let done = 0;
  for await (const batch of log.readAll({ signal })) {
    for (const event of batch) findings.take(event, isRedacted(event.data));
    onProgress((done += batch.length));
  }
  return findings.all().filter(({ kind }) => kind === 'digest');
}
