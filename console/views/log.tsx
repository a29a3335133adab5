/** The log: what happens now, and all that happened, with filters. */
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { to } from '../addresses.js';
import { usePages } from '../answers.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Field } from '../parts/field.js';
import { Page } from '../parts/page.js';
import { EventRow, columns } from './log/event-row.js';
import { queryOf, type Filters } from './log/filters.js';
import { Tail } from './log/tail.js';

const fields: readonly (readonly [keyof Filters, string, string])[] = [
  ['types', 'Types', 'Names of events, separated by commas.'],
  ['actor', 'By', 'Id of an API key.'],
  ['request', 'Request', 'Its id.'],
  ['list', 'List', 'Its id.'],
];

export function Log() {
  const { query, route } = useLocation();
  const { types, actor, request, list, show } = query;
  const filters: Filters = {
    ...(types !== undefined && { types }),
    ...(actor !== undefined && { actor }),
    ...(request !== undefined && { request }),
    ...(list !== undefined && { list }),
  };
  const [asked, setAsked] = useState<Filters>(filters);
  // What a request did is over.
  const isLive = show === undefined ? request === undefined : show === 'live';
  const key = JSON.stringify(filters);
  const address = (changes: object): string => to('/log', undefined, { ...filters, ...changes });
  return (
    <Page title="Log">
      <p class="quiet">What is read here is on record, under the name of your key.</p>
      <nav class="sections" aria-label="Parts of this page">
        <a href={address({ show: 'live' })} aria-current={isLive ? 'page' : undefined}>
          As it comes
        </a>
        <a href={address({ show: 'all' })} aria-current={isLive ? undefined : 'page'}>
          From the first event
        </a>
      </nav>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          route(to('/log', undefined, { ...asked, show: isLive ? 'live' : 'all' }));
        }}
      >
        {fields.map(([name, label, hint]) => (
          <Field
            key={name}
            label={label}
            value={asked[name] ?? ''}
            onInput={(value) => setAsked({ ...asked, [name]: value })}
            hint={hint}
          />
        ))}
        <button type="submit">Filter</button>
      </form>
      {isLive ? <Tail key={key} filters={filters} /> : <All key={key} filters={filters} />}
    </Page>
  );
}

function All({ filters }: { readonly filters: Filters }) {
  const pages = usePages(`log ${JSON.stringify(filters)}`, async (client, after, signal) => {
    const query = { ...queryOf(filters), limit: 50, ...(after !== undefined && { after }) };
    const { data, has_more, next_after } = await client.listEvents({ query, signal });
    return { data, ...(has_more && { next_cursor: next_after }) };
  });
  return (
    <PagedTable
      pages={pages}
      caption="Events, the oldest first"
      columns={columns}
      keyOf={({ event_id }) => event_id}
      row={(event) => <EventRow event={event} />}
      empty={<Empty>Nothing in the log is like that. Each event would stand here, the oldest first.</Empty>}
    />
  );
}
