/** The rules of the deployment itself: initialised once, and from then on opened only with the same secret; a restore is recorded once. */
import { serviceSchemas, type ServiceEvent } from '../events/service.js';
import { knownBy, type Decider } from './decider.js';

type RestoredLog = Extract<ServiceEvent, { type: 'LogRestored' }>['data'];

export interface ServiceState {
  /** `null` before the log has been initialised. */
  readonly logId: string | null;
  readonly secretFingerprint: string;
  /** The last time; null: never. A log that was restored is longer than it was then, so no other restore is the same. */
  readonly restored: RestoredLog | null;
}

interface InitialiseService {
  readonly type: 'Initialise';
  readonly logId: string;
  readonly secretFingerprint: string;
}

export type ServiceCommand = InitialiseService | ({ readonly type: 'RecordRestored' } & RestoredLog);

export const serviceDecider: Decider<ServiceState, ServiceCommand, ServiceEvent> = {
  initial: { logId: null, secretFingerprint: '', restored: null },
  evolve: (state, { type, data }) =>
    type === 'LogRestored'
      ? { ...state, restored: data }
      : { ...state, logId: data.log_id, secretFingerprint: data.secret_fingerprint },
  decide(command, { logId, restored }) {
    if (command.type === 'Initialise')
      return logId === null
        ? [
            {
              type: 'ServiceInitialised',
              data: { log_id: command.logId, secret_fingerprint: command.secretFingerprint },
            },
          ]
        : [];
    const { count, head } = command;
    return restored?.count === count && restored.head === head ? [] : [{ type: 'LogRestored', data: { count, head } }];
  },
  knows: knownBy<ServiceEvent>(serviceSchemas),
};
