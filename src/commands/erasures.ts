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
  /** Subject keys by the ids of what is unfinished. */
  readonly unfinished: Map<string, string>;
}

type Data<Type> = Extract<ErasureEvent, { type: Type }>['data'];
export type ErasureCommand =
  | ({
      readonly type: 'Request';
      /** This erasure, though unfinished, does not take what came after it. */
      readonly after?: string | undefined;
    } & Data<'ErasureRequested'>)
  | ({ readonly type: 'Complete' } & Data<'ErasureCompleted'>);

/** The newest of the person. */
export function unfinishedOf({ all, unfinished }: ErasuresState, subjectKey: string): Erasure | undefined {
  const ids = [...unfinished].flatMap(([id, key]) => (key === subjectKey ? [id] : []));
  return all.get(ids.sort().at(-1) ?? '');
}

export const erasureDecider: Decider<ErasuresState, ErasureCommand, ErasureEvent> = {
  initial: { all: Map(), unfinished: Map() },
  knows: knownBy<ErasureEvent>(erasureSchemas),
  evolve({ all, unfinished }, { type, data }, { at }) {
    if (type === 'ErasureRequested') {
      const { erasure_id, subject_key, reason = null } = data;
      const erasure = { erasure_id, subject_key, reason, requested_at: at, completed: null };
      return { all: all.set(erasure_id, erasure), unfinished: unfinished.set(erasure_id, subject_key) };
    }
    const erasure = all.get(data.erasure_id);
    if (erasure === undefined) return { all, unfinished };
    const { contacts, emails } = data;
    return {
      all: all.set(erasure.erasure_id, { ...erasure, completed: { at, contacts, emails } }),
      unfinished: unfinished.delete(erasure.erasure_id),
    };
  },
  decide(command, state) {
    if (command.type === 'Request') {
      const { type: _, after, ...data } = command;
      const open = unfinishedOf(state, data.subject_key);
      const isOne = state.all.has(data.erasure_id) || (open !== undefined && open.erasure_id !== after);
      return isOne ? [] : [{ type: 'ErasureRequested', data }];
    }
    const { type: _, ...data } = command;
    return state.all.get(data.erasure_id)?.completed === null ? [{ type: 'ErasureCompleted', data }] : [];
  },
};
