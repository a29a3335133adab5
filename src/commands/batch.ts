/** Decides commands that wait for one stream, one after the other on the loaded state, into the events of a single append. Pure but for the ids, times and salts it is given. */
import { codec, saltOf, withSalt, type DomainEvent } from '../events/codec.js';
import type { Metadata, NewEvent } from '../events/envelope.js';
import { ServiceError } from '../errors.js';
import { isRefusal, type RequestFingerprint, type Decider } from './decider.js';

/** Who asks, and why. It goes into the metadata of every event that follows, see `metadataSchema`. */
export interface CommandContext {
  readonly correlationId: string;
  readonly causationId: string;
  readonly requestId: string;
  readonly actor: string;
  readonly idempotency?: RequestFingerprint | undefined;
  /** Of the first event, which a restored log has lost and gets again. Default: a new one. */
  readonly eventId?: string | undefined;
}

/** Returns the context of a command that the service runs by itself. @param id a new UUID, or the id of what caused the command */
export const serviceContext = (id: string): CommandContext => ({
  correlationId: id,
  causationId: id,
  requestId: id,
  actor: 'service',
});

export interface Sources {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newEventId: () => string;
  /** 16 random bytes in hex. */
  readonly newSalt: () => string;
}

export interface LoadedState<State> {
  readonly state: State;
  readonly revision: bigint;
  readonly position: string;
  /** Metadata time of the last event, `''` where there is none. */
  readonly at: string;
}

type CommandOutcome<State, Event> =
  | { readonly status: 'accepted'; readonly state: State; readonly events: readonly NewEvent<Event>[] }
  | { readonly status: 'refused'; readonly error: unknown };

export interface DecidedBatch<State, Event> {
  readonly outcomes: readonly CommandOutcome<State, Event>[];
  readonly events: readonly NewEvent<Event>[];
  readonly state: State;
  readonly at: string;
}

/** One append carries at most this; a single command is never divided. */
const maxEvents = 128;
const maxBytes = 512 * 1024;

interface BatchInput<State, Command, Event extends DomainEvent> {
  readonly decider: Decider<State, Command, Event>;
  readonly loaded: LoadedState<State>;
  readonly commands: readonly {
    readonly request: { readonly command: Command; readonly context: CommandContext };
  }[];
  readonly sources: Sources;
}

/** Decides as many of the commands as fit into one append, at least the first. A command that throws is refused alone. */
export function decideBatch<State, Command, Event extends DomainEvent>(
  input: BatchInput<State, Command, Event>,
): DecidedBatch<State, Event> {
  const outcomes: CommandOutcome<State, Event>[] = [];
  const events: NewEvent<Event>[] = [];
  let { state, at } = input.loaded;
  let bytes = 0;
  for (const {
    request: { command, context },
  } of input.commands) {
    const revision = input.loaded.revision + BigInt(events.length);
    const outcome = decideOne(input, { command, context, state, at, revision });
    if (outcome.status === 'accepted' && outcome.events.length > 0) {
      const size = outcome.events.reduce((sum, { encoded }) => sum + textBytes(encoded), 0);
      const full = events.length + outcome.events.length > maxEvents || bytes + size > maxBytes;
      if (outcomes.length > 0 && full) break;
      bytes += size;
      events.push(...outcome.events);
      state = outcome.state;
      at = outcome.events.at(-1)?.metadata.at ?? at;
    }
    outcomes.push(outcome);
  }
  return { outcomes, events, state, at };
}

interface Step<State, Command> {
  readonly command: Command;
  readonly context: CommandContext;
  readonly state: State;
  readonly at: string;
  readonly revision: bigint;
}

function decideOne<State, Command, Event extends DomainEvent>(
  { decider, sources }: BatchInput<State, Command, Event>,
  { command, context, state, at, revision }: Step<State, Command>,
): CommandOutcome<State, Event> {
  try {
    const now = new Date(sources.now()).toISOString();
    // Time never runs backwards within a stream: every answer about time cuts streams by it.
    const dated = now < at ? at : now;
    const decision = decider.decide(command, state, { idempotency: context.idempotency, revision, at: dated });
    if (isRefusal(decision))
      return { status: 'refused', error: new ServiceError(decision.refused, decision.parameters) };
    if (decision.length === 0) return { status: 'accepted', state, events: [] };
    const salted = decision.map((event) => withSalt(event, sources.newSalt));
    let stamp = stampOf(metadataOf(context, dated, salted));
    let after = state;
    const events: NewEvent<Event>[] = [];
    for (const event of salted) {
      const schema = codec.schemaVersion(event.type);
      if (schema !== stamp.metadata.schema) stamp = stampOf({ ...stamp.metadata, schema });
      after = decider.evolve(after, event, stamp.metadata);
      events.push(newEvent(event, stamp, (events.length === 0 ? context.eventId : undefined) ?? sources.newEventId()));
    }
    return { status: 'accepted', state: after, events };
  } catch (error) {
    return { status: 'refused', error };
  }
}

/** Metadata with its text: one for all events of a command that have the same schema version. */
interface Stamp {
  readonly metadata: Metadata;
  readonly text: string;
}

const stampOf = (metadata: Metadata): Stamp => ({ metadata, text: JSON.stringify(metadata) });

function newEvent<Event extends DomainEvent>(event: Event, { metadata, text }: Stamp, id: string): NewEvent<Event> {
  return { id, event, metadata, encoded: { id, type: event.type, data: codec.encode(event), metadata: text } };
}

/** The hash of what was asked dies with the salt, which goes with the personal data. */
function metadataOf(context: CommandContext, at: string, events: readonly DomainEvent[]): Metadata {
  const { correlationId, causationId, requestId, actor, idempotency: asked } = context;
  return {
    at,
    $correlationId: correlationId,
    $causationId: causationId,
    request_id: requestId,
    actor,
    schema: 1,
    ...(asked && { idempotency: { key_hash: asked.key_hash, request_hash: asked.hash(firstSalt(events)) } }),
  };
}

const firstSalt = (events: readonly DomainEvent[]): string | undefined =>
  events.map(saltOf).find((salt) => salt !== undefined);

/** Upper bound without measuring, where the text is short: the limit guards the append, the exact size does not matter. */
function textBytes({ data, metadata }: NewEvent<unknown>['encoded']): number {
  return (data.length < 512 ? 3 * data.length : Buffer.byteLength(data)) + metadata.length + 100;
}
