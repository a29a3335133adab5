/**
 * The table of events that a restore must not undo, with the command that brings each of them back. `register.ts` writes a line
 * for each event that `isRegistered` accepts, and `apply-register.ts` executes the commands. A new kind is a new entry here.
 */
import { z } from 'zod';
import { contactDecider, type ContactCommand } from '../commands/contact.js';
import type { ContactState } from '../commands/contact-state.js';
import type { CommandContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { isRefusal, type Decider } from '../commands/decider.js';
import { erasureDecider, unfinishedOf, type ErasureCommand, type ErasuresState } from '../commands/erasures.js';
import { keyDecider, type KeyCommand, type KeysState } from '../commands/keys.js';
import { suppressionDecider, type SuppressionCommand, type SuppressionState } from '../commands/suppressions.js';
import { ServiceError } from '../errors.js';
import type { DomainEvent, EventType } from '../events/codec.js';
import type { ContactEvent } from '../events/contact.js';
import type { ErasureEvent } from '../events/erasures.js';
import type { KeyEvent } from '../events/keys.js';
import { forgottenReason, type SuppressionEvent } from '../events/suppressions.js';
import type { RecordedEvent } from '../events/envelope.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import { jsonIn } from '../flow/json.js';

type Execute<State, Command, Event> = Pick<CommandHandler<State, Command, Event>, 'execute'>;

/** The command handlers through which events are brought back. */
export interface RecoveryCommands {
  readonly contacts: Execute<ContactState, ContactCommand, ContactEvent>;
  readonly suppressions: Execute<SuppressionState, SuppressionCommand, SuppressionEvent>;
  readonly keys: Execute<KeysState, KeyCommand, KeyEvent>;
  readonly erasures: Execute<ErasuresState, ErasureCommand, ErasureEvent>;
}

/**
 * The rule for an event whose line turns up at a later start than the first one after the restore, for example because a place
 * of the register was away then.
 *
 * - `apply`: brings the event back, because refusing mail or access once too often does less harm than the opposite.
 * - `report`: leaves the event to the operator, because it may belong to a branch of the log that the restore left.
 * - `apply_if_unchanged`: brings the event back if nothing has happened to the person since the restore, and otherwise reports it.
 */
type LateRule = 'apply' | 'report' | 'apply_if_unchanged';

interface CommandInput<State> {
  /** The state of the stream, after the lines before this one. */
  readonly state: State;
  /** The original time of the event. */
  readonly at: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Returns the name of a list, or undefined if the list was deleted. */
  readonly nameOf: (listId: string) => string | undefined;
}

type OfType<Type extends EventType> = Extract<DomainEvent, { type: Type }>;

interface Rules<Type extends EventType, State, Command> {
  readonly late: LateRule;
  /** Returns the command, or undefined if there is nothing to bring back. */
  command(event: OfType<Type>, input: CommandInput<State>): Command | undefined;
  /** Returns whether a later event of the log decides the same thing, so that this event must not come back. */
  isSupersededBy(event: OfType<Type>, later: DomainEvent): boolean;
  /** Returns the id of what the event is about, if its stream has events about several things. */
  subjectOf?(event: OfType<Type>): string;
}

/** The rules of an event type, as functions that accept events of any type. */
interface Kind<State, Command> {
  readonly type: EventType;
  readonly late: LateRule;
  command(event: DomainEvent, input: CommandInput<State>): Command | undefined;
  isSupersededBy(event: DomainEvent, later: DomainEvent): boolean;
  subjectOf(event: DomainEvent): string;
}

function kind<Type extends EventType, State, Command>(
  type: Type,
  { late, command, isSupersededBy, subjectOf = () => '' }: Rules<Type, State, Command>,
): Kind<State, Command> {
  return {
    type,
    late,
    command: (event, input) => (isOfType(event, type) ? command(event, input) : undefined),
    isSupersededBy: (event, later) => isOfType(event, type) && isSupersededBy(event, later),
    subjectOf: (event) => (isOfType(event, type) ? subjectOf(event) : ''),
  };
}

const isOfType = <Type extends EventType>(event: DomainEvent, type: Type): event is OfType<Type> => event.type === type;

const suppressed = kind('AddressSuppressed', {
  late: 'apply',
  // The person is not brought back, because the register has only the digest.
  command: ({ data: { scope, reason, email_id, by } }): SuppressionCommand => ({
    type: 'Suppress',
    entries: [{ scope, reason, email_id }],
    by,
  }),
  isSupersededBy: ({ data: { scope, reason } }, { type, data }) =>
    type === 'AddressSuppressed'
      ? data.scope === scope && data.reason === reason
      : type === 'AddressReleased' && isReleased(scope, data),
});

const released = kind('AddressReleased', {
  late: 'report',
  command: ({ data: { scope, reason, by } }): SuppressionCommand => ({ type: 'Release', scope, reason, by }),
  isSupersededBy: ({ data: { scope } }, { type, data }) => type === 'AddressReleased' && isReleased(scope, data),
});

const isReleased = (scope: string, by: OfType<'AddressReleased'>['data']): boolean =>
  by.scope === scope || by.reason === forgottenReason;

const unsubscribed = kind('ContactUnsubscribed', {
  late: 'apply',
  command: (
    { data: { contact_id, list_id, by } },
    { state, nameOf }: CommandInput<ContactState>,
  ): ContactCommand | undefined =>
    // A contact that was created after an erasure has another id and keeps its lists.
    by === undefined || state.contactId !== contact_id ? undefined : { type: 'Refuse', scope: list_id, nameOf, by },
  isSupersededBy: ({ data: { contact_id, list_id } }, { type, data }) =>
    (type === 'ContactUnsubscribed' || (type === 'ContactSubscribed' && data.by !== undefined)) &&
    data.contact_id === contact_id &&
    data.list_id === list_id,
});

const rotated = kind('ApiKeyRotated', {
  late: 'report',
  command(
    { data: { key_id, hash, previous_until } },
    { state, at, now }: CommandInput<KeysState>,
  ): KeyCommand | undefined {
    const key = state.get(key_id);
    // A key that the log does not have opens nothing.
    if (key === undefined) return undefined;
    // Keep the length of the overlap, so that a clock that was ahead does not make it longer.
    const overlapMs = Math.max(0, Date.parse(previous_until) - Date.parse(at));
    const granted = { granter: new Set(key.scopes), by: 'service', now: new Date(now).toISOString() };
    return { type: 'Rotate', key_id, hash, previous_until: new Date(now + overlapMs).toISOString(), ...granted };
  },
  isSupersededBy: ({ data: { key_id } }, { type, data }) => type === 'ApiKeyRotated' && data.key_id === key_id,
  subjectOf: ({ data }) => data.key_id,
});

const revoked = kind('ApiKeyRevoked', {
  late: 'apply',
  command: ({ data: { key_id, reason } }): KeyCommand => ({ type: 'Revoke', key_id, reason }),
  // A revocation is final.
  isSupersededBy: () => false,
  subjectOf: ({ data }) => data.key_id,
});

const erasureRequested = kind('ErasureRequested', {
  late: 'apply_if_unchanged',
  // `after` lets several erasures of one person keep their ids, so that a client finds its erasure by the id.
  command: ({ data: { erasure_id, subject_key, reason } }, { state }: CommandInput<ErasuresState>): ErasureCommand => ({
    type: 'Request',
    erasure_id,
    subject_key,
    reason,
    after: unfinishedOf(state, subject_key)?.erasure_id,
  }),
  isSupersededBy: ({ data: { subject_key } }, { type, data }) =>
    type === 'ErasureRequested' && data.subject_key === subject_key,
});

/** A copy of a stream in memory, on which lines of the register are tried. */
export interface TrialStream {
  /** Applies the next event of the log to the copy. */
  take(recorded: RecordedEvent<DomainEvent>): void;
  /** Returns the attempt to bring the event back, or undefined if its command would change nothing. */
  attempt(line: RecordedEvent<DomainEvent>, input: Pick<CommandInput<unknown>, 'now' | 'nameOf'>): Attempt | undefined;
}

interface Attempt {
  /** Applies the events of the command to the copy. */
  keep(): void;
  /** Executes the command on the log. Resolves with whether that appended anything. @throws ServiceError `unavailable` */
  execute(commands: RecoveryCommands, context: CommandContext): Promise<boolean>;
}

/** A registered event type, as `apply-register.ts` uses it. */
export interface RegisteredKind extends Omit<Kind<never, never>, 'command'> {
  openTrial(): TrialStream;
}

function kindsOf<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  handlerOf: (commands: RecoveryCommands) => Execute<State, Command, Event>,
  kinds: readonly Kind<State, Command>[],
): readonly RegisteredKind[] {
  function openTrial(): TrialStream {
    let state = decider.initial;
    let revision = -1n;
    let last = '';
    return {
      take({ event, metadata, revision: ofEvent }) {
        if (!decider.knows(event)) return;
        state = decider.evolve(state, event, metadata);
        [revision, last] = [ofEvent, metadata.at];
      },
      attempt({ stream, event, metadata }, { now, nameOf }) {
        const command = kinds
          .find(({ type }) => type === event.type)
          ?.command(event, { state, at: metadata.at, now, nameOf });
        if (command === undefined) return undefined;
        const dated = new Date(now).toISOString();
        const at = dated < last ? last : dated;
        const decision = decider.decide(command, state, { revision, at });
        // A refused command has nothing to bring back. For example, a key that has ended opens nothing.
        if (isRefusal(decision) || decision.length === 0) return undefined;
        return {
          keep() {
            for (const one of decision) state = decider.evolve(state, one, { at });
          },
          async execute(commands, context) {
            try {
              const { events } = await handlerOf(commands).execute({ stream, command, context });
              return events.length > 0;
            } catch (error) {
              if (error instanceof ServiceError && error.code !== 'unavailable') return false;
              throw error;
            }
          },
        };
      },
    };
  }
  return kinds.map(({ type, late, isSupersededBy, subjectOf }) => ({
    type,
    late,
    isSupersededBy,
    subjectOf,
    openTrial,
  }));
}

const kinds = new Map<string, RegisteredKind>(
  [
    ...kindsOf(suppressionDecider, ({ suppressions }) => suppressions, [suppressed, released]),
    ...kindsOf(contactDecider, ({ contacts }) => contacts, [unsubscribed]),
    ...kindsOf(keyDecider, ({ keys }) => keys, [rotated, revoked]),
    ...kindsOf(erasureDecider, ({ erasures }) => erasures, [erasureRequested]),
  ].map((one) => [one.type, one]),
);

/** Returns the registered event type with this name, or undefined if no such events are registered. */
export const registeredKind = (type: string): RegisteredKind | undefined => kinds.get(type);

const byPerson = z.object({ by: z.object({}) });

/** Returns whether a restore must not undo the event. An unsubscription is registered only if the person decided it. */
export const isRegistered = ({ type, data }: Pick<StoredEvent, 'type' | 'data'>): boolean =>
  kinds.has(type) && (type !== unsubscribed.type || byPerson.safeParse(jsonIn(data)).success);
