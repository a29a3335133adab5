/** The rules of the deployment itself: initialised once, and from then on opened only with the same secret. */
import { serviceSchemas, type ServiceEvent } from '../events/service.js';
import { knownBy, type Decider } from './decider.js';

export interface ServiceState {
  /** `null` before the log has been initialised. */
  readonly logId: string | null;
  readonly secretFingerprint: string;
}

export interface InitialiseService {
  readonly logId: string;
  readonly secretFingerprint: string;
}

export const serviceDecider: Decider<ServiceState, InitialiseService, ServiceEvent> = {
  initial: { logId: null, secretFingerprint: '' },
  evolve: (_state, { data }) => ({ logId: data.log_id, secretFingerprint: data.secret_fingerprint }),
  decide: ({ logId, secretFingerprint }, state) =>
    state.logId === null
      ? [{ type: 'ServiceInitialised', data: { log_id: logId, secret_fingerprint: secretFingerprint } }]
      : [],
  knows: knownBy<ServiceEvent>(serviceSchemas),
};
