/** Faults on command for the stand-in for EventStoreDB: which call meets which, how often, and what is held back. */
import { errors, type CallError } from './errors.js';

type CallKind = 'append' | 'read' | 'subscribe' | 'other';

export type FaultType =
  /** No answer, ever; `release()` lets it come after all. */
  | 'hang'
  /** The connection is broken, with all calls on it. */
  | 'reset'
  /** The append is written, then the connection is broken. */
  | 'lost_reply'
  /** On the shared append stream only: the answer comes twice. */
  | 'duplicate_reply'
  /** The live subscription is dropped as too slow. */
  | 'drop'
  | 'not_ready'
  | 'not_leader'
  | 'too_busy'
  /** As by a server on its way down. */
  | 'shut_down'
  /** Wrong credentials. */
  | 'unauthenticated'
  /** The right credentials without the right. */
  | 'access_denied';

export interface Fault {
  readonly kind: 'append' | 'read' | 'subscribe' | 'any';
  readonly type: FaultType;
  /** So many calls. Default: all, until cleared. */
  readonly times?: number;
  /** By the name of the stream; reads of the whole log ask for `$all`. */
  readonly match?: (stream: string) => boolean;
  /** Reads and subscriptions: after so many events were sent, 0 = after the confirmation. Default: instead of any answer. */
  readonly afterEvents?: number;
  /** Appends that hang or meet a reset: whether they were written. Default: no. */
  readonly written?: boolean;
}

export interface Injected {
  readonly hits: number;
  clear(): void;
  /** What hangs because of it goes on: appends are written and answered, reads and subscriptions continue. */
  release(): void;
}

/** What a call that has met a fault waits for. */
export interface Strike extends Fault {
  /** Resolves at `release()`; never, if that does not come. */
  readonly released: Promise<void>;
}

interface Call {
  readonly kind: CallKind;
  readonly stream: string;
  readonly isBatch?: boolean;
}

export interface Faults {
  inject(fault: Fault): Injected;
  /** The fault that this call meets, if any: the one injected first. */
  strike(call: Call): Strike | undefined;
  clear(): void;
}

export function createFaults(): Faults {
  const active = new Set<{ readonly fault: Fault; hit(): Strike }>();

  return {
    inject(fault) {
      let hits = 0;
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const entry = {
        fault,
        hit(): Strike {
          hits += 1;
          if (hits === fault.times) active.delete(entry);
          return { ...fault, released };
        },
      };
      active.add(entry);
      return {
        get hits() {
          return hits;
        },
        clear: () => void active.delete(entry),
        release,
      };
    },
    strike(call) {
      for (const { fault, hit } of active) if (meets(fault, call)) return hit();
      return undefined;
    },
    clear: () => active.clear(),
  };
}

/** What only some calls can meet. */
const only: Partial<Record<FaultType, (call: Call) => boolean>> = {
  duplicate_reply: ({ isBatch }) => isBatch === true,
  lost_reply: ({ kind }) => kind === 'append',
  drop: ({ kind }) => kind === 'subscribe',
};

function meets({ kind, type, match }: Fault, call: Call): boolean {
  if (kind !== 'any' && kind !== call.kind) return false;
  return (only[type]?.(call) ?? true) && (match?.(call.stream) ?? true);
}

/** The error that a fault is told with; undefined where it is told otherwise, or not at all. */
export function errorOf(
  type: FaultType,
  leader: { readonly host: string; readonly port: number },
): CallError | undefined {
  switch (type) {
    case 'not_ready':
      return errors.notReady();
    case 'not_leader':
      return errors.notLeader(leader);
    case 'too_busy':
      return errors.tooBusy();
    case 'drop':
      return errors.tooSlow();
    case 'shut_down':
      return errors.shutDown();
    case 'unauthenticated':
      return errors.unauthenticated();
    case 'access_denied':
      return errors.accessDenied();
    case 'hang':
    case 'reset':
    case 'lost_reply':
    case 'duplicate_reply':
      return undefined;
    default:
      return type satisfies never;
  }
}
