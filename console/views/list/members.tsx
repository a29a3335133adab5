/** Who is in a list now. */
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { components } from '../../../client/client.js';
import { to } from '../../addresses.js';
import { usePages } from '../../answers.js';
import { Empty, PagedTable } from '../../parts/answer.js';
import { Recorded } from '../../parts/recorded.js';
import { Choice, Field } from '../../parts/field.js';
import { Mark, Time, Written } from '../../parts/text.js';

type Status = components['schemas']['SubscriptionStatus'];

const statuses: readonly (readonly ['' | Status, string])[] = [
  ['', 'all'],
  ['Subscribed', 'Subscribed'],
  ['Unsubscribed', 'Unsubscribed'],
];

export function Members({ id }: { readonly id: string }) {
  const { query, route } = useLocation();
  const status = statuses.find(([name]) => name === query['status'])?.[0] ?? '';
  const [tag, setTag] = useState('');
  const [typed, setTyped] = useState('');
  const pages = usePages(`members ${id} ${status} ${tag}`, (client, request, signal) =>
    client.listContacts({
      path: { list_id: id },
      query: {
        ...request,
        // The page says that reads are recorded.
        record: true,
        ...(status !== '' && { status }),
        ...(tag !== '' && { tag_name: tag }),
      },
      signal,
    }),
  );
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      <p class="quiet">
        <Recorded />
      </p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setTag(typed);
        }}
      >
        <Choice
          label="Status"
          value={status}
          options={statuses}
          onChange={(value) => route(to('/lists', id, { show: 'members', status: value }))}
        />
        <Field label="With the tag" value={typed} onInput={setTyped} />
        <button type="submit">Filter</button>
      </form>
      <PagedTable
        pages={pages}
        caption="Members of the list"
        columns={['Address', 'Name', 'Status', 'Since', 'Tags']}
        keyOf={({ contact_id }) => contact_id}
        row={(contact) => (
          <>
            <th scope="row">
              <a href={to('/contacts', contact.contact_id)}>
                <Written text={contact.email} />
              </a>
            </th>
            <td>
              <Written text={[contact.firstName, contact.lastName].filter(Boolean).join(' ')} />
            </td>
            <td>
              <Mark kind={contact.status === 'Subscribed' ? 'good' : 'plain'}>{contact.status}</Mark>
            </td>
            <td>
              <Time at={contact.because.at} />
            </td>
            <td>
              <Written text={contact.tags.map(({ tag_name }) => tag_name).join(', ')} />
            </td>
          </>
        )}
        empty={
          <Empty request={`POST /v1/contacts/${id}/create {"email": "ada@example.com", "status": "Subscribed"}`}>
            {status === '' && tag === '' ? 'This list has no members.' : 'No members match these filters.'}
          </Empty>
        }
      />
    </section>
  );
}
