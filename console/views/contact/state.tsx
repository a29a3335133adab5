/** A contact as it was at a time, in the words of the API; what changed in that moment is marked. */
import type { ComponentChildren } from 'preact';
import type { components } from '../../../client/client.js';
import { to } from '../../addresses.js';
import { Table } from '../../parts/answer.js';
import { Code, Mark, Time, Written } from '../../parts/text.js';
import type { Erasure } from './history.js';
import type { Moment } from './moments.js';

export type ContactAt = components['schemas']['ContactAt'];
export type SubscriptionAt = components['schemas']['SubscriptionAt'];

export const fieldTexts = {
  email: 'Address',
  firstName: 'First name',
  lastName: 'Last name',
  phone: 'Phone',
  dateOfBirth: 'Date of birth',
  address: 'Street',
  city: 'City',
  state: 'State',
  country: 'Country',
  zipcode: 'Postal code',
} as const;
export const fields = Object.keys(fieldTexts) as (keyof typeof fieldTexts)[];

export const subscriptionsOf = (at: ContactAt): readonly SubscriptionAt[] =>
  'subscriptions' in at ? at.subscriptions : [at.subscription];

interface StateProps {
  readonly state: ContactAt;
  /** What happened exactly then. */
  readonly moment: Moment | undefined;
}

/** Whether the person had been erased at the time of the state. */
export const wasErased = (state: ContactAt, erasure: Erasure | undefined): boolean =>
  state.erased !== undefined || (state.existed === false && erasure?.at !== undefined && erasure.at <= state.time);

export function State({ state, moment, erasure }: StateProps & { readonly erasure: Erasure | undefined }) {
  const changed = new Set(moment?.items.map(({ event_id: id }) => id));
  const isNew = (because: { readonly event_id: string } | null | undefined): boolean =>
    because !== null && because !== undefined && changed.has(because.event_id);
  return (
    <>
      {moment !== undefined && (
        <div class="note">
          <p>Changed in this moment:</p>
          <ul>
            {moment.items.map(({ event_id: id, summary }) => (
              <li key={id}>
                <Written text={summary} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {state.unreadable !== undefined && (
        <p class="note note-bad">
          {state.unreadable.length} events up to then cannot be read: any part of this may differ.
        </p>
      )}
      <Existence state={state} erasure={erasure} />
      <div class="columns">
        <Profile state={state} moment={moment} />
      </div>
      {state.existed !== false && <Subscriptions state={state} isNew={isNew} />}
    </>
  );
}

interface ExistenceProps {
  readonly state: ContactAt;
  readonly erasure: Erasure | undefined;
}

function Existence({ state, erasure }: ExistenceProps) {
  if (wasErased(state, erasure)) {
    const { at, actor } = state.erased ?? erasure ?? {};
    return (
      <p class="note note-bad">
        The person was erased at <Time at={at} isExact />
        {actor !== undefined && (
          <>
            , by key <Code>{actor}</Code>
          </>
        )}
        .
      </p>
    );
  }
  if (state.existed === false)
    return <p class="note">The contact did not exist{state.next_change !== null && ' yet'} at that time.</p>;
  if (state.existed === null) return <p class="note note-bad">Whether the contact existed then cannot be told.</p>;
  return null;
}

function Profile({ state: { profile, created_at: since }, moment }: StateProps) {
  if (profile === null) return null;
  const written = new Set(moment?.items.flatMap(({ data }) => personFields(data)));
  return (
    <section class="panel" aria-labelledby="person">
      <h3 id="person">Person</h3>
      <dl>
        {fields
          .filter((field) => field === 'email' || profile[field] !== null || written.has(field))
          .map((field) => (
            <Fact key={field} name={fieldTexts[field]} isChanged={written.has(field)}>
              <Written text={profile[field]} />
            </Fact>
          ))}
        <Fact name="Known since">
          <Time at={since} />
        </Fact>
      </dl>
    </section>
  );
}

interface FactProps {
  readonly name: string;
  readonly isChanged?: boolean;
  readonly children: ComponentChildren;
}

const Fact = ({ name, isChanged = false, children }: FactProps) => (
  <>
    <dt>{name}</dt>
    <dd>
      {children} {isChanged && <Changed />}
    </dd>
  </>
);

const Changed = () => <Mark kind="info">changed</Mark>;

interface SubscriptionsProps {
  readonly state: ContactAt;
  readonly isNew: (because: { readonly event_id: string } | null | undefined) => boolean;
}

function Subscriptions({ state, isNew }: SubscriptionsProps) {
  const subscriptions = subscriptionsOf(state);
  if (subscriptions.length === 0) return <p>In no list.</p>;
  return (
    <Table caption="Lists and tags" columns={['List', 'Status', 'Since', 'Tags', 'Consent']}>
      {subscriptions.map((subscription) => (
        <SubscriptionRow key={subscription.list_id} subscription={subscription} isNew={isNew} />
      ))}
    </Table>
  );
}

interface RowProps extends Pick<SubscriptionsProps, 'isNew'> {
  readonly subscription: SubscriptionAt;
}

function SubscriptionRow({ subscription, isNew }: RowProps) {
  const { list_id: id, list_name: name, status, tags, because } = subscription;
  return (
    <tr>
      <th scope="row">
        <a href={to('/lists', id)}>
          <Written text={name ?? id} />
        </a>
      </th>
      <td>
        <Mark kind={status === 'Subscribed' ? 'good' : 'warn'}>{status ?? 'not in it'}</Mark>{' '}
        {isNew(because) && <Changed />}
      </td>
      <td>
        <Time at={because?.at} />
      </td>
      <td>
        {tags.length === 0
          ? '–'
          : tags.map((tag) => (
              <span key={tag.tag_id} class="tag">
                <Written text={tag.tag_name} /> {isNew(tag.because) && <Changed />}
              </span>
            ))}
      </td>
      <td>
        <Consent subscription={subscription} isNew={isNew} />
      </td>
    </tr>
  );
}

function Consent({ subscription: { consent }, isNew }: RowProps) {
  if (consent === null) return <>–</>;
  return (
    <>
      <Written text={consent.source ?? consent.legal_basis ?? 'recorded'} />, <Time at={consent.because.at} />{' '}
      {isNew(consent.because) && <Changed />}
    </>
  );
}

/** Fields of the profile that an event wrote. None where they were erased. */
function personFields(data: unknown): readonly string[] {
  const person: unknown = typeof data === 'object' && data !== null && 'person' in data ? data.person : undefined;
  return typeof person === 'object' && person !== null ? Object.keys(person) : [];
}
