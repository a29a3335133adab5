/** What the auditor of the command line looks for: in views while they can be read, then in the log, and each thing once. */
import { expect, test, vi } from 'vitest';
import type { EmailHint } from '../../src/audit/emails.js';
import { createLogSearch, type HintViews } from '../../src/audit/find-in-log.js';
import { ServiceError } from '../../src/errors.js';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { ReadModelsUnavailableError } from '../../src/readmodels/read-models.js';
import { auditedLog } from '../support/auditing.js';
import { exampleEvents, examples } from '../support/examples.js';

const recipient = exampleEvents.emailRequested.data.recipient_key;
const streams = ['email-1', 'email-2', 'email-3'];
const gone = new ReadModelsUnavailableError('the store went away');

const noViews: HintViews = {
  position: () => Promise.reject(gone),
  streamOf: () => Promise.reject(gone),
  async *emailsTo() {
    throw gone;
  },
};

/** Over a log with one contact and three e-mails to this person. */
async function searching(openViews: (hints: readonly EmailHint[]) => Promise<HintViews | undefined>) {
  const log = await auditedLog();
  await log.at(0, exampleEvents.listCreated, exampleEvents.contactCreated);
  const hints: EmailHint[] = [];
  for (const stream of streams) {
    const position = await log.append(stream, exampleEvents.emailRequested);
    hints.push({ stream, first: position, last: position });
  }
  const readAll = vi.fn<EventReader['readAll']>((options) => log.store.readAll(options));
  const onUnreadable = vi.fn<(reason: string) => void>();
  const search = createLogSearch({
    log: { ...log.store, readAll },
    signal: new AbortController().signal,
    bar: { report: () => undefined, clear: () => undefined },
    openViews: () => openViews(hints),
    isUnavailable: (error) => error instanceof ReadModelsUnavailableError,
    onUnreadable,
  });
  return { search, hints, readAll, onUnreadable, head: await log.store.head() };
}

async function collected(pages: AsyncIterable<readonly EmailHint[]>): Promise<readonly EmailHint[]> {
  const all: EmailHint[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

test('e-mails are shown once where the view fails after its first page', async () => {
  const { search, hints, onUnreadable } = await searching(async ([first]) => ({
    ...noViews,
    async *emailsTo() {
      if (first !== undefined) yield [first];
      throw gone;
    },
  }));
  const emails = search.hintsOfOne();
  expect(await collected(emails.to(recipient))).toEqual(hints);
  expect(await collected(emails.to(recipient))).toEqual(hints);
  expect(onUnreadable.mock.calls).toEqual([[gone.message]]);
});

test('where views can be read, the log is not searched', async () => {
  const { search, hints, readAll, onUnreadable } = await searching(async (all) => ({
    position: async () => 'here',
    streamOf: async () => examples.contactStream,
    async *emailsTo() {
      yield all;
    },
  }));
  expect(await search.hintsOfOne().until()).toBe('here');
  expect(await collected(search.hintsOfOne().to(recipient))).toEqual(hints);
  expect(await search.streamOfContact(examples.contact_id)).toBe(examples.contactStream);
  expect(readAll).not.toHaveBeenCalled();
  expect(onUnreadable).not.toHaveBeenCalled();
});

test.each<[string, () => Promise<HintViews | undefined>, string[][]]>([
  ['cannot be opened', () => Promise.reject(new Error('no such server')), [['no such server']]],
  ['open and then fail', async () => noViews, [[gone.message]]],
  ['are not there', async () => undefined, []],
])('views that %s are said once, and the log is searched', async (_, openViews, said) => {
  const { search, hints, onUnreadable, head } = await searching(openViews);
  const emails = search.hintsOfOne();
  expect(await emails.until()).toBe(head);
  expect(await search.inViews((views) => views.position())).toBeUndefined();
  expect(await collected(emails.to(recipient))).toEqual(hints);
  expect(await search.streamOfContact(examples.contact_id)).toBe(examples.contactStream);
  await expect(search.streamOfContact('con_unknown')).rejects.toThrow(new ServiceError('no_such_contact'));
  expect(onUnreadable.mock.calls).toEqual(said);
});

test('a wrong hint is not believed, and a fault of ours is not hidden', async () => {
  const bug = new TypeError('a bug');
  const { search } = await searching(async () => ({
    ...noViews,
    streamOf: async () => 'contact-of-somebody-else',
    position: () => Promise.reject(bug),
  }));
  expect(await search.streamOfContact(examples.contact_id)).toBe(examples.contactStream);
  await expect(search.hintsOfOne().until()).rejects.toThrow(bug);
});
