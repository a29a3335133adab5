/** Who was in a list at a time. */
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { to } from '../../addresses.js';
import { useAction } from '../../answers.js';
import { ErrorNote } from '../../parts/answer.js';
import { Recorded } from '../../parts/recorded.js';
import { save } from '../../parts/save.js';
import { Mark, Time, Written, formatNumber } from '../../parts/text.js';
import { answerTo, piecesOf } from '../../lines.js';
import { readListAt, type ListThen } from './read-list-at.js';
import { LocalTable, ShowReading } from './reading.js';
import { TimeField } from './time-field.js';
import { useReading } from './use-reading.js';

export function AsItWas({ id }: { readonly id: string }) {
  const { query, route } = useLocation();
  const { at } = query;
  const [asked, setAsked] = useState(at);
  const reading = useReading(
    at === undefined
      ? undefined
      : (client, signal, onProgress) => readListAt(client, { id, time: at, signal, onProgress }),
    [id, at],
  );
  return (
    <section aria-labelledby="at">
      <h2 id="at">As it was at a time</h2>
      <p class="quiet">
        Read from the whole log. <Recorded />
      </p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (asked !== undefined) route(to('/lists', id, { show: 'at', at: asked }));
        }}
      >
        <TimeField key={at} label="Time" at={at} onInput={setAsked} />
        <button type="submit" class="primary">
          Show
        </button>
      </form>
      <ShowReading reading={reading}>{(then) => <Then id={id} then={then} />}</ShowReading>
    </section>
  );
}

const states: Readonly<Record<string, string>> = {
  deleted: 'The list was deleted then.',
  not_created: 'There was no such list yet.',
};

function Then({ id, then: { list, members, unreadable } }: { readonly id: string; readonly then: ListThen }) {
  const { time } = list;
  const subscribed = members.filter(({ status }) => status === 'Subscribed').length;
  const download = useAction(async (client) => {
    const request = client.http.GET('/v1/audit/lists/{list_id}/at', {
      params: { path: { list_id: id }, query: { time, format: 'csv' } },
      parseAs: 'stream',
    });
    save(await answerTo(new Response(piecesOf(await answerTo(request))).blob()), `${id}.csv`);
  });
  return (
    <>
      <p role="status">
        {states[list.state] ?? (
          <>
            <Written text={list.list_name} /> at <Time at={time} isExact />: {formatNumber(members.length)} members,{' '}
            {formatNumber(subscribed)} subscribed.
          </>
        )}
        {unreadable > 0 && ` ${formatNumber(unreadable)} events cannot be read and may be about this list.`}
      </p>
      {members.length > 0 && (
        <>
          <p class="buttons">
            <button type="button" disabled={download.isRunning} onClick={() => void download.run()}>
              {download.isRunning ? 'Download …' : 'Download as CSV'}
            </button>
          </p>
          <ErrorNote error={download.error} />
          <LocalTable
            items={members}
            caption="Members of the list at that time"
            columns={['Contact', 'Status', 'Since', 'Tags']}
            keyOf={({ contact_id }) => contact_id}
            row={({ contact_id, email, status, because, tags }) => (
              <>
                <th scope="row">
                  <a href={to('/contacts', contact_id, { at: time })}>
                    <Written text={email ?? contact_id} />
                  </a>
                </th>
                <td>
                  <Mark kind={status === 'Subscribed' ? 'good' : 'plain'}>{status}</Mark>
                </td>
                <td>
                  <Time at={because.at} />
                </td>
                <td>
                  <Written text={tags.map(({ tag_name }) => tag_name).join(', ')} />
                </td>
              </>
            )}
          />
        </>
      )}
    </>
  );
}
