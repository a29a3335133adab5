/** The export of one person as a page of HTML that is whole by itself: it can be kept, sent and printed, and loads and runs nothing. */
import { readFileSync } from 'node:fs';
import Mustache from 'mustache';
import type { ReadRecord } from '../audit/answers.js';
import { everyMail } from '../events/suppressions.js';
import { rendered } from '../report/page.js';
import {
  consentRow,
  lifeRow,
  nameInWords,
  profileRows,
  subscriptionRow,
  subscriptionsOf,
} from '../report/report-page.js';
import type { ErasureOfPerson, ExportedChange, ExportedEmail } from './export-answer.js';
import type { ItemPages, PersonExport } from './export.js';

type RefusalStep = PersonExport['about']['refused_mail']['history'][number];

/** Cut where rows come in between that are too many to be rendered at once. */
const template = readFileSync(new URL('./export.mustache', import.meta.url), 'utf8');
const [head = '', change = '', afterChanges = '', email = '', afterEmails = '', reading = '', end = ''] =
  template.split('{{!cut}}\n');

export async function* exportAsPage({ about, history, emails, readings, seal }: PersonExport): AsyncGenerator<string> {
  // Large, and needed by this page only.
  const { plainText } = await import('../mailer/plain-text.js');
  const { contact, erasures, refused_mail, answered_at } = about;
  const lives = contact?.lives ?? [];
  yield rendered(head, {
    ...about,
    title: `What is stored about ${about.email}`,
    profile: contact === null ? false : profileRows(contact),
    subscriptions: contact === null ? [] : subscriptionsOf(contact).map(subscriptionRow),
    unreadable: contact?.unreadable ?? [],
    refused: refused_mail.history.map(refusalRow),
    lives: lives.length === 0 ? false : { rows: lives.map((life) => lifeRow(life, answered_at)) },
    erasures: erasures.map(erasureRow),
  });
  const isChanged = yield* rows(history(), (item) => Mustache.render(change, changeRow(item)));
  yield Mustache.render(afterChanges, { none: !isChanged });
  const isWritten = yield* rows(emails(), (item) => Mustache.render(email, emailRow(item, plainText)));
  yield Mustache.render(afterEmails, { ...about, none: !isWritten });
  const isRead = yield* rows(readings(), (item) => Mustache.render(reading, readingRow(item)));
  yield Mustache.render(end, { ...about, none: !isRead, seal: (await seal()) ?? false });
}

const erasureRow = (erasure: ErasureOfPerson) => ({
  ...erasure,
  requested: erasure.requested_at ?? 'an unknown time',
  hadNoContact: erasure.completed_at !== null && erasure.erased_at === null,
  // A zero would be left out by the template.
  emails: String(erasure.emails ?? 'an unknown number'),
});

/** Returns whether there were any. */
async function* rows<Item>(pages: ItemPages<Item>, rendered: (item: Item) => string): AsyncGenerator<string, boolean> {
  let isAny = false;
  for await (const items of pages) {
    if (items.length > 0) yield items.map(rendered).join('');
    isAny ||= items.length > 0;
  }
  return isAny;
}

const unknown = 'unknown';

function changeRow({ event, changes }: ExportedChange) {
  const { at = unknown, summary, actor = unknown, request_id = unknown, consent, type, position } = event;
  const values = changes.map(({ field, before, after }) => ({
    field: nameInWords(field),
    before: before ?? false,
    after: after ?? '(cleared)',
  }));
  return {
    ...{ at, summary, actor, request_id, position, values },
    consent: consent === undefined ? false : consentRow(consent, { type }),
  };
}

function emailRow({ requested, sent_as, erased, steps }: ExportedEmail, plainText: (html: string) => string) {
  const text = requested && (sent_as ?? requested);
  return {
    erased,
    steps: steps.map((step) => ({ ...step, at: step.at ?? unknown, response: step.response ?? false })),
    requested: requested && {
      from: requested.from,
      to: requested.to,
      subject: text?.subject,
      body: plainText(text?.body ?? ''),
      variables: requested.variables === undefined ? false : { text: JSON.stringify(requested.variables, null, 2) },
      ...(sent_as === undefined ? {} : { template: plainText(requested.body), template_subject: requested.subject }),
    },
  };
}

const refusalRow = (step: RefusalStep) => ({ ...step, summary: refusalInWords(step), note: step.note ?? false });

const reasonInWords = (reason: string | null): string | null =>
  reason === 'repeated_bounces' ? "the recipient's mail server keeps refusing" : reason;

function refusalInWords({ type, scope, reason }: RefusalStep): string {
  const mail = scope === everyMail ? 'all mail' : `mail of the list ${scope}`;
  if (type === 'AddressSuppressed') return `From then on, ${mail} is refused (${reasonInWords(reason)}).`;
  if (type === 'AddressReleased') return `From then on, ${mail} is not refused (${reason}).`;
  if (type === 'BounceCounted') return `The mail server of the address refused an email (${reason}); this was counted.`;
  return 'What was said about it was erased.';
}

const readingRow = ({ at, actor, what, request_id }: ReadRecord) => ({
  at: at ?? unknown,
  actor: actor ?? unknown,
  what: what === null ? unknown : nameInWords(what),
  request_id: request_id ?? unknown,
});
