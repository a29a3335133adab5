/** Sends the email with the link to all lists to the address itself, at most one per hour and contact. */
import { readFileSync } from 'node:fs';
import Mustache from 'mustache';
import type { CommandContext } from '../../commands/batch.js';
import type { CommandHandler } from '../../commands/command-handler.js';
import type { EmailRequests } from '../../commands/email-requests.js';
import type { EmailState } from '../../commands/email.js';
import { ServiceError } from '../../errors.js';
import { emailStream, type StreamKeys } from '../../events/streams.js';
import type { UnsubscribeTokens } from '../../events/unsubscribe-token.js';
import { textOf } from './page.js';
import type { Texts } from './texts.js';

const template = readFileSync(new URL('./lists-mail.mustache', import.meta.url), 'utf8');

const hourMs = 3_600_000;
/** How long the link to all lists is valid, in milliseconds. */
export const listsLinkMs = hourMs;

interface ListsMailOptions {
  readonly send: EmailRequests['send'];
  readonly emails: Pick<CommandHandler<EmailState, never, unknown>, 'fresh'>;
  readonly keys: Pick<StreamKeys, 'emailKey'>;
  readonly addressOf: (contactKey: string) => Promise<string | undefined>;
  readonly tokens: UnsubscribeTokens;
  readonly from: string;
  readonly publicUrl: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

interface Asked {
  readonly contactKey: string;
  readonly contactId: string;
  /** Id of the email that led to the page. */
  readonly emailId: string;
  readonly language: string;
  readonly texts: Texts;
}

/** Resolves once the e-mail is requested, or was within the last hour. @throws ServiceError */
export type SendListsMail = (asked: Asked, context: CommandContext) => Promise<void>;

export function createListsMail(options: ListsMailOptions): SendListsMail {
  const { send, emails, keys, addressOf, tokens, from, publicUrl, clock } = options;
  /** The blanks keep callers of the API from sending the same key. */
  const keyOf = (contactId: string, hour: number): string => `lists of ${contactId} in hour ${hour}`;

  async function isTooSoon(contactId: string, hour: number): Promise<boolean> {
    for (const idempotencyKey of [keyOf(contactId, hour), keyOf(contactId, hour - 1)]) {
      const { state } = await emails.fresh(emailStream(keys.emailKey({ idempotencyKey })));
      if (state.status !== 'none' && clock() - Date.parse(state.since) < hourMs) return true;
    }
    return false;
  }

  return async ({ contactKey, contactId, emailId, language, texts }, context) => {
    const hour = Math.floor(clock() / hourMs);
    const to_email = await addressOf(contactKey);
    if (to_email === undefined || (await isTooSoon(contactId, hour))) return;
    const url = `${publicUrl}/u/${tokens.makeForLists({ emailId, contactKey, contactId, until: clock() + listsLinkMs })}`;
    const message = {
      from_email: from,
      to_email,
      subject: textOf(texts, 'mail_subject'),
      mail_template: Mustache.render(template, { ...texts, language, url }),
    };
    await send({ message, idempotencyKey: keyOf(contactId, hour) }, context).catch((error: unknown) => {
      // Another request has sent one at the same moment.
      if (!(error instanceof ServiceError && error.code === 'idempotency_conflict')) throw error;
    });
  };
}
