/** Composes the pages for recipients of e-mails. */
import { createListsMail } from '../api/pages/lists-mail.js';
import type { ApiOptions } from '../api/app.js';
import type { Appearance } from '../api/pages/texts.js';
import type { RateLimiter } from '../api/http/rate-limit.js';
import { deriveUnsubscribeKey, type StreamKeys } from '../events/streams.js';
import { createUnsubscribeTokens } from '../events/unsubscribe-token.js';
import type { Config } from '../stores/config.js';
import type { Commands } from './commands.js';

interface PagesParts {
  readonly config: Config;
  readonly secret: string;
  readonly streamKeys: StreamKeys;
  readonly commands: Commands;
  readonly appearance: Appearance;
  readonly limiter: RateLimiter;
  readonly clock: () => number;
}

export function openPages(parts: PagesParts): ApiOptions['pages'] {
  const { config, secret, streamKeys: keys, commands, appearance, limiter, clock } = parts;
  const { emails, refusals, audience } = commands;
  const { mailFrom: from, keepsIp } = config.pages;
  const { publicUrl } = config;
  const tokens = createUnsubscribeTokens(deriveUnsubscribeKey(secret));
  const { addressOf } = refusals;
  const { send } = audience.email;
  const sendListsMail =
    from === undefined || publicUrl === undefined
      ? undefined
      : createListsMail({ send, emails, keys, addressOf, tokens, from, publicUrl, clock });
  return { refusals, tokens, appearance, sendListsMail, keepsIp, limiter };
}
