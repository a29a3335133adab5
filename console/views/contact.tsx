/** One person: who, how it came to that, and how it was at any time. */
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useMemo, useState } from 'preact/hooks';
import { to } from '../addresses.js';
import { isUnknown, useAnswer, type Answer } from '../answers.js';
import { ErrorNote, Loading, Show } from '../parts/answer.js';
import { Field } from '../parts/field.js';
import { Page } from '../parts/page.js';
import { Recorded } from '../parts/recorded.js';
import { Code, Time, Written } from '../parts/text.js';
import { Unknown } from '../parts/unknown.js';
import { may } from '../session.js';
import { Actions } from './contact/actions.js';
import { Compare } from './contact/compare.js';
import { erasureIn, useHistory, type Erasure, type History } from './contact/history.js';
import { useKeyNames } from './contact/key-names.js';
import { momentsOf, type Moment } from './contact/moments.js';
import { PresentOnly } from './contact/present-only.js';
import { Refusals } from './contact/refusals.js';
import { Scrubber } from './contact/scrubber.js';
import { State, type ContactAt } from './contact/state.js';
import { Timeline } from './contact/timeline.js';

export const Contact = ({ id = '' }: { readonly id?: string }) =>
  may('audit:read') ? <Audited key={id} id={id} /> : <PresentOnly id={id} />;

/** A time that has not come is answered as of now, by the service's clock. */
const now = '9999-12-31';

/** As the service reads it: a date alone is the whole day. What it would refuse stays as it is. */
function inUtc(time: string | undefined): string | undefined {
  if (time === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(time)) return `${time}T23:59:59.999Z`;
  const date = new Date(time);
  return /T.*(?:Z|[+-]\d\d:\d\d)$/.test(time) && !Number.isNaN(date.getTime()) ? date.toISOString() : time;
}

/** `version` counts the changes made on this page: each asks again. */
interface Asked {
  readonly contact: string;
  readonly time: string | undefined;
  readonly version: number;
}

const useContactAt = ({ contact, time, version }: Asked): Answer<ContactAt | null> =>
  useAnswer(
    async (client, signal) =>
      time === undefined ? null : (await client.getContactAt({ path: { contact }, query: { time }, signal })).data,
    [contact, time, version],
  );

type Changes = Readonly<Record<string, string | undefined>>;

/** Shows the contact once it is known that there is one. */
function Audited({ id }: { readonly id: string }) {
  const present = useContactAt({ contact: id, time: now, version: 0 });
  if (isUnknown(present.error)) return <Unknown what="contact" id={id} />;
  const { data } = present;
  return data === undefined || data === null ? (
    <Page title="Contact">
      <Show answer={present}>{() => null}</Show>
    </Page>
  ) : (
    <Known id={id} present={{ ...present, data }} />
  );
}

interface KnownProps {
  readonly id: string;
  readonly present: Answer<ContactAt> & { readonly data: ContactAt };
}

function Known({ id, present }: KnownProps) {
  const { query, route } = useLocation();
  const { kind = '', list = '' } = query;
  const [at, and] = [inUtc(query['at']), inUtc(query['and'])];
  const address = (changes: Changes): string => to('/contacts', id, { at, and, kind, list, ...changes });
  const go = (changes: Changes): void => route(address(changes));
  const [version, setVersion] = useState(0);
  const history = useHistory(id);
  const keyNames = useKeyNames();
  const reload = (): void => {
    present.reload();
    setVersion(version + 1);
    history.reload();
  };
  const email = present.data.profile?.email ?? undefined;
  // After the address has come back, the state of an earlier contact does not tell that the contact was erased.
  const erasure = present.data.erased ?? erasureIn(history.items, id);
  return (
    <Page title="Contact" heading={nameOf(present.data)}>
      <p class="quiet">
        <Code>{id}</Code> <Recorded />
      </p>
      <ErrorNote error={present.error} />
      {erasure !== undefined && <Erased at={erasure.at} />}
      <Actions id={id} email={email} at={at} onChanged={reload} />
      <ThroughTime
        key={version}
        id={id}
        version={version}
        present={present}
        history={history}
        erasure={erasure}
        at={at}
        and={and}
        onMove={go}
      />
      {email !== undefined && may('suppressions:read') && (
        <Refusals
          email={email}
          position={present.data.position}
          at={at}
          keyNames={keyNames}
          listNames={namesOfLists(history.items)}
          onChanged={reload}
        />
      )}
      <Timeline
        keyNames={keyNames}
        history={history}
        kind={kind}
        listId={list}
        at={at}
        address={address}
        onFilter={go}
      />
    </Page>
  );
}

function namesOfLists(items: History['items']): ReadonlyMap<string, string> {
  const named = items.flatMap((item) => (item.kind === 'event' && item.list !== undefined ? [item.list] : []));
  return new Map(named.map(({ list_id: id, name_now: name }) => [id, name]));
}

function nameOf({ profile }: ContactAt): ComponentChildren {
  const { firstName, lastName, email } = profile ?? {};
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return email === undefined || email === null ? 'Contact' : <Written text={name === '' ? email : name} />;
}

const Erased = ({ at }: { readonly at: string | undefined }) => (
  <div class="note note-bad">
    <p>
      This person was erased at <Time at={at} isExact />. This page still shows lists, tags and changes, with the time,
      key and request of each change. All personal data was erased.
    </p>
  </div>
);

interface ThroughTimeProps {
  readonly id: string;
  readonly version: number;
  readonly present: Answer<ContactAt | null>;
  readonly history: History;
  readonly erasure: Erasure | undefined;
  readonly at: string | undefined;
  readonly and: string | undefined;
  readonly onMove: (changes: Changes) => void;
}

function ThroughTime({ id, version, present, history, erasure, at, and, onMove }: ThroughTimeProps) {
  const moments = useMemo(() => momentsOf(history.items), [history.items]);
  const past = useContactAt({ contact: id, time: at, version });
  const other = useContactAt({ contact: id, time: and, version });
  const first = at === undefined ? present : past;
  const lastOf = useLast(first.data);
  const latest = moments.at(-1)?.at;
  const isCompared = and !== undefined;
  return (
    <section aria-labelledby="state">
      <h2 id="state">{at === undefined && !isCompared ? 'As it is now' : 'As it was'}</h2>
      <Sliders history={history} moments={moments} at={at} and={and} onMove={onMove} />
      <div class="filters">
        <TimeField onGo={(time) => onMove({ at: time })} />
        {at !== undefined && (
          <button type="button" onClick={() => onMove({ at: undefined })}>
            Now
          </button>
        )}
        <button
          type="button"
          disabled={latest === undefined}
          onClick={() => onMove(isCompared ? { and: undefined } : { at: at ?? moments[0]?.at, and: latest })}
        >
          {isCompared ? 'Stop comparing' : 'Compare two times'}
        </button>
      </div>
      {isCompared ? (
        <Show answer={first}>
          {(one) => (
            <Show answer={other}>
              {(two) => one !== null && two !== null && <Compare first={one} second={two} erasure={erasure} />}
            </Show>
          )}
        </Show>
      ) : (
        <Show answer={{ ...first, data: first.error === undefined ? lastOf : undefined }}>
          {(state) =>
            state !== null && (
              <div class="state" aria-busy={first.isLoading}>
                {at !== undefined && (
                  <p role="status">{first.data === undefined ? 'Asking …' : <AtTime time={state.time} />}</p>
                )}
                <State
                  state={state}
                  erasure={erasure}
                  moment={at === undefined ? undefined : moments.find((moment) => moment.at === state.time)}
                />
              </div>
            )
          }
        </Show>
      )}
    </section>
  );
}

interface SlidersProps extends Pick<ThroughTimeProps, 'history' | 'at' | 'and' | 'onMove'> {
  readonly moments: readonly Moment[];
}

function Sliders({ history, moments, at, and, onMove }: SlidersProps) {
  if (moments.length === 0) return history.isLoading ? <Loading what="Loading the changes" /> : null;
  return (
    <>
      <Scrubber label="Time" moments={moments} at={at} onMove={(time) => onMove({ at: time })} />
      {and !== undefined && (
        <Scrubber label="Compared with" moments={moments} at={and} onMove={(time) => onMove({ and: time })} />
      )}
      <p class="hint">
        {!history.isWhole && 'The slider shows only the changes that are loaded. '}
        Arrow keys move between changes, page keys move between days, and Home and End move to the ends.
      </p>
    </>
  );
}

const AtTime = ({ time }: { readonly time: string }) => (
  <>
    At <Time at={time} isExact />
  </>
);

/** What was there last stays while the next is asked for: the page does not jump. */
function useLast<Data>(data: Data | null | undefined): Data | undefined {
  const [last, setLast] = useState<Data>();
  if (data !== undefined && data !== null && data !== last) setLast(data);
  return data ?? last;
}

function TimeField({ onGo }: { readonly onGo: (time: string) => void }) {
  const [value, setValue] = useState('');
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== '') onGo(new Date(value).toISOString());
      }}
    >
      <Field label="At any time, in your time zone" type="datetime-local" value={value} onInput={setValue} />
      <button type="submit">Go</button>
    </form>
  );
}
