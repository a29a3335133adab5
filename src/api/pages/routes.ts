/** `/u/{token}`: the pages behind the links in e-mails, and the button of mail programs (RFC 8058). No key, no cookie; who has the link may refuse. GET and HEAD change nothing. */
import type { Express, Request, Response } from 'express';
import type { CommandContext } from '../../commands/batch.js';
import type { Refusals } from '../../commands/refusals.js';
import { errorCatalogue, ServiceError } from '../../errors.js';
import { everyMail } from '../../events/suppressions.js';
import type { UnsubscribeTokens } from '../../events/unsubscribe-token.js';
import { RequestAbortedError } from '../http/body.js';
import { networkOf, type ClientAddress } from '../http/client-address.js';
import type { EndpointRunner } from '../http/endpoint-runner.js';
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
import { readForm } from './form.js';
import type { SendListsMail } from './lists-mail.js';
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
}

type RoutesOptions = PagesOptions & Pick<RequestOptions, 'log' | 'now' | 'newUuid' | 'isStopping' | 'traces'>;

/** In place of the path, which is a secret: whoever has it can refuse. */
const route = '/u/{token}';
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

export function mountPages(app: Express, runner: EndpointRunner, options: RoutesOptions): void {
  const { style, logo } = options.appearance;
  const respond = createResponder(options);
  const refuseMethod = otherMethods(runner, methods);
  // Without parameters: a path that cannot be decoded is a link that does not work, as any other.
  app.use('/u', (request, response, next) => {
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
  for (let at = 0; at < assetHeaders.length; at += 2)
    response.setHeader(assetHeaders[at] ?? '', assetHeaders[at + 1] ?? '');
  response.setHeader('Cache-Control', 'public, max-age=3600').setHeader('Content-Type', type).end(content);
}

function createResponder(options: RoutesOptions): (context: RequestContext) => Promise<void> {
  const { limiter, clientAddress, appearance } = options;
  const languages = [...appearance.texts.keys()];

  return async (context) => {
    const { request, response } = context;
    const language = languageOf(request, languages);
    const texts = appearance.texts.get(language) ?? {};
    const send = (page: Page, more: readonly string[]): void => {
      const root = '../'.repeat(Math.max(0, request.path.split('/').length - 2));
      const body = pageInHtml(page, { ...appearance, language, root });
      const headers = headersOf(options, context, ['Content-Language', language, ...more]);
      sendWhole(response, { status: page.status, headers, body, fixed: pageHeaders });
    };
    try {
      const verdict = limiter.take(networkOf(clientAddress(request)));
      context.headers = verdict.headers;
      if (!verdict.allowed) throw new ServiceError('rate_limited', {}, { retryAfter: verdict.resetSeconds });
      const page = await pageBehind(options, context, { language, texts });
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

interface Visit {
  readonly click: Click;
  /** Undefined: it changes nothing. */
  readonly form: ReadonlyMap<string, readonly string[]> | undefined;
  readonly context: CommandContext;
  readonly language: string;
  readonly texts: Texts;
}

/** @throws ServiceError `unavailable`, `too_large` @throws RequestAbortedError */
async function pageBehind(
  options: RoutesOptions,
  requestContext: RequestContext,
  look: Pick<Visit, 'language' | 'texts'>,
): Promise<Page> {
  const { tokens, keepsIp, clientAddress, clock } = options;
  const { request, requestId } = requestContext;
  const token = request.path.slice(1);
  const link = tokens.read(token) ?? tokens.readForLists(token);
  if (link === undefined) return plainPage(404, 'unknown', look.texts);
  if ('until' in link && link.until <= clock()) return plainPage(410, 'expired', look.texts);
  const { contactKey, emailId } = link;
  const correlationId = correlationIdOf(options, requestContext);
  const ip = keepsIp ? clientAddress(request).replace(/^::ffff:(?=[\d.]+$)/i, '') : undefined;
  const visit: Visit = {
    ...look,
    click: { contactKey, emailId, tokenHash: tokens.hash(token), ip },
    form: request.method === 'POST' ? await readForm(request) : undefined,
    context: { correlationId, causationId: correlationId, requestId, actor: 'recipient' },
  };
  return 'listId' in link ? await listVisit(options, visit, link.listId) : await listsVisit(options, visit);
}

/** What a form asks for; undefined: nothing that there is. */
function actionOf(form: NonNullable<Visit['form']>): string | undefined {
  if (form.get('List-Unsubscribe')?.[0]?.toLowerCase() === 'one-click') return 'one_click';
  return form.get('do')?.[0];
}

async function listVisit(
  { refusals, sendListsMail }: PagesOptions,
  { click, form, context, language, texts }: Visit,
  listId: string,
): Promise<Page> {
  const { contactKey, emailId } = click;
  const shown = async (): Promise<Page | undefined> => {
    const recipient = await refusals.recipient(contactKey);
    return recipient && listPage(recipient, { listId, canSend: sendListsMail !== undefined }, texts);
  };
  const page = await shown();
  if (page === undefined) return plainPage(404, 'unknown', texts);
  if (form === undefined) return page;
  const action = actionOf(form);
  switch (action) {
    case 'one_click':
    case 'list':
    case 'none': {
      const kind = action === 'one_click' ? 'one_click' : 'page';
      await refuse(refusals, { click, context, kind, scope: action === 'none' ? everyMail : listId });
      return (await shown()) ?? page;
    }
    case 'other':
      if (sendListsMail === undefined) return { ...page, status: 400 };
      await sendListsMail({ contactKey, emailId, language, texts }, context);
      return plainPage(200, 'sent', texts);
    default:
      return { ...page, status: 400 };
  }
}

async function listsVisit({ refusals, clock }: PagesOptions, { click, form, context, texts }: Visit): Promise<Page> {
  const recipient = await refusals.recipient(click.contactKey);
  if (recipient === undefined) return plainPage(404, 'unknown', texts);
  if (form === undefined) return listsPage(recipient, texts, { isSaved: false });
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
      return { ...listsPage(recipient, texts, { isSaved: false }), status: 400 };
  }
  return listsPage((await refusals.recipient(click.contactKey)) ?? recipient, texts, { isSaved: true });
}
