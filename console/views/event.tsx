/** One event of the log in full: what it says, its number and leaf, and a proof to download. */
import type { components } from '../../client/client.js';
import { to } from '../addresses.js';
import { isUnknown, useAction, useAnswer } from '../answers.js';
import { ErrorNote, Show } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { saveJson } from '../parts/save.js';
import { Code, Time, Written, formatNumber, plainPosition } from '../parts/text.js';
import { Recorded } from '../parts/recorded.js';
import { Unknown } from '../parts/unknown.js';
import { EventText } from './log/event-text.js';

type EventInFull = components['schemas']['EventInFull'];

/** `id` is its position. */
export function EventPage({ id = '' }: { readonly id?: string }) {
  const answer = useAnswer((client, signal) => client.getEvent({ path: { position: id }, signal }), [id]);
  if (isUnknown(answer.error)) return <Unknown what="event at position" id={id} />;
  return (
    <Page title={`Event ${plainPosition(id)}`}>
      <Show answer={answer}>
        {({ data }) => (
          <>
            {data.type !== 'RecordRead' && (
              <p class="quiet">
                <Recorded />
              </p>
            )}
            <Facts event={data} />
            <h2>Data</h2>
            <EventText data={data.data} />
            <Integrity event={data} />
          </>
        )}
      </Show>
    </Page>
  );
}

const Facts = ({ event }: { readonly event: EventInFull }) => (
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
          <Code>
            <Written text={event.request_id} />
          </Code>
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
      <a href={to('/log', undefined, { stream: event.stream, show: 'all' })}>
        <Code>{event.stream}</Code>
      </a>
      , revision {formatNumber(event.revision)}
    </dd>
    <dt>Event id</dt>
    <dd>
      <Code>{event.event_id}</Code>
    </dd>
  </dl>
);

function Integrity({ event: { position, ordinal, leaf } }: { readonly event: EventInFull }) {
  const name = `event-${plainPosition(position)}.json`;
  const proof = useAction(async (client) => {
    const { data } = await client.getEventProof({ path: { position } });
    saveJson(data, name);
    return data;
  });
  return (
    <section aria-labelledby="integrity">
      <h2 id="integrity">Integrity</h2>
      {ordinal === null ? (
        <p class="note">This event has not been counted yet. Load the page again in a moment.</p>
      ) : (
        <dl>
          <dt>Number in the log</dt>
          <dd>{formatNumber(ordinal)}</dd>
          <dt>Leaf in the tree</dt>
          <dd>
            <Code>{leaf}</Code>
          </dd>
        </dl>
      )}
      <p class="buttons">
        <button type="button" disabled={proof.isRunning} onClick={() => void proof.run()}>
          Download a proof
        </button>
      </p>
      <ErrorNote error={proof.error} />
      <p class="quiet">
        The file has this event as it is stored, with its path to the root of the newest seal that covers it. Anyone can
        check it without this service: <Code>node verify.mjs {name}</Code>, followed by a seal that they kept.
      </p>
    </section>
  );
}
