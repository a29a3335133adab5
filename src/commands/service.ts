/** The rules of the deployment itself: a log is initialised once, is opened only with the same secret afterwards, and records each restore once. */
import { serviceSchemas, type ServiceEvent } from '../events/service.js';
import { knownBy, type Decider } from './decider.js';

type RestoredLog = Extract<ServiceEvent, { type: 'LogRestored' }>['data'];

export interface ServiceState {
  /** `null` before the log has been initialised. */
  readonly logId: string | null;
  readonly secretFingerprint: string;
  /** Number of `LogRestored` events. */
  readonly restores: number;
  /**
   * The last restore; null if there was none. A log is longer after a restore than its backup was, so two restores never have
   * the same count and root.
   */
  readonly restored: Pick<RestoredLog, 'count' | 'root'> | null;
}

interface InitialiseService {
  readonly type: 'Initialise';
  readonly logId: string;
  readonly secretFingerprint: string;
}

/**
 * Records a restore with one `LogRestored` for each MAC. Several events are recorded after a restore from a backup that had
 * fewer restores than the newest known seal, so that the log has more restores than every seal that it supersedes.
 */
export interface RecordRestored extends Omit<RestoredLog, 'mac'> {
  readonly type: 'RecordRestored';
  /** MACs of the next restores of the log, in order, each with its number. */
  readonly macs: readonly { readonly number: number; readonly mac: string }[];
}

export type ServiceCommand = InitialiseService | RecordRestored;

export const serviceDecider: Decider<ServiceState, ServiceCommand, ServiceEvent> = {
  initial: { logId: null, secretFingerprint: '', restores: 0, restored: null },
  evolve: (state, { type, data }) =>
    type === 'LogRestored'
      ? { ...state, restores: state.restores + 1, restored: { count: data.count, root: data.root } }
      : { ...state, logId: data.log_id, secretFingerprint: data.secret_fingerprint },
  decide(command, { logId, restores, restored }) {
    if (command.type === 'Initialise')
      return logId === null
        ? [
            {
              type: 'ServiceInitialised',
              data: { log_id: command.logId, secret_fingerprint: command.secretFingerprint },
            },
          ]
        : [];
    const { count, root, superseded, macs } = command;
    if (restored?.count === count && restored.root === root) return [];
    // Another process recorded a restore after this process counted them, so these MACs are not valid.
    if (macs[0]?.number !== restores + 1) return { refused: 'unavailable' };
    return macs.map(({ mac }) => ({ type: 'LogRestored', data: { count, root, superseded, mac } }));
  },
  knows: knownBy<ServiceEvent>(serviceSchemas),
};
