/** The runs of this process's mailer: by the lock of an embedded log, or by a lease beside the views that several processes share. */
import { randomUUID } from 'node:crypto';
import {
  createLeasedRuns,
  runLeaseMs,
  runLeaseName,
  soleRun,
  type LeasedRunsOptions,
  type Runs,
} from '../mailer/runs.js';
import { createLease } from '../projector/lease.js';
import { openReadModels, type OpenEventStore, type StoreSettings } from '../stores/stores.js';

interface MailRunsOptions extends Pick<LeasedRunsOptions, 'onRun' | 'onLapsed' | 'onFault'> {
  readonly settings: StoreSettings;
  readonly store: Pick<OpenEventStore, 'soleWriter' | 'head'>;
}

/** @throws ReadModelsUnavailableError */
export async function openMailRuns({ settings, store, ...hooks }: MailRunsOptions): Promise<Runs> {
  const mailerId = randomUUID();
  if (store.soleWriter) return soleRun(mailerId);
  const readModels = await openReadModels(settings.views);
  const name = runLeaseName(mailerId);
  const monotonic = (): number => performance.now();
  const runs = createLeasedRuns({
    ...hooks,
    mailerId,
    lease: createLease({ readModels, name, holder: mailerId, ttl: runLeaseMs, now: monotonic, wall: Date.now }),
    fenceOff: readModels.fenceOff,
    head: store.head,
    ttl: runLeaseMs,
    monotonic,
  });
  return { ...runs, close: () => runs.close().then(readModels.close) };
}
