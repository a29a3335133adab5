/** The view `email_outcomes`: per day how many e-mails were requested and what became of attempts and why, by the times of the events. No addresses. */
import type { DomainEvent } from '../events/codec.js';
import { dayOf, type Range, type Span } from './calendar.js';
import { CannotFoldError, type Projection } from './projection.js';
import { addCounts, sumByInterval } from './sum-by-interval.js';

type Outcomes = {
  readonly requested: number;
  readonly sent: number;
  /** To be tried again: an e-mail may be deferred several times. */
  readonly deferred: number;
  /** An e-mail that is released may fail again. */
  readonly failed: number;
  /** Failed e-mails that were released: `failed` less these are failed still. */
  readonly reopened: number;
  /** Perhaps sent: an e-mail may be in doubt several times. */
  readonly in_doubt: number;
  /** Not tried again by itself, perhaps sent or not. */
  readonly held: number;
  /** Verified reports that an email could not be delivered after a server had taken it. One email may have several. */
  readonly bounced: number;
  /** Verified reports that an email was called spam. */
  readonly complained: number;
  /** Reports of either kind that were not verified. */
  readonly unverified: number;
  /** One that was in doubt may have been sent, or be sent afterwards. */
  readonly cancelled: number;
};

export const outcomesWithReason = ['deferred', 'failed', 'in_doubt', 'held', 'bounced', 'cancelled'] as const;
type OutcomeWithReason = (typeof outcomesWithReason)[number];

/** How often, by `outcome/reason`. */
type Reasons = Readonly<Record<string, number>>;

export type OutcomesDay = Outcomes & { readonly day: string; readonly reasons: Reasons };

const zero: Outcomes = {
  requested: 0,
  sent: 0,
  deferred: 0,
  failed: 0,
  reopened: 0,
  in_doubt: 0,
  held: 0,
  bounced: 0,
  complained: 0,
  unverified: 0,
  cancelled: 0,
};

export const emailOutcomes: Projection<OutcomesDay> = {
  name: 'email_outcomes',
  version: 6,
  personal: false,
  indexes: [],
  readAsWhole: true,
  scopes: ['analytics:read'],
  handles: [
    'EmailRequested',
    'EmailSent',
    'EmailDeferred',
    'EmailFailed',
    'EmailReleased',
    'EmailInDoubt',
    'EmailHeld',
    'EmailCancelled',
    'EmailBounced',
    'EmailComplained',
  ],

  keys: ({ event, metadata }) => (outcomesOf(event) === undefined ? [] : [dayOf(metadata.at)]),

  evolve(document, { event, metadata }) {
    const outcomes = outcomesOf(event);
    if (outcomes === undefined) throw new CannotFoldError(`email_outcomes do not fold ${event.type}`);
    const { day, reasons, ...before } = document ?? { day: dayOf(metadata.at), reasons: {}, ...zero };
    return {
      day,
      ...addCounts<keyof Outcomes>(before, { ...zero, ...outcomes }),
      reasons: addCounts(reasons, reasonsOf(event, outcomes)),
    };
  },
};

function outcomesOf(event: DomainEvent): Partial<Outcomes> | undefined {
  switch (event.type) {
    case 'EmailRequested':
      return { requested: 1 };
    case 'EmailSent':
      return { sent: 1 };
    case 'EmailDeferred':
      return { deferred: 1 };
    case 'EmailFailed':
      return { failed: 1 };
    case 'EmailReleased':
      return event.data.previous_status === 'failed' ? { reopened: 1 } : undefined;
    case 'EmailInDoubt':
      return { in_doubt: 1, ...(event.data.next_attempt_at === null && { held: 1 }) };
    case 'EmailHeld':
      return { held: 1 };
    case 'EmailBounced':
      return event.data.verified ? { bounced: 1 } : { unverified: 1 };
    case 'EmailComplained':
      return event.data.verified ? { complained: 1 } : { unverified: 1 };
    case 'EmailCancelled':
      return { cancelled: 1 };
    default:
      return undefined;
  }
}

/** Reasons are codes of this service: there are few. */
function reasonsOf({ type, data }: DomainEvent, outcomes: Partial<Outcomes>): Reasons {
  const reason = type === 'EmailBounced' ? data.kind : 'reason' in data ? data.reason : undefined;
  const explained = outcomesWithReason.filter((outcome) => outcomes[outcome] !== undefined);
  return reason === undefined ? {} : Object.fromEntries(explained.map((outcome) => [`${outcome}/${reason}`, 1]));
}

export type OutcomesRow = Span &
  Outcomes & {
    readonly reasons: readonly {
      readonly outcome: OutcomeWithReason;
      readonly reason: string;
      readonly count: number;
    }[];
  };

export function outcomeRows(days: readonly OutcomesDay[], range: Range): readonly OutcomesRow[] {
  const changes = days.map(({ day, reasons: _, ...counts }) => ({ day, counts }));
  const sums = sumByInterval<keyof Outcomes>(changes, range, zero).rows;
  const why = days.map(({ day, reasons }) => ({ day, counts: reasons }));
  const reasons = sumByInterval<string>(why, range, {}).rows;
  return sums.map(({ span, counts }, at) => ({ ...span, ...counts, reasons: listed(reasons[at]?.counts ?? {}) }));
}

/** By outcome, the most frequent reasons first. */
const listed = (reasons: Reasons): OutcomesRow['reasons'] =>
  outcomesWithReason.flatMap((outcome) =>
    Object.entries(reasons)
      .filter(([name]) => name.startsWith(`${outcome}/`))
      .map(([name, count]) => ({ outcome, reason: name.slice(outcome.length + 1), count }))
      .sort((one, other) => other.count - one.count || (one.reason < other.reason ? -1 : 1)),
  );
