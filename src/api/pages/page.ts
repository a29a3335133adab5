/** The pages that recipients of e-mails see: what stands on each, as HTML that works without a script. */
import { readFileSync } from 'node:fs';
import Mustache from 'mustache';
import type { KnownRecipient } from '../../commands/refusals.js';
import { refusalOf } from '../../commands/suppressions.js';
import { everyMail } from '../../events/suppressions.js';
import type { Appearance, Texts } from './texts.js';

const template = readFileSync(new URL('./page.mustache', import.meta.url), 'utf8');

/** What a button asks for: the value of the field `do`. */
type Action = 'list' | 'none' | 'other' | 'save';

interface ActionButton {
  readonly value: Action;
  readonly label: string;
  readonly text?: string | undefined;
  readonly isQuiet?: boolean;
}

export interface Page {
  readonly status: number;
  readonly title: string;
  readonly texts: readonly string[];
  readonly notice?: string | undefined;
  readonly actions?: readonly ActionButton[];
  readonly lists?: ReturnType<typeof switches> | undefined;
}

/** Name of a text of a page without buttons. */
type PlainPage = 'sent' | 'expired' | 'unknown' | 'repeat';

export const plainPage = (status: number, name: PlainPage, texts: Texts): Page => ({
  status,
  title: textOf(texts, `${name}_title`),
  texts: [textOf(texts, `${name}_text`)],
});

interface PageLook extends Pick<Appearance, 'texts' | 'logo'> {
  readonly language: string;
  /** The relative path from the page to the folder of the pages and their style. */
  readonly root: string;
  /** The token in the address of the forms, without the characters that followed it in the request. */
  readonly token: string;
}

export const pageInHtml = (
  { texts: paragraphs, ...page }: Page,
  { language, root, token, texts, logo }: PageLook,
): string =>
  Mustache.render(template, {
    // Set defaults, because Mustache looks up a name that a section lacks in the enclosing sections.
    ...{ notice: false, actions: [], lists: false, text: false },
    ...page,
    texts: paragraphs,
    language,
    root,
    token,
    sender: texts.get(language)?.['sender'] ?? '',
    hasLogo: logo !== undefined,
  });

export const textOf = (texts: Texts, name: string): string => texts[name] ?? '';

/** The name of a list may be written in the other direction, and must not turn round what stands beside it. */
const withList = (texts: Texts, name: string, list: string): string =>
  textOf(texts, name).replace('{{list}}', () => `\u2068${list}\u2069`);

/** Whether a person has refused mail of this list, or of all, and every part of it is written. */
function isRefused({ suppression, subscriptions }: KnownRecipient, scope: string): boolean {
  const isSubscribed = subscriptions.some(
    ({ list_id, status }) => status === 'Subscribed' && (scope === everyMail || scope === list_id),
  );
  if (isSubscribed) return false;
  if (scope !== everyMail) return refusalOf(suppression, scope) !== undefined;
  return suppression.active.some((entry) => entry.scope === everyMail && entry.reason === 'unsubscribe');
}

/** Of the link in an e-mail: the list of that e-mail and no other. `canSend`: links to all lists can be sent. */
export function listPage(
  recipient: KnownRecipient,
  { listId, canSend }: { readonly listId: string; readonly canSend: boolean },
  texts: Texts,
): Page {
  const list = recipient.nameOf(listId);
  const text = (name: 'unsubscribe' | 'unsubscribed'): string =>
    list === undefined ? textOf(texts, `${name}_gone_text`) : withList(texts, `${name}_text`, list);
  const none: ActionButton = { value: 'none', label: textOf(texts, 'none_button'), isQuiet: true };
  const other: ActionButton = {
    value: 'other',
    label: textOf(texts, 'other_button'),
    text: textOf(texts, 'other_text'),
    isQuiet: true,
  };
  // Where every e-mail is stopped, the link would not come.
  const others = canSend && refusalOf(recipient.suppression, undefined) === undefined ? [other] : [];
  const status = 200;
  if (isRefused(recipient, everyMail))
    return { status, title: textOf(texts, 'none_title'), texts: [textOf(texts, 'none_text')], actions: others };
  if (isRefused(recipient, listId))
    return {
      status,
      title: textOf(texts, 'unsubscribed_title'),
      texts: [text('unsubscribed')],
      actions: [none, ...others],
    };
  const leave: readonly ActionButton[] =
    list === undefined ? [] : [{ value: 'list', label: textOf(texts, 'unsubscribe_button') }];
  return {
    status,
    title: textOf(texts, 'unsubscribe_title'),
    texts: [text('unsubscribe')],
    actions: [...leave, none, ...others],
  };
}

/** Of the link that was sent to the address itself: all lists of the person. */
export function listsPage(recipient: KnownRecipient, texts: Texts, { isSaved }: { readonly isSaved: boolean }): Page {
  const { subscriptions } = recipient;
  const isStopped = refusalOf(recipient.suppression, undefined) !== undefined;
  const text = isStopped ? 'lists_stopped' : subscriptions.length === 0 ? 'lists_none' : 'lists_text';
  const isOver = isRefused(recipient, everyMail);
  return {
    status: 200,
    title: textOf(texts, 'lists_title'),
    texts: [textOf(texts, text)],
    notice: isSaved ? textOf(texts, 'saved') : undefined,
    lists: isStopped || subscriptions.length === 0 ? undefined : switches(recipient, texts),
    actions: isOver ? [] : [{ value: 'none', label: textOf(texts, 'none_button'), isQuiet: true }],
  };
}

/** On are those whose mail is sent. */
export const isOn = (
  { suppression }: KnownRecipient,
  { list_id, status }: KnownRecipient['subscriptions'][number],
): boolean => status === 'Subscribed' && refusalOf(suppression, list_id) === undefined;

const switches = (recipient: KnownRecipient, texts: Texts) => ({
  legend: textOf(texts, 'lists_legend'),
  save: textOf(texts, 'save_button'),
  rows: recipient.subscriptions.map((subscription) => ({
    ...subscription,
    isOn: isOn(recipient, subscription),
  })),
});
