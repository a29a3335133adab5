/** The rules of what an address refuses: each reason of each scope once, until a release lifts the scope. */
import {
  activeAfter,
  everyMail,
  forgottenReason,
  isActive,
  suppressionSchemas,
  type PersonsClick,
  type Suppression,
  type SuppressionEvent,
  type SuppressionReason,
} from '../events/suppressions.js';
import type { Metadata } from '../events/envelope.js';
import { countedWith, hasCounted, isCounted, isOverThreshold, reset, type CountedBounce } from './counted-bounces.js';
import { knownBy, type DecisionContext, type Decider, type Decision } from './decider.js';

export interface SuppressionState {
  /** In the order in which they came. */
  readonly active: readonly Suppression[];
  /** Refusals of the recipient's mail server in the last 30 days, oldest first. */
  readonly counted: readonly CountedBounce[];
  /** An event that no SuppressionErased covers has personal data. */
  readonly hasPerson: boolean;
  /** Personal data is to go from the events up to this revision; null: none was erased. */
  readonly erased_through: number | null;
}

type Data<Type> = Extract<SuppressionEvent, { type: Type }>['data'];

interface Suppress {
  readonly type: 'Suppress';
  /** All of them in one append. */
  readonly entries: readonly Pick<Suppression, 'scope' | 'reason' | 'email_id'>[];
  readonly by?: PersonsClick | undefined;
  /** Undefined: of an erased person. */
  readonly person?: NonNullable<Data<'AddressSuppressed'>['person']> | undefined;
}

interface Release {
  readonly type: 'Release';
  readonly scope: string;
  /** A code. `forgotten` lifts every scope. */
  readonly reason: string;
  readonly by?: PersonsClick | undefined;
  readonly note?: string | undefined;
}

/** Counts that the recipient's mail server refused an email. Yields no event if the refusal was counted before or mail is already stopped. */
interface CountBounce extends Readonly<Data<'BounceCounted'>> {
  readonly type: 'CountBounce';
  /** BOUNCE_THRESHOLD. */
  readonly unclearDays: number;
  /** Undefined if the address is erased. */
  readonly person?: Suppress['person'];
}

export type SuppressionCommand =
  | Suppress
  | Release
  | CountBounce
  /** What was said goes, what is refused stays. */
  | { readonly type: 'EraseSuppression' };

const initial: SuppressionState = { active: [], counted: [], hasPerson: false, erased_through: null };

function evolve(state: SuppressionState, event: SuppressionEvent, { at }: Pick<Metadata, 'at'>): SuppressionState {
  switch (event.type) {
    case 'AddressSuppressed':
    case 'AddressReleased': {
      const hasPerson = state.hasPerson || (event.data.person ?? null) !== null;
      const counted = event.type === 'AddressReleased' ? reset(state.counted) : state.counted;
      return { ...state, active: activeAfter(state.active, event, at), counted, hasPerson };
    }
    case 'BounceCounted':
      return { ...state, counted: countedWith(state.counted, event.data, at) };
    case 'SuppressionErased':
      return { ...state, counted: reset(state.counted), hasPerson: false, erased_through: event.data.through };
    default:
      return event satisfies never;
  }
}

function decide(
  command: SuppressionCommand,
  state: SuppressionState,
  { revision, at }: DecisionContext,
): Decision<SuppressionEvent> {
  switch (command.type) {
    case 'Suppress':
      return suppress(command, state);
    case 'Release':
      return release(command, state);
    case 'CountBounce':
      return countBounce(command, state, at);
    case 'EraseSuppression':
      return isErasable(state) ? [{ type: 'SuppressionErased', data: { through: Number(revision) } }] : [];
    default:
      return command satisfies never;
  }
}

function suppress({ entries, by, person }: Suppress, { active }: SuppressionState): readonly SuppressionEvent[] {
  const missing = entries.filter((entry) => !isActive(active, entry));
  const once = new Map(missing.map((entry) => [`${entry.scope} ${entry.reason}`, entry]));
  return [...once.values()].map(({ scope, reason, email_id }) => ({
    type: 'AddressSuppressed',
    data: {
      reason,
      scope,
      ...(email_id === undefined ? {} : { email_id }),
      ...(by === undefined ? {} : { by }),
      ...(person === undefined ? {} : { person }),
    },
  }));
}

function countBounce(command: CountBounce, state: SuppressionState, at: string): Decision<SuppressionEvent> {
  const { email_id, kind, unclearDays, person } = command;
  const bounce = { email_id, kind };
  if (refusalOf(state, undefined) !== undefined || !isCounted(state.counted, bounce, at)) return [];
  const counted: SuppressionEvent = { type: 'BounceCounted', data: bounce };
  if (!isOverThreshold(countedWith(state.counted, bounce, at), kind, unclearDays)) return [counted];
  const entries = [{ scope: everyMail, reason: 'repeated_bounces', email_id }] as const;
  return [counted, ...suppress({ type: 'Suppress', entries, person }, state)];
}

/** Returns whether the stream says something that an erasure of the person ends: personal data, or refusals that count. */
export const isErasable = ({ hasPerson, counted }: SuppressionState): boolean => hasPerson || hasCounted(counted);

/** A person lifts what they refused themselves: where others stop all mail, even since the person looked, nothing is lifted. */
function release({ type: _, note, ...data }: Release, state: SuppressionState): Decision<SuppressionEvent> {
  if (data.by !== undefined && data.scope === everyMail && refusalOf(state, undefined) !== undefined) return [];
  const released: SuppressionEvent = { type: 'AddressReleased', data };
  const isLifted = activeAfter(state.active, released, '').length < state.active.length;
  if (!isLifted && !(data.reason === forgottenReason && hasCounted(state.counted))) return [];
  return [note === undefined ? released : { ...released, data: { ...data, person: { note } } }];
}

/** Of mail to nobody's list: a newsletter that was unsubscribed from never blocks a password reset. */
const stopsEveryMail: ReadonlySet<SuppressionReason> = new Set([
  'hard_bounce',
  'repeated_bounces',
  'complaint',
  'manual',
]);

/** Why mail must not go out: to a subscriber of this list, or without a list to anybody. Undefined: it may. */
export function refusalOf(
  { active }: Pick<SuppressionState, 'active'>,
  listId: string | undefined,
): Pick<Suppression, 'reason' | 'since'> | undefined {
  const found = active.find(({ scope, reason }) =>
    listId === undefined ? scope === everyMail && stopsEveryMail.has(reason) : scope === everyMail || scope === listId,
  );
  return found && { reason: found.reason, since: found.since };
}

export const suppressionDecider: Decider<SuppressionState, SuppressionCommand, SuppressionEvent> = {
  initial,
  evolve,
  decide,
  knows: knownBy<SuppressionEvent>(suppressionSchemas),
};
