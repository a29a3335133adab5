/** Refused mail that a restore may not undo: each refusal and release has its line in the register before it is answered, and what a restored log lacks is asked for again in its order. */
import type { CommandContext } from '../commands/batch.js';
import type { Refusals } from '../commands/refusals.js';
import { ServiceError } from '../errors.js';
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

/** The handler, whose answers wait for the register. A line that could not be written comes with the next, also with a repeat. */
export function keptInRegister(
  handler: SuppressionHandler,
  { register, clock }: { readonly register: () => Pick<Register, 'keep'> | undefined; readonly clock: () => number },
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
      const at = new Date(clock()).toISOString();
      const lines = result.events.flatMap((event, index) =>
        entryOf(event, { subject_key: suppressedKey(request.stream), at, event_id: result.eventIds[index] ?? '' }),
      );
      if (register() === undefined || waiting.length + lines.length === 0) return result;
      waiting = [...waiting, ...lines];
      await write().catch((cause: unknown) => {
        throw new ServiceError('unavailable', {}, { cause, retryAfter: 1 });
      });
      return result;
    },
  };
}

function entryOf(
  event: SuppressionEvent,
  facts: Pick<RefusalEntry, 'subject_key' | 'at' | 'event_id'>,
): readonly RefusalEntry[] {
  if (event.type === 'SuppressionErased') return [];
  const { scope, reason } = event.data;
  if (event.type === 'AddressReleased') return [{ kind: 'mail_released', ...facts, scope, reason }];
  const { email_id, by } = event.data;
  return [{ kind: 'mail_refused', ...facts, scope, reason: event.data.reason, email_id, by: by?.kind }];
}

/** Pseudonyms of those whose refusals were asked for again. Nothing is read but the newest, where the log has it. @throws ServiceError `unavailable` */
export async function refusalsAgain(
  registered: readonly RefusalEntry[],
  { log, commands, newContext }: AgainOptions,
): Promise<readonly string[]> {
  const sorted = [...new Map(registered.map((one) => [one.event_id, one])).values()].sort((one, other) =>
    one.at < other.at ? -1 : 1,
  );
  const newest = sorted.at(-1);
  // A log is put back up to a point: with the newest it has all before it.
  if (newest === undefined || (await idsOf(log, newest.subject_key)).has(newest.event_id)) return [];
  const again = new Set<string>();
  const byPerson = new Map<string, RefusalEntry[]>();
  for (const one of sorted) byPerson.set(one.subject_key, [...(byPerson.get(one.subject_key) ?? []), one]);
  for (const [key, entries] of byPerson) {
    const there = await idsOf(log, key);
    const missing = entries.slice(entries.findLastIndex(({ event_id }) => there.has(event_id)) + 1);
    for (const entry of missing) await repeat(entry, commands, newContext());
    if (missing.length > 0) again.add(key);
  }
  return [...again];
}

interface AgainOptions {
  readonly log: Pick<EventReader, 'readStream'>;
  readonly commands: RefusalCommands;
  readonly newContext: () => CommandContext;
}

async function idsOf(log: AgainOptions['log'], key: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const events of log.readStream(suppressionStream(key))) for (const { id } of events) ids.add(id);
  return ids;
}

async function repeat(entry: RefusalEntry, commands: RefusalCommands, context: CommandContext): Promise<void> {
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
