/** What happened to one e-mail, in words: an attempt a line, with what the mail server replied. */
import type { components } from '../../../client/client.js';
import { to } from '../../addresses.js';
import { usePages } from '../../answers.js';
import { PageSearch, Pager, Show } from '../../parts/answer.js';
import { Recorded } from '../../parts/recorded.js';
import { Code, Mark, Time, Written, formatNumber, plainPosition } from '../../parts/text.js';
import { useKeyNames, type KeyNames } from '../contact/key-names.js';
import { Origin } from '../contact/origin.js';
import type { Email } from './states.js';

type Item = components['schemas']['HistoryItem'];

export function EmailHistory({ email: { email_id } }: { readonly email: Pick<Email, 'email_id'> }) {
  const pages = usePages(
    `e-mail ${email_id}`,
    (client, query, signal) => client.getEmailHistory({ path: { email_id }, query, signal }),
    200,
  );
  const keyNames = useKeyNames();
  return (
    <section aria-labelledby="history">
      <h2 id="history">What happened</h2>
      <p class="quiet">
        Read from the log. <Recorded />
      </p>
      <Show answer={pages}>
        {({ data }) => (
          <>
            <ol class="plain">
              {linesOf(data).map((line) => (
                <Line key={line.item.event_id} {...line} keyNames={keyNames} />
              ))}
            </ol>
            <PageSearch pages={pages} />
            <Pager pages={pages} />
          </>
        )}
      </Show>
    </section>
  );
}

interface LineOfHistory {
  readonly item: Item;
  /** The beginning of the attempt whose outcome it is. */
  readonly start?: Item | undefined;
}

/** The beginning of an attempt stands in the line of its outcome, once there is one. */
function linesOf(items: readonly Item[]): readonly LineOfHistory[] {
  const lines: LineOfHistory[] = [];
  for (const item of items) {
    const attempt = item.type === 'EmailDispatchStarted' ? undefined : numberIn(item, 'attempt');
    const at = lines.findLastIndex(({ item: one }) => isStartOf(one, attempt));
    const [begun] = at < 0 ? [] : lines.splice(at, 1);
    lines.push({ item, start: begun?.item });
  }
  return lines;
}

const isStartOf = (item: Item, attempt: number | undefined): boolean =>
  item.type === 'EmailDispatchStarted' && attempt !== undefined && numberIn(item, 'attempt') === attempt;

function Line({ item, start, keyNames }: LineOfHistory & { readonly keyNames: KeyNames }) {
  const [colour, text] = item.kind === 'unreadable' ? (['bad', 'unreadable'] as const) : markOf(item);
  return (
    <li class="request">
      <div class={`change change-${colour}`}>
        <Mark kind={colour}>{text}</Mark> <Written text={item.summary} /> <EventLink item={item} />
        <Asked item={item} />
        <Reply item={item} />
      </div>
      <p class="quiet">
        <Time at={item.at} isExact />
        <Origin actor={item.actor} requestId={item.request_id} keyNames={keyNames} />
        {start !== undefined && (
          <>
            ; begun <Time at={start.at} isExact /> <EventLink item={start} />
          </>
        )}
      </p>
    </li>
  );
}

const EventLink = ({ item: { position } }: { readonly item: Item }) => (
  <a class="quiet" href={to('/log', plainPosition(position))}>
    event {plainPosition(position)}
  </a>
);

/** Who is to get what: only the request says it. */
function Asked({ item }: { readonly item: Item }) {
  const [sender, recipient] = [textIn(messageIn(item), 'from_email'), textIn(messageIn(item), 'to_email')];
  if (sender === undefined || recipient === undefined) return null;
  return (
    <div>
      <q>
        <Written text={item.email?.subject} />
      </q>{' '}
      from <Written text={sender} /> to{' '}
      {item.contact_id === null ? (
        <Written text={recipient} />
      ) : (
        <a href={to('/contacts', item.contact_id)}>
          <Written text={recipient} />
        </a>
      )}
    </div>
  );
}

/** What a mail server said, in its words where they are kept; and when the next attempt is. */
function Reply({ item }: { readonly item: Item }) {
  const words = textIn(messageIn(item), 'response') ?? textIn(messageIn(item), 'diagnostic');
  const codes = [numberIn(item, 'smtp_code'), textIn(item.data, 'enhanced_code')].filter((code) => code !== undefined);
  const next = textIn(item.data, 'next_attempt_at');
  return (
    <>
      {words !== undefined && (
        <div>
          The mail server said:{' '}
          <q>
            <Written text={words} />
          </q>
        </div>
      )}
      {words === undefined && codes.length > 0 && (
        <div>
          The mail server said: <Code>{codes.join(' ')}</Code>
        </div>
      )}
      {next !== undefined && (
        <div class="quiet">
          Next attempt: <Time at={next} isExact />
        </div>
      )}
    </>
  );
}

type Colour = 'good' | 'warn' | 'bad' | 'info' | 'plain';

const marks: Readonly<Record<string, readonly [Colour, string]>> = {
  EmailRequested: ['info', 'requested'],
  EmailSent: ['good', 'sent'],
  EmailDispatchStarted: ['info', 'being sent'],
  EmailDeferred: ['warn', 'not accepted yet'],
  EmailInDoubt: ['warn', 'in doubt'],
  EmailFailed: ['bad', 'failed'],
  EmailHeld: ['warn', 'held'],
  EmailReleased: ['info', 'released'],
  EmailCancelled: ['plain', 'cancelled'],
  EmailBounced: ['bad', 'bounced'],
  EmailComplained: ['bad', 'called spam'],
  EmailErased: ['bad', 'erased'],
  ContactSubscribed: ['good', '+ status'],
  ContactUnsubscribed: ['warn', '− status'],
  AddressSuppressed: ['bad', 'refused'],
  BounceCounted: ['warn', 'counted'],
};

/** Of an attempt also its number. */
function markOf(item: Item): readonly [Colour, string] {
  const [colour, text] = marks[item.type] ?? (['plain', item.type] as const);
  const attempt = numberIn(item, 'attempt');
  return [colour, attempt === undefined ? text : `attempt ${formatNumber(attempt)}: ${text}`];
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

const messageIn = ({ data }: Item): unknown => memberOf(data, 'message');

function textIn(value: unknown, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function numberIn({ data }: Item, name: string): number | undefined {
  const found = memberOf(data, name);
  return typeof found === 'number' ? found : undefined;
}
