/** The log: what happens now, all that happened, with filters, and the seals. */
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { to } from '../addresses.js';
import { usePages } from '../answers.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Field } from '../parts/field.js';
import { Page } from '../parts/page.js';
import { EventRow, columns } from './log/event-row.js';
import { filtersIn, queryOf, type Filters } from './log/filters.js';
import { Seals } from './log/seals.js';
import { Tail } from './log/tail.js';

const fields: readonly (readonly [keyof Filters, string, string])[] = [
  ['types', 'Types', 'Names of events, separated by commas.'],
  ['actor', 'By', 'Id of an API key.'],
  ['request', 'Request', 'Its id.'],
  ['stream', 'Stream', 'Its name.'],
  ['list', 'List', 'Its id.'],
];

const parts = [
  { name: 'live', text: 'As it comes' },
  { name: 'all', text: 'From the first event' },
  { name: 'seals', text: 'Seals' },
] as const;

export function Log() {
  const { query, route } = useLocation();
  const filters = filtersIn(query);
  const [asked, setAsked] = useState<Filters>(filters);
  // What a request did is over.
  const part =
    parts.find(({ name }) => name === query['show'])?.name ?? (filters.request === undefined ? 'live' : 'all');
  const key = JSON.stringify(filters);
  return (
    <Page title="Log">
      <p class="quiet">What is read here is on record, under the name of your key.</p>
      <nav class="sections" aria-label="Parts of this page">
        {parts.map(({ name, text }) => (
          <a
            key={name}
            href={to('/log', undefined, { ...filters, show: name })}
            aria-current={name === part ? 'page' : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      {part !== 'seals' && (
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            route(to('/log', undefined, { ...asked, show: part }));
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
      )}
      {part === 'live' && <Tail key={key} filters={filters} />}
      {part === 'all' && <All key={key} filters={filters} />}
      {part === 'seals' && <Seals />}
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
