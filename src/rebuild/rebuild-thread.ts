/** Runs a rebuild in a thread of its own, off the HTTP thread and apart from the projector's. */
import type { Damage } from './damage.js';
import type { SwitchAnswer, NewStorages } from './switch.js';
import type { RebuildProgress, RebuildResult, RebuildRun } from './answers.js';
import type { StoreSettings } from '../stores/stores.js';
import type { FromRebuild, ToRebuild } from './rebuild-worker.js';
import { startWorkerThread } from '../flow/worker-thread.js';

export interface RebuildThreadOptions {
  readonly settings: StoreSettings;
  readonly holder: string;
  readonly run: RebuildRun;
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly requestSwitch: (built: NewStorages) => Promise<SwitchAnswer>;
  readonly onDamage: (damage: Damage) => void;
  /** Once, when the thread has ended: with a result, or the reason why there is none. */
  readonly onEnd: (end: RebuildResult | string) => void;
}

export type RebuildThread = ReturnType<typeof startRebuildThread>;

const closeWithinMs = 5_000;

export function startRebuildThread(options: RebuildThreadOptions) {
  const { settings, holder, run, onProgress, requestSwitch, onDamage, onEnd } = options;
  let end: RebuildResult | string = 'its thread ended by itself';
  const thread = startWorkerThread<FromRebuild, ToRebuild>(
    { name: 'rebuild', beside: import.meta.url },
    {
      workerData: { settings, holder, run },
      onMessage(message) {
        if (message.type === 'progress') onProgress(message.progress);
        else if (message.type === 'switch') void requestSwitch(message.built).then(thread.send);
        else if (message.type === 'damaged') onDamage(message.damage);
        else end = message.end;
      },
      onExit: (error) => onEnd(error === undefined ? end : `its thread died: ${error}`),
    },
  );
  /** What has been built is continued next time. Safe to call twice. */
  const close = (): Promise<void> => thread.close(closeWithinMs);
  return { close };
}
