/** An event in a row: when, what, by whom, on which request. */
import type { components } from '../../../client/client.js';
import { to } from '../../addresses.js';
import { Code, Time, Written, plainPosition } from '../../parts/text.js';

export type FeedEvent = components['schemas']['FeedEvent'];

export const columns = ['Event', 'Type', 'At', 'By', 'Request'];

export function EventRow({ event }: { readonly event: FeedEvent }) {
  const position = plainPosition(event.position);
  return (
    <>
      <th scope="row">
        <a href={to('/log', position)}>{position}</a>
      </th>
      <td>
        <Code>{event.type}</Code>
      </td>
      <td>
        <Time at={event.at} isExact />
      </td>
      <td>
        <Written text={event.actor} />
      </td>
      <td>
        {event.request_id !== null && (
          <a href={to('/log', undefined, { request: event.request_id })}>
            <Written text={event.request_id} />
          </a>
        )}
      </td>
    </>
  );
}
