/** Finds a contact and the e-mails to a person in the log. Views, for as long as they can be read, only say where to look. */
import { z } from 'zod';
import { ServiceError } from '../errors.js';
import type { EventReader, Position, StoredEvent } from '../eventstore/event-store.js';
import type { ReportProgress } from '../flow/progress.js';
import type { EmailHint, EmailHints } from './emails.js';
import { jsonOrText } from './redaction.js';

/** Of one log. */
export interface HintViews {
  /** How far they are. */
  position(): Promise<Position | undefined>;
  streamOf(contactId: string): Promise<string | undefined>;
  /** In the order of their requests. */
  emailsTo(recipientKey: string): AsyncIterable<readonly EmailHint[]>;
}

interface LogSearchOptions<Views extends HintViews> {
  readonly log: EventReader;
  readonly signal: AbortSignal;
  /** Of a search through the whole log; `clear` ends it. */
  readonly bar: { readonly report: ReportProgress; clear(): void };
  /** Called once. Undefined: there are none. Whatever it throws means that they cannot be read. */
  readonly openViews: () => Promise<Views | undefined>;
  /** Whether this is how views say that they cannot be read. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** At most once: from now on the log is searched. */
  readonly onUnreadable: (reason: string) => void;
}

/** Once views cannot be read they are asked no more: what was found by them might be less than what the log has. */
export function createLogSearch<Views extends HintViews>(options: LogSearchOptions<Views>) {
  const { log, signal } = options;
  let views: Promise<Views | undefined> | undefined;
  const opened = (): Promise<Views | undefined> => (views ??= options.openViews().catch(withoutViews));

  function withoutViews(error: unknown): undefined {
    signal.throwIfAborted();
    views = Promise.resolve(undefined);
    options.onUnreadable(error instanceof Error ? error.message : String(error));
  }

  function withoutUnavailable(error: unknown): undefined {
    if (!options.isUnavailable(error)) throw error;
    return withoutViews(error);
  }

  /** Undefined also where there are no views that can be read. */
  async function inViews<Answer>(ask: (views: Views) => Promise<Answer>): Promise<Answer | undefined> {
    const found = await opened();
    return found && (await ask(found).catch(withoutUnavailable));
  }

  return {
    inViews,

    /** The stream of this contact: where a view says, if it is right, else found in the log. @throws ServiceError `no_such_contact` */
    async streamOfContact(contactId: string): Promise<string> {
      const hint = await inViews((found) => found.streamOf(contactId));
      if (hint !== undefined && (await isBegunIn(log, hint, contactId))) return hint;
      for await (const events of searchedLog('looking for the contact', options)) {
        const begun = events.find((event) => begins(event, contactId));
        if (begun !== undefined) return begun.stream;
      }
      throw new ServiceError('no_such_contact');
    },

    /** Of one person: what the log is searched for is kept. */
    hintsOfOne(): Omit<EmailHints, 'subjectOf'> {
      let searched: Promise<readonly EmailHint[]> | undefined;
      return {
        until: async () => (await inViews((found) => found.position())) ?? (await log.head()),
        async *to(recipientKey) {
          const shown = new Set<string>();
          const found = await opened();
          if (found !== undefined)
            try {
              for await (const hints of found.emailsTo(recipientKey)) {
                for (const { stream } of hints) shown.add(stream);
                yield hints;
              }
              return;
            } catch (error) {
              withoutUnavailable(error);
            }
          searched ??= hintsInLog(recipientKey, options);
          yield (await searched).filter(({ stream }) => !shown.has(stream));
        },
      };
    },
  };
}

type WholeLog = Pick<LogSearchOptions<HintViews>, 'log' | 'signal' | 'bar'>;

async function hintsInLog(recipientKey: string, search: WholeLog): Promise<readonly EmailHint[]> {
  const found = new Map<string, EmailHint>();
  for await (const events of searchedLog('looking for e-mails', search))
    for (const { type, stream, position, data } of events) {
      const known = found.get(stream);
      if (known !== undefined) found.set(stream, { ...known, last: position });
      else if (type === 'EmailRequested' && data.includes(recipientKey))
        found.set(stream, { stream, first: position, last: position });
    }
  return [...found.values()];
}

async function* searchedLog(
  phase: string,
  { log, signal, bar }: WholeLog,
): AsyncGenerator<readonly StoredEvent[], undefined> {
  let done = 0;
  try {
    for await (const events of log.readAll({ signal })) {
      yield events;
      bar.report({ phase, done: (done += events.length) });
    }
    signal.throwIfAborted();
  } finally {
    bar.clear();
  }
  return undefined;
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
