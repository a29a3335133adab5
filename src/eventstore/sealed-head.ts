/** The sealed head of a log: how many events it has and its last link, with a MAC that needs the secret of the deployment. */
import { createHmac, type KeyObject } from 'node:crypto';
import { field, type ChainHead } from './chain.js';

/** As it is stored; all in hex. */
export interface SealedHead {
  readonly count: number;
  readonly head: string;
  readonly mac: string;
}

/** HMAC-SHA-256 over three fields: log id, count, head. @param key derived from the secret (`deriveHeadKey`) */
export const macOf = (
  key: Uint8Array | KeyObject,
  { logId, count, head }: Pick<ChainHead, 'count' | 'head'> & { readonly logId: string },
): string =>
  createHmac('sha256', key)
    .update(`${field(logId)}${field(String(count))}${field(head)}`)
    .digest('hex');

/** Of a log and its sealed head, read at one moment. */
export interface SealedLogState {
  readonly logId: string;
  /** How many events the log has. */
  readonly count: number;
  readonly sealed: SealedHead | undefined;
  /** The link, in hex, of the event where the sealed head is; undefined where the log has none. */
  readonly linkThere: string | undefined;
}

/** `sealed_head`: it is missing, or was altered; or the history up to it was. `shortened`: the log ends before it. */
export interface HeadFault {
  readonly kind: 'sealed_head' | 'shortened';
  readonly message: string;
}

/**
 * What is wrong with a log by its sealed head.
 * @param key undefined: it is not known, so the MAC is not checked, and who wrote the sealed head is not known either
 */
export function headFault(
  { logId, count, sealed, linkThere }: SealedLogState,
  key: Uint8Array | undefined,
): HeadFault | undefined {
  const fault = (message: string): HeadFault => ({ kind: 'sealed_head', message });
  if (sealed === undefined) return count === 0 ? undefined : fault('the log has no sealed head: it was taken away');
  const fitting = endFault({ count: Math.min(count, sealed.count), linkThere }, sealed, mark);
  // Without its first event the log has no name, and no MAC is right.
  if (count === 0) return fitting;
  if (key !== undefined && macOf(key, { logId, ...sealed }) !== sealed.mac)
    return fault(
      'the sealed head of the log is not one that was made with the secret of this log: it was put there by somebody else',
    );
  return fitting;
}

const mark = 'its sealed head';

/** Where nothing may come after the sealed head, because each append moves it. */
export function unsealedEvents({ count, sealed }: Pick<SealedLogState, 'count' | 'sealed'>): HeadFault | undefined {
  const found = sealed && endFault({ count, linkThere: sealed.head }, sealed, mark);
  return found && { ...found, message: `${found.message}, or put an older sealed head there` };
}

/** Why a log does not end where it is known to. `mark` names how that is known. */
function endFault(
  { count, linkThere }: Pick<SealedLogState, 'count' | 'linkThere'>,
  known: Pick<ChainHead, 'count' | 'head'>,
  mark: string,
): HeadFault | undefined {
  const { count: last, head } = known;
  const fault = (message: string): HeadFault => ({ kind: 'sealed_head', message });
  if (count < last)
    return {
      kind: 'shortened',
      message: `the log ends after event ${count}, but ${mark} is of ${last} events: it was shortened`,
    };
  if (linkThere !== head)
    return fault(
      `the history up to event ${last} is not the one of ${mark}: the difference lies at or before event ${last}`,
    );
  if (count === last) return undefined;
  return fault(`the events after number ${last} are not covered by ${mark}: somebody else wrote them`);
}

/** What is said of a log that does not end as the process that writes it has left it. */
export const leftFault = (
  found: Pick<SealedLogState, 'count' | 'linkThere'>,
  known: Pick<ChainHead, 'count' | 'head'>,
): string | undefined => endFault(found, known, 'the end that this service left')?.message;
