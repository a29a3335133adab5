/** Refused mail that a restore may not undo: each refusal and release has its line in the register before it is answered, and what a restored log lacks is asked for again in its order. */
import type { CommandContext } from '../commands/batch.js';
import type { Refusals } from '../commands/refusals.js';
import { suppressionDecider } from '../commands/suppressions.js';
import { ServiceError } from '../errors.js';
import { codec } from '../events/codec.js';
import { suppressedKey, suppressionStream } from '../events/streams.js';
import type { SuppressionEvent } from '../events/suppressions.js';
import { createSingleFlight } from '../flow/single-flight.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { RefusalEntry, Register } from './register.js';
import type { SuppressionHandler } from '../commands/suppression-requests.js';

export interface RefusalCommands {
  readonly suppressions: Pick<SuppressionHandler, 'execute'>;
  readonly refusals: Pick<Refusals, 'refuse'>;
}

interface KeptOptions {
  readonly reader: Pick<EventReader, 'readStream'>;
  readonly register: () => Pick<Register, 'keep'> | undefined;
  readonly clock: () => number;
}

/** The handler, whose answers wait for the register. A line that could not be written comes with the next; one that a crash has cut off, with a repeat. */
export function keptInRegister(
  handler: SuppressionHandler,
  { reader, register, clock }: KeptOptions,
): SuppressionHandler {
  let waiting: readonly RefusalEntry[] = [];
  /** Those that come while some are written wait for the next write together. */
  const write = createSingleFlight(async () => {
    const now = waiting;
    await register()?.keep(now);
    waiting = waiting.slice(now.length);
  });
  return {
    ...handler,
    async execute(request) {
      const result = await handler.execute(request);
      if (register() === undefined) return result;
      try {
        waiting = [...waiting, ...(result.events.length === 0 ? await storedIn(request.stream) : entriesOf(result))];
        if (waiting.length > 0) await write();
      } catch (cause) {
        throw new ServiceError('unavailable', {}, { cause, retryAfter: 1 });
      }
      return result;

      function entriesOf({ events, eventIds }: typeof result): readonly RefusalEntry[] {
        const at = new Date(clock()).toISOString();
        const subject_key = suppressedKey(request.stream);
        return events.flatMap((event, index) => entryOf(event, { subject_key, at, event_id: eventIds[index] ?? '' }));
      }
    },
  };

  /** What is there already may be of a process that was killed before its line was written. */
  async function storedIn(stream: string): Promise<readonly RefusalEntry[]> {
    const entries: RefusalEntry[] = [];
    for await (const events of reader.readStream(stream))
      for (const stored of events) {
        const { event, metadata } = codec.decode(stored);
        if (!suppressionDecider.knows(event)) continue;
        entries.push(...entryOf(event, { subject_key: suppressedKey(stream), at: metadata.at, event_id: stored.id }));
      }
    return entries;
  }
}

function entryOf(
  event: SuppressionEvent,
  facts: Pick<RefusalEntry, 'subject_key' | 'at' | 'event_id'>,
): readonly RefusalEntry[] {
  // A restore may lose counted refusals. Mail then only stops later.
  if (event.type === 'SuppressionErased' || event.type === 'BounceCounted') return [];
  const { scope, reason } = event.data;
  if (event.type === 'AddressReleased') return [{ kind: 'mail_released', ...facts, scope, reason }];
  const { email_id, by } = event.data;
  return [{ kind: 'mail_refused', ...facts, scope, reason: event.data.reason, email_id, by: by?.kind }];
}

/** Under the id of its event: where a process is killed meanwhile, the next one finds what is done. @throws ServiceError `unavailable` */
export async function refuseAgain(
  entry: RefusalEntry,
  commands: RefusalCommands,
  given: CommandContext,
): Promise<void> {
  const context = { ...given, eventId: entry.event_id };
  const { subject_key: contactKey, scope } = entry;
  const stream = suppressionStream(contactKey);
  if (entry.kind === 'mail_released') {
    const command = { type: 'Release', scope, reason: entry.reason } as const;
    return void (await commands.suppressions.execute({ stream, command, context }));
  }
  const { reason, email_id, by } = entry;
  // What a person did by a link also changes the status in the lists.
  if (reason === 'unsubscribe' && by !== undefined) {
    const asked = { contactKey, scope, reason, by: { kind: by, email_id: email_id ?? '' } } as const;
    return await commands.refusals.refuse(asked, context);
  }
  const command = { type: 'Suppress', entries: [{ scope, reason, email_id }] } as const;
  await commands.suppressions.execute({ stream, command, context });
}
