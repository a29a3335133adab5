/** The log: what happens now, all that happened, with filters, and the seals. */
import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { to } from '../addresses.js';
import { usePages } from '../answers.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Field } from '../parts/field.js';
import { Page } from '../parts/page.js';
import { Recorded } from '../parts/recorded.js';
import { EventRow, columns } from './log/event-row.js';
import { filtersIn, isFiltered, queryOf, type Filters } from './log/filters.js';
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
  const { query } = useLocation();
  const filters = filtersIn(query);
  // What a request did is over.
  const part =
    parts.find(({ name }) => name === query['show'])?.name ?? (filters.request === undefined ? 'live' : 'all');
  return (
    <Page title="Log">
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
      {part === 'seals' ? <Seals /> : <Events part={part} filters={filters} />}
    </Page>
  );
}

interface EventsProps {
  readonly part: 'live' | 'all';
  readonly filters: Filters;
}

function Events({ part, filters }: EventsProps) {
  const key = JSON.stringify(filters);
  return (
    <>
      <FilterFields part={part} filters={filters} />
      {filters.types !== 'RecordRead' && (
        <p class="quiet">
          <Recorded />
        </p>
      )}
      {filters.types === undefined && (
        <p class="quiet">
          Records of reads are not shown here.{' '}
          <a href={to('/log', undefined, { ...filters, types: 'RecordRead', show: part })}>Show only these</a>
        </p>
      )}
      {part === 'live' ? <Tail key={key} filters={filters} /> : <All key={key} filters={filters} />}
    </>
  );
}

function FilterFields({ part, filters }: EventsProps) {
  const { route } = useLocation();
  const [asked, setAsked] = useState<Filters>(filters);
  // A link on this page may change the filters in the address.
  useEffect(() => setAsked(filters), [JSON.stringify(filters)]);
  return (
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
  );
}

function All({ filters }: { readonly filters: Filters }) {
  const pages = usePages(`log ${JSON.stringify(filters)}`, async (client, { limit, cursor }, signal) => {
    const query = { ...queryOf(filters), limit, ...(cursor !== undefined && { after: cursor }) };
    const { has_more, next_after, ...page } = await client.listEvents({ query, signal });
    return { ...page, ...(has_more && { next_cursor: next_after }) };
  });
  return (
    <PagedTable
      pages={pages}
      caption="Events, the oldest first"
      columns={columns}
      keyOf={({ event_id }) => event_id}
      row={(event) => <EventRow event={event} />}
      empty={<Empty>{isFiltered(filters) ? 'No event matches these filters.' : 'There are no events.'}</Empty>}
    />
  );
}
