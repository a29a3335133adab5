/** What the endpoint of proofs does: the events of one person, with a proof that they are in the sealed log. */
import type { StoredEvents } from '../audit/stored-events.js';
import { ServiceError } from '../errors.js';
import type { Proof } from '../evidence/bundle.js';
import { TooManyEventsError, type ProofRequest } from '../evidence/prove.js';
import type { Call } from './endpoint-runner.js';
import type { Endpoints } from './endpoints/endpoints.js';
import type { Routes } from './routes.js';

export interface Proofs {
  /** Against a seal made now. Undefined: no such contact. @throws TooManyEventsError, ServiceError `unavailable` where the log is not verified yet */
  prove(stored: StoredEvents, request: Omit<ProofRequest, 'seal'>): Promise<Proof | undefined>;
}

interface ProofRoute {
  readonly stored: StoredEvents;
  readonly proofs: Proofs;
  readonly find: (call: Call<unknown, unknown, 'contact'>) => Promise<{ readonly stream: string }>;
}

/** An answer is made as a whole: this is some 20 MB. */
const limit = 10_000;

export function addProof(routes: Routes, endpoint: Endpoints['audit']['proof'], options: ProofRoute): void {
  const { stored, proofs, find } = options;
  routes.on(endpoint, async (call) => {
    const { stream } = await find(call);
    try {
      const proof = await proofs.prove(stored, { stream, limit, signal: call.signal() });
      if (proof === undefined) throw new ServiceError('no_such_contact');
      return { data: proof };
    } catch (error) {
      throw error instanceof TooManyEventsError ? new ServiceError('too_many_events', { limit }) : error;
    }
  });
}
