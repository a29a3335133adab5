/** Serves `/u/{token}`: the pages behind the links in emails, and the button of mail programs (RFC 8058). Needs neither key nor cookie, because anyone with the link may refuse mail. GET and HEAD change nothing. */
import type { Express, Request, Response } from 'express';
import type { CommandContext } from '../../commands/batch.js';
import type { KnownRecipient, Refusals } from '../../commands/refusals.js';
import { errorCatalogue, ServiceError } from '../../errors.js';
import { everyMail } from '../../events/suppressions.js';
import type { UnsubscribeTokens } from '../../events/unsubscribe-token.js';
import { RequestAbortedError } from '../http/body.js';
import { networkOf, type ClientAddress } from '../http/client-address.js';
import { setHeaders } from '../http/files.js';
import type { Pipeline } from '../http/pipeline.js';
import { asAnswer, errorHeaders } from '../http/envelope.js';
import type { RateLimiter } from '../http/rate-limit.js';
import {
  clientClosedRequest,
  correlationIdOf,
  createTracedContext,
  headersOf,
  inTrace,
  logRequest,
  type RequestContext,
  type RequestOptions,
} from '../http/request-context.js';
import { otherMethods } from '../http/routes.js';
import { securityHeaders } from '../http/security-headers.js';
import { sendWhole } from '../http/send.js';
import { chooseLists, refuse, type Click } from './choices.js';
import { readForm, type Fields } from './form.js';
import { listsLinkMs, type SendListsMail } from './lists-mail.js';
import { listPage, listsPage, pageInHtml, plainPage, textOf, type Page } from './page.js';
import type { Appearance, Texts } from './texts.js';

export interface PagesOptions {
  readonly refusals: Refusals;
  readonly tokens: UnsubscribeTokens;
  readonly appearance: Appearance;
  /** Undefined: no link to all lists can be sent, and none is offered. */
  readonly sendListsMail: SendListsMail | undefined;
  /** Whether the network address of who decides is kept. */
  readonly keepsIp: boolean;
  readonly limiter: RateLimiter;
  readonly clientAddress: ClientAddress;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Returns the milliseconds since 1970, or undefined while the clock is not trusted. No link expires during that time. */
  readonly trustedNow: () => number | undefined;
}

type RoutesOptions = PagesOptions & Pick<RequestOptions, 'observe' | 'now' | 'newUuid' | 'stopping'>;

/** Logged in place of the path. The path is a secret, because anyone who has it can refuse mail. */
const route = '/u/{token}';
/** Matches `/u`, also if a mail program has percent-encoded the letter. */
const prefix = /^\/(?:u|%75)(?=\/|$)/;
const methods = ['GET', 'HEAD', 'POST'];

const fixedHeaders = [
  ...securityHeaders({
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    formAction: ["'self'"],
    baseUri: ["'none'"],
  }),
  ...['X-Robots-Tag', 'noindex, nofollow', 'Vary', 'Accept-Language'],
];
const pageHeaders = [...fixedHeaders, 'Content-Type', 'text/html; charset=utf-8'];

export function mountPages(app: Express, pipeline: Pipeline, options: RoutesOptions): void {
  const { style, logo } = options.appearance;
  const respond = createResponder(options);
  const refuseMethod = otherMethods(pipeline, methods);
  // Express does not decode the rest of the path, so a malformed percent code does not break the link.
  app.use(prefix, (request, response, next) => {
    if (!methods.includes(request.method)) refuseMethod(request, response, next);
    else if (request.path === '/style.css') sendFile(response, 'text/css; charset=utf-8', style);
    else if (request.path === '/logo' && logo !== undefined) sendFile(response, logo.type, logo.bytes);
    else {
      const context = createTracedContext(options, request, response);
      inTrace(context, () => respond(context)).catch(() => response.destroy());
    }
  });
}

const assetHeaders = securityHeaders();

function sendFile(response: Response, type: string, content: string | Buffer): void {
  setHeaders(response, assetHeaders);
  response.setHeader('Cache-Control', 'public, max-age=3600').setHeader('Content-Type', type).end(content);
}

function createResponder(options: RoutesOptions): (context: RequestContext) => Promise<void> {
  const { limiter, clientAddress, appearance, tokens } = options;
  const languages = [...appearance.texts.keys()];

  return async (context) => {
    const { request, response } = context;
    const found = tokens.read(request.path.slice(1));
    const language = languageOf(request, languages);
    const texts = appearance.texts.get(language) ?? {};
    const send = (page: Page, more: readonly string[]): void => {
      const root = '../'.repeat(Math.max(0, request.path.split('/').length - 2));
      const body = pageInHtml(page, { ...appearance, language, root, token: found?.token ?? '' });
      const headers = headersOf(options, context, ['Content-Language', language, ...more]);
      sendWhole(response, { status: page.status, headers, body, fixed: pageHeaders });
    };
    try {
      // Large providers send the clicks of many people from one address, so a real link has its own limit.
      const verdict = limiter.take(found?.link.contactKey ?? networkOf(clientAddress(request)));
      context.headers = verdict.headers;
      if (!verdict.allowed) throw new ServiceError('rate_limited', {}, { retryAfter: verdict.resetSeconds });
      const page =
        found === undefined
          ? plainPage(404, 'unknown', texts)
          : await pageBehind(options, context, { ...found, language, texts });
      send(page, []);
      logRequest(options, context, { route, status: page.status });
    } catch (fault) {
      if (response.destroyed || fault instanceof RequestAbortedError) {
        response.destroy();
        logRequest(options, context, { route, status: clientClosedRequest });
        return;
      }
      const error = asAnswer(fault, {});
      const { status } = errorCatalogue[error.code];
      send(plainPage(status, 'repeat', texts), errorHeaders(error));
      logRequest(options, context, { route, status, error: status >= 500 ? fault : undefined });
    }
  };
}

function languageOf(request: Request, languages: readonly string[]): string {
  const accepted = request.acceptsLanguages([...languages]);
  return accepted === false ? 'en' : accepted;
}

type Found = NonNullable<ReturnType<UnsubscribeTokens['read']>>;

interface Visit {
  readonly click: Click;
  /** Undefined for GET and HEAD, which change nothing. */
  readonly form: Fields | undefined;
  readonly context: CommandContext;
  readonly language: string;
  readonly texts: Texts;
}

/** @throws ServiceError `unavailable`, `too_large` @throws RequestAbortedError */
async function pageBehind(
  options: RoutesOptions,
  requestContext: RequestContext,
  { token, link, ...look }: Found & Pick<Visit, 'language' | 'texts'>,
): Promise<Page> {
  const { tokens, keepsIp, clientAddress } = options;
  const { request, requestId } = requestContext;
  if ('until' in link && hasExpired(link, options.trustedNow())) return plainPage(410, 'expired', look.texts);
  const { contactKey, emailId } = link;
  const correlationId = correlationIdOf(options, requestContext);
  const ip = keepsIp ? clientAddress(request).replace(/^::ffff:(?=[\d.]+$)/i, '') : undefined;
  const visit: Visit = {
    ...look,
    click: { contactKey, emailId, tokenHash: tokens.hash(token), ip },
    form: request.method === 'POST' ? await readForm(request) : undefined,
    context: { correlationId, causationId: correlationId, requestId, actor: 'recipient' },
  };
  return 'listId' in link
    ? await listVisit(options, visit, link.listId)
    : await listsVisit(options, visit, link.contactId);
}

/** Returns whether a link to all lists has expired. A link that ends later than a new one would was made while the clock was ahead. */
const hasExpired = ({ until }: { readonly until: number }, now: number | undefined): boolean =>
  now !== undefined && (until <= now || until > now + listsLinkMs + minuteMs);

const minuteMs = 60_000;

/** Returns what a POST to the link of a list asks for. The button of a mail program may send anything except the field `do` of our own forms. */
function actionOf(form: Fields): string {
  const isOneClick = form.get('list-unsubscribe')?.some((value) => value.toLowerCase() === 'one-click') ?? false;
  return isOneClick ? 'one_click' : (form.get('do')?.[0] ?? 'one_click');
}

async function listVisit(
  { refusals, sendListsMail }: PagesOptions,
  { click, form, context, language, texts }: Visit,
  listId: string,
): Promise<Page> {
  const { contactKey, emailId } = click;
  const pageOf = (recipient: KnownRecipient): Page =>
    listPage(recipient, { listId, canSend: sendListsMail !== undefined }, texts);
  const recipient = await refusals.recipient(contactKey);
  if (recipient === undefined) return plainPage(404, 'unknown', texts);
  const page = pageOf(recipient);
  if (form === undefined) return page;
  const action = actionOf(form);
  switch (action) {
    case 'one_click':
    case 'list':
    case 'none': {
      const kind = action === 'one_click' ? 'one_click' : 'page';
      await refuse(refusals, { click, context, kind, scope: action === 'none' ? everyMail : listId });
      const after = await refusals.recipient(contactKey);
      return after === undefined ? page : pageOf(after);
    }
    case 'other':
      if (sendListsMail === undefined) return { ...page, status: 400 };
      await sendListsMail({ contactKey, contactId: recipient.contactId, emailId, language, texts }, context);
      return plainPage(200, 'sent', texts);
    default:
      return { ...page, status: 400 };
  }
}

/** Returns the page with all lists of one contact. After an erasure the link is dead, even if the address is a contact again. */
async function listsVisit(
  { refusals, clock }: PagesOptions,
  { click, form, context, texts }: Visit,
  contactId: string,
): Promise<Page> {
  const known = async (): Promise<KnownRecipient | undefined> => {
    const recipient = await refusals.recipient(click.contactKey);
    return recipient?.contactId === contactId ? recipient : undefined;
  };
  const recipient = await known();
  if (recipient === undefined) return plainPage(404, 'unknown', texts);
  const page = listsPage(recipient, texts, { isSaved: false });
  if (form === undefined) return page;
  switch (form.get('do')?.[0]) {
    case 'none':
      await refuse(refusals, { click, context, kind: 'page', scope: everyMail });
      break;
    case 'save': {
      const [shown, wanted] = [new Set(form.get('shown')), new Set(form.get('list'))];
      const statement = textOf(texts, 'lists_legend');
      const now = new Date(clock()).toISOString();
      await chooseLists(refusals, { click, context, recipient, shown, wanted, statement, now });
      break;
    }
    default:
      return { ...page, status: 400 };
  }
  return listsPage((await known()) ?? recipient, texts, { isSaved: true });
}
