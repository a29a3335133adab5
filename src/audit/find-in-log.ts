/** Finds a contact and the e-mails to a person in the log. Views, where there are any, only say where to look. */
import { z } from 'zod';
import { ServiceError } from '../errors.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import type { ReportProgress } from '../flow/progress.js';
import type { EmailHint, EmailHints } from './emails.js';
import { jsonOrText } from './redaction.js';

export interface LogSearch {
  readonly log: EventReader;
  readonly signal: AbortSignal;
  /** Of a search through the whole log; `clear` ends it. */
  readonly bar: { readonly report: ReportProgress; clear(): void };
}

/** The stream of this contact: where a view says, if it is right, else found in the log. @throws ServiceError `no_such_contact` */
export async function streamOfContact(
  contactId: string,
  search: LogSearch,
  inViews: string | undefined,
): Promise<string> {
  if (inViews !== undefined && (await isBegunIn(search.log, inViews, contactId))) return inViews;
  let stream: string | undefined;
  await searchLog('looking for the contact', search, (event) => {
    if (begins(event, contactId)) stream = event.stream;
    return stream !== undefined;
  });
  if (stream === undefined) throw new ServiceError('no_such_contact');
  return stream;
}

interface EmailViews {
  /** How far they are; undefined: there are none. */
  position(): Promise<string | undefined>;
  /** False: not all were shown, the log is to be searched. */
  emailsTo(recipientKey: string): AsyncGenerator<readonly EmailHint[], boolean>;
}

/** Of one person: from the view where it can be read, else from one search of the log. */
export function hintsOfOne(search: LogSearch, views: EmailViews): Omit<EmailHints, 'subjectOf'> {
  let searched: Promise<readonly EmailHint[]> | undefined;
  return {
    until: async () => (await views.position()) ?? (await search.log.head()),
    async *to(recipientKey) {
      if (searched === undefined && (yield* views.emailsTo(recipientKey))) return;
      yield await (searched ??= hintsInLog(recipientKey, search));
    },
  };
}

async function hintsInLog(recipientKey: string, search: LogSearch): Promise<readonly EmailHint[]> {
  const found = new Map<string, EmailHint>();
  await searchLog('looking for e-mails', search, ({ type, stream, position, data }) => {
    const known = found.get(stream);
    if (known !== undefined) found.set(stream, { ...known, last: position });
    else if (type === 'EmailRequested' && data.includes(recipientKey))
      found.set(stream, { stream, first: position, last: position });
    return false;
  });
  return [...found.values()];
}

/** Until `isFound` says so, or to the end. */
async function searchLog(
  phase: string,
  { log, signal, bar }: LogSearch,
  isFound: (event: StoredEvent) => boolean,
): Promise<void> {
  let done = 0;
  try {
    for await (const events of log.readAll({ signal })) {
      if (events.some(isFound)) return;
      bar.report({ phase, done: (done += events.length) });
    }
    signal.throwIfAborted();
  } finally {
    bar.clear();
  }
}

async function isBegunIn(log: EventReader, stream: string, contactId: string): Promise<boolean> {
  for await (const events of log.readStream(stream)) if (events.some((event) => begins(event, contactId))) return true;
  return false;
}

const created = z.object({ contact_id: z.string() });

/** Nearly no event needs to be parsed. */
function begins({ type, data }: { readonly type: string; readonly data: string }, contactId: string): boolean {
  if (type !== 'ContactCreated' || !data.includes(contactId)) return false;
  return created.safeParse(jsonOrText(data)).data?.contact_id === contactId;
}
