/** The rules of the register of erasures: one unfinished erasure per person, and what is completed stays so. */
import { Map } from 'immutable';
import { erasureSchemas, type ErasureEvent } from '../events/erasures.js';
import { knownBy, type Decider } from './decider.js';

/** Times are UTC in ISO 8601 with milliseconds. */
export interface Erasure {
  readonly erasure_id: string;
  readonly subject_key: string;
  readonly reason: string | null;
  readonly requested_at: string;
  /** Null: not finished. */
  readonly completed: { readonly at: string; readonly contacts: number; readonly emails: number } | null;
}

export interface ErasuresState {
  readonly all: Map<string, Erasure>;
  /** Id of the unfinished erasure of each subject key. */
  readonly unfinished: Map<string, string>;
}

type Data<Type> = Extract<ErasureEvent, { type: Type }>['data'];
export type ErasureCommand =
  | ({ readonly type: 'Request' } & Data<'ErasureRequested'>)
  | ({ readonly type: 'Complete' } & Data<'ErasureCompleted'>);

export const erasureDecider: Decider<ErasuresState, ErasureCommand, ErasureEvent> = {
  initial: { all: Map(), unfinished: Map() },
  knows: knownBy<ErasureEvent>(erasureSchemas),
  evolve({ all, unfinished }, { type, data }, { at }) {
    if (type === 'ErasureRequested') {
      const { erasure_id, subject_key, reason = null } = data;
      const erasure = { erasure_id, subject_key, reason, requested_at: at, completed: null };
      return { all: all.set(erasure_id, erasure), unfinished: unfinished.set(subject_key, erasure_id) };
    }
    const erasure = all.get(data.erasure_id);
    if (erasure === undefined) return { all, unfinished };
    const { contacts, emails } = data;
    return {
      all: all.set(erasure.erasure_id, { ...erasure, completed: { at, contacts, emails } }),
      unfinished: unfinished.delete(erasure.subject_key),
    };
  },
  decide({ type: _, ...data }, { all, unfinished }) {
    if ('subject_key' in data)
      return all.has(data.erasure_id) || unfinished.has(data.subject_key) ? [] : [{ type: 'ErasureRequested', data }];
    return all.get(data.erasure_id)?.completed === null ? [{ type: 'ErasureCompleted', data }] : [];
  },
};
