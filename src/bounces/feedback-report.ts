/** Reads what a mailbox provider reports of its users' opinion: RFC 5965. */
import { blocksOf } from './fields.js';

export interface Complaint {
  readonly type: 'complaint';
  /** The envelope sender of the e-mail, as the provider saw it. */
  readonly originalSender?: string;
  readonly envelopeId?: string;
}

/** What recipients say. The other types are about authentication or viruses, or say that it is no spam. */
const complaints = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list']);

/** Undefined: it is no complaint. */
export function complaintIn(text: string): Complaint | undefined {
  const [fields] = blocksOf(text);
  if (!complaints.has(fields?.get('feedback-type')?.toLowerCase() ?? '')) return undefined;
  const originalSender = fields?.get('original-mail-from');
  const envelopeId = fields?.get('original-envelope-id');
  return {
    type: 'complaint',
    ...(originalSender === undefined ? {} : { originalSender }),
    ...(envelopeId === undefined ? {} : { envelopeId }),
  };
}
