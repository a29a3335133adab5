/** Events as they come, the newest first. */
import { useEffect, useState } from 'preact/hooks';
import type { AnswerOf, AudienceClient, Progress } from '../../../client/client.js';
import { Empty, ErrorNote, Searching, Table } from '../../parts/answer.js';
import { Time, formatNumber } from '../../parts/text.js';
import { endIfRefused, session } from '../../session.js';
import { EventRow, columns, type FeedEvent } from './event-row.js';
import { isFiltered, queryOf, type Filters } from './filters.js';

/** Rows that are kept. */
const most = 200;
/** Milliseconds between two questions. */
const pause = 2_000;
/** Milliseconds before the page was opened from which on events are shown. */
const before = 3_600_000;

interface Shown {
  readonly events: readonly FeedEvent[];
  /** Whether the log was searched up to its end. Only then may the page say that there is nothing. */
  readonly isCaughtUp: boolean;
  readonly progress: Progress;
  readonly error: unknown;
}

const nothing: Shown = {
  events: [],
  isCaughtUp: false,
  progress: { found: 0, searched: undefined, total: undefined },
  error: undefined,
};

export function Tail({ filters }: { readonly filters: Filters }) {
  const [isPaused, setPaused] = useState(false);
  const [shown, setShown] = useState<Shown>(nothing);
  const [from] = useState(() => new Date(Date.now() - before).toISOString());
  const client = session.value?.client;
  const { events, isCaughtUp, progress, error } = shown;

  useEffect(() => {
    if (client === undefined || isPaused) return undefined;
    const abort = new AbortController();
    void follow(client, {
      filters,
      from,
      signal: abort.signal,
      after: events[0]?.position,
      onPage: (page) => setShown((current) => withPage(current, page)),
      onError: (fault) => setShown((current) => ({ ...current, error: fault })),
    });
    return () => abort.abort();
  }, [client, isPaused]);

  return (
    <>
      <p class="buttons">
        <button type="button" onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Continue' : 'Pause'}
        </button>
        <span class="quiet" role="status">
          {isPaused ? 'Paused.' : 'New events come by themselves.'}
        </span>
      </p>
      <ErrorNote error={error} />
      {!isCaughtUp && !isPaused && error === undefined && (
        <Searching progress={progress} onStop={() => setPaused(true)} />
      )}
      <Newest events={events} />
      {events.length === 0 && isCaughtUp && (
        <Empty>
          {isFiltered(filters) ? 'No event matches these filters' : 'No events'} since <Time at={from} isExact />.
        </Empty>
      )}
    </>
  );
}

const Newest = ({ events }: Pick<Shown, 'events'>) =>
  events.length === 0 ? null : (
    <Table caption={`The newest events, at most ${formatNumber(most)}`} columns={columns}>
      {events.map((event) => (
        <tr key={event.event_id}>
          <EventRow event={event} />
        </tr>
      ))}
    </Table>
  );

type FeedPage = AnswerOf<'listEvents'>;

function withPage({ events, isCaughtUp, progress }: Shown, page: FeedPage): Shown {
  const shown = page.data.length === 0 ? events : [...[...page.data].reverse(), ...events].slice(0, most);
  const searched = (progress.searched ?? 0) + page.searched;
  return {
    events: shown,
    isCaughtUp: isCaughtUp || !page.has_more,
    progress: { found: shown.length, searched, total: page.total ?? undefined },
    error: undefined,
  };
}

interface Follow {
  readonly filters: Filters;
  /** First time that is shown. ISO 8601. */
  readonly from: string;
  readonly signal: AbortSignal;
  readonly after: string | undefined;
  readonly onPage: (page: FeedPage) => void;
  readonly onError: (error: unknown) => void;
}

/** Polls until the signal aborts. Pauses while the page is hidden. */
async function follow(client: AudienceClient, { filters, from, signal, after, ...on }: Follow): Promise<void> {
  let cursor = after;
  while (!signal.aborted) {
    let hasMore = false;
    try {
      if (document.visibilityState === 'visible') {
        const query = { ...queryOf(filters), limit: 200, ...(cursor === undefined ? { from } : { after: cursor }) };
        const page = await client.listEvents({ query, signal });
        on.onPage(page);
        if (page.next_after !== '') cursor = page.next_after;
        hasMore = page.has_more;
      }
    } catch (error) {
      if (signal.aborted) return;
      endIfRefused(error);
      on.onError(error);
    }
    if (!hasMore) await rest(signal);
  }
}

const rest = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, pause);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
