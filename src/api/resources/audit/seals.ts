/** The endpoints of one event in full, its proof, and the seals. */
import type { Audit } from '../../../audit/audit.js';
import { hiddenFrom } from '../../../audit/redaction.js';
import { ServiceError } from '../../../errors.js';
import { wholeLog, type ReadKind } from '../../../events/access.js';
import { personOf } from '../../../events/streams.js';
import type { StoredEvent } from '../../../eventstore/event-store.js';
import type { Proofs } from '../../../integrity/service-proofs.js';
import type { AccessLog } from '../../http/access-log.js';
import type { Call } from '../../http/endpoint-runner.js';
import { answerOfPage, pageRequest } from '../../http/reads.js';
import type { Routes } from '../../http/routes.js';
import { auditEndpoints } from './endpoints.js';

interface SealRoutes {
  readonly audit: { readonly feed: Pick<Audit['feed'], 'at'> };
  readonly proofs: Pick<Proofs, 'placeOf' | 'proveEvent' | 'sealStates'>;
  readonly access: AccessLog;
}

type EventCall = Call<unknown, unknown, 'position'>;

export function addSeals(routes: Routes, { audit, proofs, access }: SealRoutes): void {
  /** @throws ServiceError `not_found` */
  async function eventAt(call: EventCall) {
    const found = await audit.feed.at(call.parameter('position'), hiddenFrom(call.scopes));
    if (found === undefined) throw new ServiceError('not_found');
    return found;
  }

  /** Reading the record of reads is not recorded. */
  const note = async (call: EventCall, { stream, type }: StoredEvent, what: ReadKind): Promise<void> => {
    if (type !== 'RecordRead') await access.note(call, { subject: personOf(stream) ?? wholeLog, what });
  };

  routes.on(auditEndpoints.event, async (call) => {
    const { stored, shown } = await eventAt(call);
    const place = await proofs.placeOf(stored);
    await note(call, stored, 'feed');
    return { data: { ...shown, ...place } };
  });

  routes.on(auditEndpoints.eventProof, async (call) => {
    const { stored } = await eventAt(call);
    const proof = await proofs.proveEvent(stored, hiddenFrom(call.scopes));
    await note(call, stored, 'proof');
    return { data: proof };
  });

  routes.on(auditEndpoints.seals, async (call) => {
    const scope = ['seals'];
    const { limit, cursor: after } = pageRequest(call.query, scope);
    const { log, ...page } = await proofs.sealStates({ after, limit });
    const { data, beside } = answerOfPage(page, { scope });
    return { data, beside: { ...beside, ...log } };
  });
}
