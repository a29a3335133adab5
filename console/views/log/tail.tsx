/** Events as they come, the newest first. */
import { useEffect, useState } from 'preact/hooks';
import type { AudienceClient } from '../../../client/client.js';
import { Empty, ErrorNote, Table } from '../../parts/answer.js';
import { formatNumber } from '../../parts/text.js';
import { endIfRefused, session } from '../../session.js';
import { EventRow, columns, type FeedEvent } from './event-row.js';
import { queryOf, type Filters } from './filters.js';

/** Rows that are kept. */
const most = 200;
/** Milliseconds between two questions. */
const pause = 2_000;
/** Milliseconds before the page was opened from which on events are shown. */
const before = 3_600_000;

interface Shown {
  readonly events: readonly FeedEvent[];
  readonly error: unknown;
}

export function Tail({ filters }: { readonly filters: Filters }) {
  const [isPaused, setPaused] = useState(false);
  const [shown, setShown] = useState<Shown>({ events: [], error: undefined });
  const client = session.value?.client;

  useEffect(() => {
    if (client === undefined || isPaused) return undefined;
    const abort = new AbortController();
    void follow(client, {
      filters,
      signal: abort.signal,
      after: shown.events[0]?.position,
      onEvents: (came) =>
        setShown(({ events }) => ({ events: [...[...came].reverse(), ...events].slice(0, most), error: undefined })),
      onError: (error) => setShown(({ events }) => ({ events, error })),
    });
    return () => abort.abort();
  }, [client, isPaused]);

  return (
    <>
      <p class="buttons">
        <button type="button" onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Go on' : 'Pause'}
        </button>
        <span class="quiet" role="status">
          {isPaused ? 'Paused.' : 'New events come by themselves.'}
        </span>
      </p>
      <ErrorNote error={shown.error} />
      {shown.events.length === 0 ? (
        <Empty>Nothing in the last hour. What happens stands here within seconds.</Empty>
      ) : (
        <Table caption={`The newest events, at most ${formatNumber(most)}`} columns={columns}>
          {shown.events.map((event) => (
            <tr key={event.event_id}>
              <EventRow event={event} />
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

interface Follow {
  readonly filters: Filters;
  readonly signal: AbortSignal;
  readonly after: string | undefined;
  readonly onEvents: (events: readonly FeedEvent[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Asks again and again until the signal aborts; a page that is not seen rests. */
async function follow(client: AudienceClient, { filters, signal, after, onEvents, onError }: Follow): Promise<void> {
  const from = new Date(Date.now() - before).toISOString();
  let cursor = after;
  while (!signal.aborted) {
    let hasMore = false;
    try {
      if (document.visibilityState === 'visible') {
        const query = { ...queryOf(filters), limit: 200, ...(cursor === undefined ? { from } : { after: cursor }) };
        const page = await client.listEvents({ query, signal });
        if (page.data.length > 0) onEvents(page.data);
        if (page.next_after !== '') cursor = page.next_after;
        hasMore = page.has_more;
      }
    } catch (error) {
      if (signal.aborted) return;
      endIfRefused(error);
      onError(error);
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
