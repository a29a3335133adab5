/** One field for all that can be looked for: a person, an e-mail, a request, an event. */
import { effect, signal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { AudienceError, type AudienceClient } from '../../client/client.js';
import { to } from '../addresses.js';
import { useAction } from '../answers.js';
import { ErrorNote } from '../parts/answer.js';
import { Field } from '../parts/field.js';
import { Page } from '../parts/page.js';
import { Code } from '../parts/text.js';
import { may, session } from '../session.js';
import { Contacts } from './find/contacts.js';
import { recognise, type Recognised } from './find/recognise.js';

/** Stays in memory for who comes back, until one signs out. */
const typed = signal('');
effect(() => {
  if (session.value === undefined) typed.value = '';
});

export function Find() {
  const { route } = useLocation();
  const [lives, setLives] = useState<readonly string[]>();
  const found = allowed(recognise(typed.value));
  const search = useAction(async (client, email: string) => {
    const ids = await contactsOf(client, email);
    const [only] = ids;
    if (ids.length === 1 && only !== undefined) route(to('/contacts', only));
    else setLives(ids);
  });
  const open = useAction(async (client, { text, address }: Request) => {
    // Who finds people by it has typed a part of their address, which belongs in no history of a browser.
    if (may('contacts:read') && (await client.searchContacts({ body: { text, limit: 1 } })).data.length > 0) return;
    route(address);
  });
  const request = requestIn(found);
  const submit = (): void => {
    if (found.kind === 'page') route(found.address);
    if (found.kind === 'request') void open.run(found);
    if (found.kind === 'address') void search.run(found.email);
  };
  return (
    <Page title="Find">
      <form
        class="find"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label={`E-mail address, ${may('contacts:read') ? 'name, ' : ''}id, request id or position of an event`}
          type="search"
          value={typed.value}
          onInput={(value) => {
            typed.value = value;
            setLives(undefined);
          }}
          hint={<span role="status">{hintOf(found)}</span>}
        />
        <button type="submit" class="primary" disabled={search.isRunning || open.isRunning}>
          Find
        </button>
      </form>
      <ErrorNote error={search.error ?? open.error} />
      {lives !== undefined && <Lives ids={lives} />}
      {may('contacts:read') && <Contacts text={soughtIn(found)} />}
      {request !== undefined && (found.kind === 'text' || may('contacts:read')) && (
        <p>
          Or <a href={request}>what the request with this id did</a>.
        </p>
      )}
      <p class="quiet">
        What is typed here stays out of the address of this page. That somebody searched, and a history that is read, is
        on record.
      </p>
    </Page>
  );
}

type Request = Extract<Recognised, { readonly kind: 'request' }>;

/** Who may not see what a request did has typed a text. */
function allowed(found: Recognised): Recognised {
  if (may('audit:read') || (found.kind !== 'text' && found.kind !== 'request')) return found;
  return { kind: 'text', text: found.text, request: undefined };
}

/** The address of what the request did that the text may be the id of. */
function requestIn(found: Recognised): string | undefined {
  if (found.kind === 'request') return found.address;
  return found.kind === 'text' ? found.request : undefined;
}

/** What the beginning of an address or a name may be. */
function soughtIn(found: Recognised): string {
  if (found.kind === 'address') return found.email;
  return found.kind === 'text' || found.kind === 'request' ? found.text : '';
}

function hintOf(found: Recognised): string {
  switch (found.kind) {
    case 'nothing':
      return 'What was typed is recognised.';
    case 'address':
      return 'Finds the person with this address.';
    case 'page':
      return `Opens ${found.what}.`;
    case 'request':
      return may('contacts:read')
        ? 'Finds people by the beginning; where there are none, opens what this request did.'
        : 'Opens what this request did.';
    case 'text':
      return may('contacts:read')
        ? 'Finds people by the beginning.'
        : 'This is no address, id, request id or position.';
    default:
      return found satisfies never;
  }
}

const Lives = ({ ids }: { readonly ids: readonly string[] }) => (
  <section aria-labelledby="lives">
    <h2 id="lives">No contact has this address now</h2>
    {ids.length === 0 ? (
      <p>None is known to have had it.</p>
    ) : (
      <>
        <p>Earlier contacts of this address:</p>
        <ul>
          {ids.map((id) => (
            <li key={id}>
              <a href={to('/contacts', id)}>
                <Code>{id}</Code>
              </a>
            </li>
          ))}
        </ul>
      </>
    )}
  </section>
);

/** The contact that has the address; else, for a key that may see histories, those that had it. */
async function contactsOf(client: AudienceClient, email: string): Promise<readonly string[]> {
  if (may('contacts:read')) {
    const present = await client.findContact({ query: { email } }).catch(orNothing);
    if (present !== undefined) return [present.data.contact_id];
  }
  if (!may('audit:read')) return [];
  return await livesOf(client, email);
}

async function livesOf(client: AudienceClient, email: string): Promise<readonly string[]> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const query = { limit: 200, ...(cursor !== undefined && { cursor }) };
    const page = await client.getContactHistory({ path: { contact: email }, query }).catch(orNothing);
    for (const { contact_id: id } of page?.data ?? []) if (id !== null) ids.add(id);
    cursor = page?.next_cursor;
  } while (cursor !== undefined);
  return [...ids];
}

function orNothing(error: unknown): undefined {
  if (error instanceof AudienceError && error.statusCode === 404) return undefined;
  throw error;
}
