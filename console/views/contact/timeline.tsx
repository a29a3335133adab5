/** Every change of a contact in words, the newest first: by day, and by the request that made it. */
import { useEffect, useState } from 'preact/hooks';
import { to } from '../../addresses.js';
import { Empty, ErrorNote } from '../../parts/answer.js';
import { Choice } from '../../parts/field.js';
import { Mark, Written, formatDay, formatNumber, plainPosition } from '../../parts/text.js';
import { printable } from '../../../src/events/printable.js';
import { may } from '../../session.js';
import type { History } from './history.js';
import type { KeyNames } from './key-names.js';
import { Origin } from './origin.js';
import { kindOf, kindTexts, listsOf, type Item, type ItemKind } from './moments.js';

const rowsAPage = 50;

interface TimelineProps {
  readonly keyNames: KeyNames;
  readonly history: History;
  readonly kind: string;
  readonly listId: string;
  /** The moment that is shown above. */
  readonly at: string | undefined;
  /** The address of this page with another query. */
  readonly address: (changes: Readonly<Record<string, string | undefined>>) => string;
  readonly onFilter: (changes: Readonly<Record<string, string | undefined>>) => void;
}

export function Timeline({ keyNames, history, kind, listId, at, address, onFilter }: TimelineProps) {
  const rows = history.items
    .filter((item) => (kind === '' || kindOf(item) === kind) && (listId === '' || listsOf(item).includes(listId)))
    .reverse();
  const last = Math.max(0, Math.ceil(rows.length / rowsAPage) - 1);
  const [wanted, setPage] = useState(0);
  const page = Math.min(wanted, last);
  useEffect(() => {
    const index = rows.findIndex((item) => item.at !== undefined && item.at <= (at ?? '~'));
    setPage(Math.floor(Math.max(0, index) / rowsAPage));
  }, [at, kind, listId, history.isWhole]);
  const shown = rows.slice(page * rowsAPage, (page + 1) * rowsAPage);

  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">What happened</h2>
      <Filters items={history.items} kind={kind} listId={listId} onFilter={onFilter} />
      <ErrorNote error={history.error} />
      <HowMany count={rows.length} history={history} />
      {rows.length === 0 && history.isWhole && <Empty>No changes of this kind.</Empty>}
      {daysOf(shown).map(([day, requests]) => (
        <section key={`${page} ${day}`} class="day">
          <h3>{day}</h3>
          {requests.map((items) => (
            <Request key={items[0]?.position} items={items} at={at} address={address} keyNames={keyNames} />
          ))}
        </section>
      ))}
      {last > 0 && (
        <nav class="pager" aria-label="Pages of the changes">
          <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
            Later
          </button>
          <span role="status">
            Page {formatNumber(page + 1)} of {formatNumber(last + 1)}
          </span>
          <button type="button" disabled={page === last} onClick={() => setPage(page + 1)}>
            Earlier
          </button>
        </nav>
      )}
    </section>
  );
}

interface HowManyProps {
  readonly count: number;
  readonly history: History;
}

function HowMany({ count, history }: HowManyProps) {
  const { items, isLoading, isWhole } = history;
  const isPart = !isLoading && !isWhole;
  return (
    <>
      <p class="quiet" role="status">
        {formatNumber(count)} of {formatNumber(items.length)} changes
        {isLoading && ', loading more …'}
        {isPart && ' that were loaded. There may be more.'}
      </p>
      {isLoading && items.length > 0 && (
        <button type="button" onClick={history.stop}>
          Stop loading
        </button>
      )}
      {isPart && (
        <button type="button" onClick={history.reload}>
          Load all
        </button>
      )}
    </>
  );
}

function Filters({ items, kind, listId, onFilter }: Pick<TimelineProps, 'kind' | 'listId' | 'onFilter'> & ItemsProp) {
  const lists = new Map<string, string>();
  for (const item of items)
    if (item.kind === 'event' && item.list !== undefined) lists.set(item.list.list_id, item.list.name_now);
  return (
    <div class="filters">
      <Choice
        label="Kind"
        value={kind}
        options={[['', 'everything'], ...Object.entries(kindTexts)]}
        onChange={(value) => onFilter({ kind: value })}
      />
      <Choice
        label="List"
        value={listId}
        options={[['', 'all lists'], ...[...lists].map(([id, name]) => [id, printable(name)] as const)]}
        onChange={(value) => onFilter({ list: value })}
      />
    </div>
  );
}

interface ItemsProp {
  readonly items: readonly Item[];
}

interface RequestProps extends ItemsProp, Pick<TimelineProps, 'at' | 'address'> {
  readonly keyNames: KeyNames;
}

/** What one request did at one time. */
function Request({ items, at, address, keyNames }: RequestProps) {
  const [first] = items;
  if (first === undefined) return null;
  return (
    <div class="request">
      <ul class="plain">
        {items.map((item) => (
          <Row key={item.event_id} item={item} isShown={item.at === at} />
        ))}
      </ul>
      <p class="quiet">
        {first.at === undefined ? 'at an unknown time' : <a href={address({ at: first.at })}>{clock(first.at)}</a>}
        <Origin actor={first.actor} requestId={first.request_id} keyNames={keyNames} />
      </p>
    </div>
  );
}

const marks: Readonly<Record<ItemKind, readonly ['good' | 'warn' | 'bad' | 'info' | 'plain', string]>> = {
  person: ['info', 'person'],
  status: ['good', '+ status'],
  consent: ['info', 'consent'],
  tags: ['plain', 'tags'],
  names: ['plain', 'names'],
  email: ['plain', 'e-mail'],
  erasure: ['bad', 'erased'],
  unreadable: ['bad', 'unreadable'],
};

function Row({ item, isShown }: { readonly item: Item; readonly isShown: boolean }) {
  const [colour, text] = item.type === 'ContactUnsubscribed' ? (['warn', '− status'] as const) : marks[kindOf(item)];
  return (
    <li class={`change change-${colour}`} aria-current={isShown ? 'true' : undefined}>
      <Mark kind={colour}>{text}</Mark> <Written text={item.summary} />{' '}
      {item.email !== undefined && (
        <>
          {item.email.subject !== null && (
            <>
              <q>
                <Written text={item.email.subject} />
              </q>{' '}
            </>
          )}
          {may('email:read') && <a href={to('/emails', item.email.email_id)}>its e-mail</a>}{' '}
        </>
      )}
      <a class="quiet" href={to('/log', plainPosition(item.position))}>
        event {plainPosition(item.position)}
      </a>
    </li>
  );
}

const clocks = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const clock = (at: string) => (
  <time dateTime={at} title={`${at.replace('T', ' ').replace('Z', '')} UTC`}>
    {clocks.format(new Date(at))}
  </time>
);

type Day = readonly [day: string, requests: Item[][]];

/** Neighbours of one day, and in it of one time and request, and of who did it: a click of the recipient is brought by a key. */
function daysOf(items: readonly Item[]): readonly Day[] {
  const days: Day[] = [];
  for (const item of items) {
    const day = item.at === undefined ? 'At an unknown time' : formatDay(item.at);
    const last = days.at(-1);
    if (last?.[0] === day) addTo(last[1], item);
    else days.push([day, [[item]]]);
  }
  return days;
}

function addTo(requests: Item[][], item: Item): void {
  const last = requests.at(-1);
  const isOfLast = (['at', 'request_id', 'actor'] as const).every((name) => last?.[0]?.[name] === item[name]);
  if (last !== undefined && isOfLast) last.push(item);
  else requests.push([item]);
}
