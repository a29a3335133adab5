/** The record of the rebuild that this process carries out, as it is known best here: written again whenever it has changed, and over none but itself. */
import type { ReadModels } from '../readmodels/read-models.js';
import { writeRecord, type KeptRecords, type RebuildRecord } from '../projector/rebuild-record.js';

export interface RecordKeeper {
  current(): RebuildRecord | undefined;
  /** Not written before `keep`. */
  change(change: Partial<RebuildRecord>): void;
  /** As the record then is, after what is being written. @throws CommitConflictError @throws ReadModelsUnavailableError */
  keep(): Promise<void>;
  /** Settles when nothing is being written; never rejects. */
  written(): Promise<void>;
  /** Writes the record that `choose` makes of what stands there. It is not the current one before it is taken on. @throws CommitConflictError @throws ReadModelsUnavailableError */
  claim(choose: (kept: KeptRecords) => RebuildRecord | undefined): Promise<RebuildRecord | undefined>;
  /** One that was claimed. */
  takeOn(record: RebuildRecord): void;
  /** Somebody else carries it out now: nothing more is written of it. */
  letGo(): void;
}

export function createRecordKeeper(readModels: ReadModels): RecordKeeper {
  let current: RebuildRecord | undefined;
  /** As it was last written. */
  let kept: RebuildRecord | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const record = current;
    if (record === undefined || record === kept) return;
    await writeRecord(readModels, ({ record: stored }) =>
      stored === undefined || stored.rebuild_id === record.rebuild_id ? record : undefined,
    );
    kept = record;
  }

  return {
    current: () => current,
    change(change) {
      if (current !== undefined) current = { ...current, ...change };
    },
    keep() {
      writing = writing.catch(() => undefined).then(write);
      return writing;
    },
    written: () => writing.catch(() => undefined),
    claim: (choose) => writeRecord(readModels, choose),
    takeOn(record) {
      current = record;
      kept = record;
    },
    letGo() {
      current = undefined;
    },
  };
}
