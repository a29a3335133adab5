/** One field for all that can be looked for: a person, an e-mail, a request, an event. */
import { effect, signal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { AudienceError, type AudienceClient } from '../../client/client.js';
import { to } from '../addresses.js';
import { useLongAction, type Watch } from '../answers.js';
import { ErrorNote, Searching } from '../parts/answer.js';
import { Field } from '../parts/field.js';
import { Page } from '../parts/page.js';
import { areReadsRecorded } from '../parts/recorded.js';
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
  const [lives, setLives] = useState<FoundLives>();
  const found = recognise(typed.value);
  const search = useLongAction(async (client, watch, email: string) => {
    const found = await contactsOf(client, watch, email);
    const [only] = found.ids;
    if (found.ids.length === 1 && only !== undefined) route(to('/contacts', only));
    else setLives(found);
  });
  const submit = (): void => {
    if (found.kind === 'page') route(found.address);
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
        <button type="submit" class="primary" disabled={search.isRunning}>
          Find
        </button>
      </form>
      <ErrorNote error={search.error} />
      {search.progress !== undefined && <Searching progress={search.progress} onStop={search.stop} />}
      {lives !== undefined && <Lives {...lives} />}
      {may('contacts:read') && <Contacts text={soughtIn(found)} />}
      {found.kind === 'text' && found.request !== undefined && may('audit:read') && (
        <p>
          Or <a href={found.request}>what the request with this id did</a>.
        </p>
      )}
      <p class="quiet">
        What you type is not in the address of this page.{' '}
        {areReadsRecorded() &&
          'Searches by the beginning of a name or an address are recorded, and so is each history that you open.'}
      </p>
    </Page>
  );
}

/** What the beginning of an address or a name may be. */
function soughtIn(found: Recognised): string {
  if (found.kind === 'address') return found.email;
  return found.kind === 'text' ? found.text : '';
}

function hintOf(found: Recognised): string {
  switch (found.kind) {
    case 'nothing':
      return 'What was typed is recognised.';
    case 'address':
      return 'Finds the person with this address.';
    case 'page':
      return `Opens ${found.what}.`;
    case 'text':
      return hintOfText(found);
    default:
      return found satisfies never;
  }
}

function hintOfText({ request }: { readonly request: string | undefined }): string {
  if (may('contacts:read')) return 'Finds people by the beginning.';
  if (request !== undefined && may('audit:read')) return 'This may be the id of a request.';
  return 'This is no address, id, request id or position.';
}

interface FoundLives {
  readonly ids: readonly string[];
  /** Whether it is known that no contact has the address now. */
  readonly isNobodyNow: boolean;
  /** Whether earlier contacts were looked for. */
  readonly isPastKnown: boolean;
}

const Lives = ({ ids, isNobodyNow, isPastKnown }: FoundLives) => (
  <section aria-labelledby="lives">
    <h2 id="lives">{isNobodyNow ? 'No contact has this address now' : 'Contacts of this address'}</h2>
    {isPastKnown && ids.length === 0 && <p>According to the log, no contact ever had this address.</p>}
    {!isPastKnown && isNobodyNow && <p>Keys with the scope audit:read also see earlier contacts.</p>}
    {!isPastKnown && !isNobodyNow && <p>Your key cannot see contacts.</p>}
    {ids.length > 0 && (
      <>
        <p>{isNobodyNow ? 'Earlier contacts of this address:' : 'Contacts that have or had this address:'}</p>
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

/** Returns the contact that has the address, or those that the history of the address names. */
async function contactsOf(client: AudienceClient, watch: Watch, email: string): Promise<FoundLives> {
  const { signal } = watch;
  const isPresentKnown = may('contacts:read');
  const present = isPresentKnown ? await client.findContact({ query: { email }, signal }).catch(orNothing) : undefined;
  if (present !== undefined) return { ids: [present.data.contact_id], isNobodyNow: false, isPastKnown: false };
  const isPastKnown = may('audit:read');
  const ids = isPastKnown ? await livesOf(client, watch, email) : [];
  return { ids, isNobodyNow: isPresentKnown || (isPastKnown && ids.length === 0), isPastKnown };
}

async function livesOf(client: AudienceClient, watch: Watch, email: string): Promise<readonly string[]> {
  const ids = new Set<string>();
  try {
    const history = client.all('getContactHistory', { path: { contact: email }, query: { limit: 200 }, ...watch });
    for await (const { contact_id: id } of history) if (id !== null) ids.add(id);
  } catch (error) {
    orNothing(error);
  }
  return [...ids];
}

function orNothing(error: unknown): undefined {
  if (error instanceof AudienceError && error.statusCode === 404) return undefined;
  throw error;
}
