/** Reads what an attempt needs from the e-mail's own stream: the message, the state, and the ids that link the events. And whether the e-mail may go out. */
import { emailDecider, type EmailState } from '../commands/email.js';
import type { CheckRecipient, RecipientVerdict } from '../commands/recipients.js';
import { codec } from '../events/codec.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { RequestedMail } from './message.js';
import type { Withdrawal } from './reasons.js';

export interface LoadedEmail {
  readonly request: RequestedMail;
  /** The key of the recipient's stream as a contact. */
  readonly recipientKey: string;
  /** Of its request. */
  readonly position: string;
  readonly correlationId: string;
  readonly requestId: string;
  readonly state: EmailState;
  readonly lastEventId: string;
  /** Of the last claim, `''` where there is none. */
  readonly claimPosition: string;
}

export type StreamReader = Pick<EventReader, 'readStream'>;

/** Undefined when the stream holds no request, or what was to be sent is erased. @throws StoreUnavailableError, and the codec's errors for a stream that cannot be read */
export async function loadEmail(reader: StreamReader, stream: string): Promise<LoadedEmail | undefined> {
  let state = emailDecider.initial;
  let lastEventId = '';
  let claimPosition = '';
  let requested: Omit<LoadedEmail, 'state' | 'lastEventId' | 'claimPosition'> | undefined;
  for await (const batch of reader.readStream(stream))
    for (const stored of batch) {
      const { event, metadata, id, position } = codec.decode(stored);
      if (!emailDecider.knows(event))
        throw new TypeError(`${stream} holds ${event.type}, which is no event of an e-mail`);
      state = emailDecider.evolve(state, event, metadata);
      lastEventId = id;
      if (event.type === 'EmailDispatchStarted') claimPosition = position;
      if (event.type !== 'EmailRequested' || event.data.message === null) continue;
      const { email_id, recipient_key: recipientKey, list_id, list_name = '', message } = event.data;
      const list = list_id === undefined ? undefined : { id: list_id, name: list_name };
      requested = {
        request: { email_id, requested_at: metadata.at, message, list },
        recipientKey,
        position,
        correlationId: metadata.$correlationId,
        requestId: metadata.request_id,
      };
    }
  return requested === undefined ? undefined : { ...requested, state, lastEventId, claimPosition };
}

/** Id of the EmailDispatchStarted of an attempt that is known to be recorded; it is among the last events. */
export async function claimEventId(reader: StreamReader, stream: string, attempt: number): Promise<string> {
  for await (const batch of reader.readStream(stream, { direction: 'backwards' }))
    for (const stored of batch) {
      const { event, id } = codec.decode(stored);
      if (event.type === 'EmailDispatchStarted' && event.data.attempt === attempt) return id;
    }
  throw new Error(`${stream} holds no claim of attempt ${attempt}`);
}

/** Answers by the log. @throws what the stores throw: then it does not go out now, and nothing is decided */
export type MayGoOut = (
  email: Pick<LoadedEmail, 'recipientKey' | 'position' | 'request'>,
) => Promise<true | Withdrawal>;

interface Reasons {
  /** The recipient has asked to be erased since the e-mail was requested. */
  readonly isToBeErased: (...parameters: Parameters<MayGoOut>) => Promise<boolean>;
  readonly checkRecipient: CheckRecipient;
}

const withdrawals = {
  wanted: true,
  no_list: 'list_deleted',
  // It was one when the e-mail was requested.
  not_in_list: 'unsubscribed',
  suppressed: 'suppressed',
  unsubscribed: 'unsubscribed',
} as const satisfies Record<RecipientVerdict['status'], true | Withdrawal>;

export const createMayGoOut =
  ({ isToBeErased, checkRecipient }: Reasons): MayGoOut =>
  async (email) => {
    const { recipientKey: key, request } = email;
    const [isErased, { status }] = await Promise.all([
      isToBeErased(email),
      checkRecipient({ key, listId: request.list?.id }),
    ]);
    return isErased ? 'erased' : withdrawals[status];
  };
