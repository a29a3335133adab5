/** The e-mails and their states: of the running service, or folded from the log where none runs. */
import { z } from 'zod';
import { deliveryStates, type DeliveryState } from '../../projections/emails.js';
import { emailsInLog } from '../../projector/emails-in-log.js';
import { toEmailAnswer, type EmailAnswer } from '../../projections/queries.js';
import type { CommandLine } from '../shared/command-line.js';
import type { ServiceClient } from '../shared/service-client.js';
import { itemsFrom } from '../shared/through-service.js';
import { whileOpen } from '../shared/auditing.js';

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
export async function emailsOfLog(line: CommandLine, { state, limit }: Wanted): Promise<readonly Email[]> {
  const { documents, unreadable } = await whileOpen(line.openLog(), (log) => emailsInLog(log, line.signal));
  if (unreadable > 0)
    line.stderr.write(`${unreadable} e-mails have events that cannot be read: their states may be wrong.\n`);
  return documents
    .filter((email) => state === undefined || email.state === state)
    .slice(0, limit)
    .map(toEmailAnswer);
}
