/** One event of the log in full. */
import { to } from '../addresses.js';
import { useAnswer } from '../answers.js';
import { Show } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Time, Written } from '../parts/text.js';
import { EventText } from './log/event-text.js';

const plain = (position: string): string => position.replace(/^0+(?=.)/, '');

/** `id` is its position. */
export function EventPage({ id = '' }: { readonly id?: string }) {
  const isPosition = /^[0-9]{1,19}$/.test(id);
  const answer = useAnswer(
    async (client, signal) => {
      if (!isPosition) return { event: undefined };
      const after = String(BigInt(id) - 1n);
      const query = { limit: 1, ...(BigInt(id) > 1n && { after }) };
      const [event] = (await client.listEvents({ query, signal })).data;
      return { event: event !== undefined && plain(event.position) === plain(id) ? event : undefined };
    },
    [id],
  );
  return (
    <Page title={`Event ${isPosition ? plain(id) : ''}`}>
      <p class="quiet">What is read here is on record, under the name of your key.</p>
      {!isPosition && <p class="note">An event is named by its position in the log: a number.</p>}
      <Show answer={answer}>
        {({ event }) =>
          event === undefined ? (
            <p class="note">There is no event at this position, or it only says who looked.</p>
          ) : (
            <>
              <dl>
                <dt>Type</dt>
                <dd>
                  <Code>{event.type}</Code>, schema {event.schema}
                </dd>
                <dt>At</dt>
                <dd>
                  <Time at={event.at} isExact />
                </dd>
                <dt>By</dt>
                <dd>
                  <Written text={event.actor} />
                </dd>
                <dt>Request</dt>
                <dd>
                  {event.request_id !== null && (
                    <a href={to('/log', undefined, { request: event.request_id })}>
                      <Code>{event.request_id}</Code>
                    </a>
                  )}
                </dd>
                <dt>Correlation</dt>
                <dd>
                  <Code>{event.correlation_id}</Code>
                </dd>
                <dt>Caused by</dt>
                <dd>
                  <Code>{event.causation_id}</Code>
                </dd>
                <dt>Stream</dt>
                <dd>
                  <Code>{event.stream}</Code>, revision {event.revision}
                </dd>
                <dt>Event id</dt>
                <dd>
                  <Code>{event.event_id}</Code>
                </dd>
              </dl>
              <h2>Data</h2>
              <EventText data={event.data} />
              <p class="quiet">
                A proof that the events of a person stand in the sealed log is on the person’s page, and comes from{' '}
                <code>audience audit prove</code>.
              </p>
            </>
          )
        }
      </Show>
    </Page>
  );
}
