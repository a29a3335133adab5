/** The view `email_outcomes`: per day how many e-mails were requested and what became of attempts, by the times of the events. No addresses. */
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
  /** Reports that one could not be delivered, after a server had taken it; there may be several of one e-mail. */
  readonly bounced: number;
  /** Reports that one was called spam. */
  readonly complained: number;
};

export type OutcomesDay = Outcomes & { readonly day: string };

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
};

export const emailOutcomes: Projection<OutcomesDay> = {
  name: 'email_outcomes',
  version: 3,
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
    'EmailBounced',
    'EmailComplained',
  ],

  keys: ({ event, metadata }) => (outcomesOf(event) === undefined ? [] : [dayOf(metadata.at)]),

  evolve(document, { event, metadata }) {
    const outcomes = outcomesOf(event);
    if (outcomes === undefined) throw new CannotFoldError(`email_outcomes do not fold ${event.type}`);
    const { day, ...before } = document ?? { day: dayOf(metadata.at), ...zero };
    return { day, ...addCounts<keyof Outcomes>(before, outcomes) };
  },
};

function outcomesOf(event: DomainEvent): Outcomes | undefined {
  switch (event.type) {
    case 'EmailRequested':
      return { ...zero, requested: 1 };
    case 'EmailSent':
      return { ...zero, sent: 1 };
    case 'EmailDeferred':
      return { ...zero, deferred: 1 };
    case 'EmailFailed':
      return { ...zero, failed: 1 };
    case 'EmailReleased':
      return event.data.previous_status === 'failed' ? { ...zero, reopened: 1 } : undefined;
    case 'EmailInDoubt':
      return { ...zero, in_doubt: 1, held: event.data.next_attempt_at === null ? 1 : 0 };
    case 'EmailHeld':
      return { ...zero, held: 1 };
    case 'EmailBounced':
      return { ...zero, bounced: 1 };
    case 'EmailComplained':
      return { ...zero, complained: 1 };
    default:
      return undefined;
  }
}

export type OutcomesRow = Span & Outcomes;

export function outcomeRows(days: readonly OutcomesDay[], range: Range): readonly OutcomesRow[] {
  const changes = days.map(({ day, ...counts }) => ({ day, counts }));
  return sumByInterval<keyof Outcomes>(changes, range, zero).rows.map(({ span, counts }) => ({ ...span, ...counts }));
}
