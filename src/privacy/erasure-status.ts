/** How far erasures are, what the register has and the log lacks, and digests in the log that no erasure explains. */
import type { KeyObject } from 'node:crypto';
import { erasureDecider, type Erasure } from '../commands/erasures.js';
import { foldStream } from '../commands/fold-stream.js';
import { erasuresStream } from '../events/streams.js';
import { isRedacted } from '../eventstore/leaf.js';
import type { EventReader } from '../eventstore/event-store.js';
import { createFindings, type Finding } from '../integrity/findings.js';
import type { ReadModelReader } from '../readmodels/read-models.js';
import { isScavenged, waitsOf, type ErasureWaits } from './person-in-stores.js';
import { examineRegister, type PlaceStatus } from '../recovery/examine-register.js';
import type { MissingLines } from '../recovery/apply-register.js';
import type { RegisterPlaces } from '../recovery/register-file.js';
import { isRegistered } from '../recovery/registered-events.js';

export type ErasureStatus = Erasure & ErasureWaits;

interface StatusOptions {
  readonly places: RegisterPlaces;
  /** `deriveRegisterKey` of the secret, or undefined if the secret is not at hand. */
  readonly registerKey: KeyObject | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Called only if an erasure may wait for something. */
  openViews(): Promise<ReadModelReader>;
  readonly signal: AbortSignal;
  /** Called with the number of events of the log that were read. */
  readonly onProgress: (done: number) => void;
}

export interface RegisterStatus {
  readonly places: readonly PlaceStatus[];
  /** Whether the MAC of each line was checked. */
  readonly is_checked: boolean;
  /** Events of the log that belong into the register and have no line yet. */
  readonly without_line: number;
}

interface ErasuresStatus {
  /** By id. */
  readonly erasures: readonly ErasureStatus[];
  readonly register: RegisterStatus;
  /** Lines of the register whose events the log lacks. */
  readonly missing: MissingLines;
  readonly digests: readonly Finding[];
}

/** @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function erasureStatus(log: EventReader, options: StatusOptions): Promise<ErasuresStatus> {
  const state = await foldStream(log, erasuresStream, erasureDecider);
  const { places, isChecked, lines, missing } = await examineRegister(log, { ...options, key: options.registerKey });
  const ids = new Set(lines.map(({ event_id }) => event_id));
  const { digests, without_line } = await readWhole(log, { ...options, ids });
  const sorted = [...state.all.values()].sort((one, other) => (one.erasure_id < other.erasure_id ? -1 : 1));
  return {
    erasures: await withWaits(sorted, log, options),
    register: { places, is_checked: isChecked, without_line },
    missing,
    digests,
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

interface WholeReadOptions extends Pick<StatusOptions, 'signal' | 'onProgress'> {
  /** Ids of the events that have a line in the register. */
  readonly ids: ReadonlySet<string>;
}

async function readWhole(log: EventReader, { signal, onProgress, ids }: WholeReadOptions) {
  const findings = createFindings();
  let done = 0;
  let without_line = 0;
  for await (const batch of log.readAll({ signal })) {
    for (const event of batch) {
      findings.take(event, isRedacted(event.data));
      if (isRegistered(event) && !ids.has(event.id)) without_line += 1;
    }
    onProgress((done += batch.length));
  }
  return { digests: findings.all().filter(({ kind }) => kind === 'digest'), without_line };
}
