/** The e-mails and their states: of the running service, or folded from the log where none runs. */
import { z } from 'zod';
import { codec, isUnreadable } from '../../events/codec.js';
import { deliveryStates, emails, type DeliveryState, type EmailDocument } from '../../projections/emails.js';
import { CannotFoldError } from '../../projections/projection.js';
import { toEmailAnswer, type EmailAnswer } from '../../projections/queries.js';
import type { CommandLine } from '../command-line.js';
import type { ServiceClient } from '../service-client.js';
import { itemsFrom } from '../through-service.js';
import { whileOpen } from '../while-open.js';

export type Email = EmailAnswer;

export interface Wanted {
  readonly state: DeliveryState | undefined;
  readonly limit: number;
}

const time = z.string().nullable();
const emailSchema = z.object({
  email_id: z.string(),
  state: z.enum(deliveryStates),
  attempts: z.number(),
  requested_at: z.string(),
  sent_at: time,
  next_attempt_at: time,
  last_error: z.string().nullable(),
});

/** @throws CommandFailedError */
export async function emailsOfService(service: ServiceClient, { state, limit }: Wanted): Promise<readonly Email[]> {
  const filter = state === undefined ? '' : `&state=${state}`;
  return await itemsFrom(service, `/v1/email?limit=${Math.min(200, limit)}${filter}`, {
    item: emailSchema,
    most: limit,
  });
}

/** @throws CommandFailedError, StoreUnavailableError */
export async function emailsInLog(line: CommandLine, { state, limit }: Wanted): Promise<readonly Email[]> {
  const documents = new Map<string, EmailDocument>();
  const unreadable = new Set<string>();
  await whileOpen(line.openLog(), async (log) => {
    for await (const batch of log.readAll({ signal: line.signal }))
      for (const stored of batch) {
        if (!emails.handles.some((type) => type === stored.type)) continue;
        try {
          const recorded = codec.decode(stored);
          for (const id of emails.keys(recorded)) {
            const document = emails.evolve(documents.get(id), recorded, id);
            if (document !== null) documents.set(id, document);
          }
        } catch (error) {
          if (!isUnreadable(error) && !(error instanceof CannotFoldError)) throw error;
          unreadable.add(stored.stream);
        }
      }
  });
  if (unreadable.size > 0)
    line.stderr.write(`${unreadable.size} e-mails have events that cannot be read: their states may be wrong.\n`);
  return [...documents.values()]
    .filter((email) => state === undefined || email.state === state)
    .sort((one, other) => (one.email_id < other.email_id ? -1 : 1))
    .slice(0, limit)
    .map(toEmailAnswer);
}
