/** Who joined, left or changed in a list between two times. */
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { ConnectionError, type AudienceClient, type components } from '../../../client/client.js';
import { to as addressOf } from '../../addresses.js';
import { useAction } from '../../answers.js';
import { answerTo, linesOf, piecesOf } from '../../lines.js';
import { ErrorNote } from '../../parts/answer.js';
import { Choice } from '../../parts/field.js';
import { Recorded } from '../../parts/recorded.js';
import { save } from '../../parts/save.js';
import { Mark, Time, Written, formatNumber } from '../../parts/text.js';
import { LocalTable, ShowReading } from './reading.js';
import { TimeField } from './time-field.js';
import { useReading } from './use-reading.js';

type Schemas = components['schemas'];
type Change = Schemas['MemberChangeLine'];

interface Range {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

export function Difference({ id }: { readonly id: string }) {
  const { query, route } = useLocation();
  const { from, to } = query;
  const [asked, setAsked] = useState({ from, to });
  const reading = useReading(
    from === undefined || to === undefined
      ? undefined
      : (client, signal, onProgress) => readDiff(client, { range: { id, from, to }, signal, onProgress }),
    [id, from, to],
  );
  return (
    <section aria-labelledby="difference">
      <h2 id="difference">Difference between two times</h2>
      <p class="quiet">
        Read from the whole log. <Recorded />
      </p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          route(addressOf('/lists', id, { show: 'difference', ...asked }));
        }}
      >
        <TimeField
          key={`from ${from ?? ''}`}
          label="From"
          at={from}
          onInput={(at) => setAsked({ ...asked, from: at })}
        />
        <TimeField key={`to ${to ?? ''}`} label="To" at={to} onInput={(at) => setAsked({ ...asked, to: at })} />
        <button type="submit" class="primary">
          Compare
        </button>
      </form>
      <ShowReading reading={reading}>{(diff) => <Changes diff={diff} />}</ShowReading>
    </section>
  );
}

interface Diff {
  readonly range: Range;
  readonly changes: readonly Change[];
  readonly unreadable: number;
}

interface ReadOptions {
  readonly range: Range;
  readonly signal: AbortSignal;
  readonly onProgress: (lines: number) => void;
}

async function readDiff(client: AudienceClient, { range, signal, onProgress }: ReadOptions): Promise<Diff> {
  const { id, from, to } = range;
  const request = client.http.GET('/v1/lists/{list_id}/diff', {
    params: { path: { list_id: id }, query: { from, to } },
    parseAs: 'stream',
    signal,
  });
  const answer = await answerTo(request, signal);
  const changes: Change[] = [];
  for await (const line of linesOf<Schemas['ListDiffLines']>(piecesOf(answer), signal)) {
    if (line.line === 'end') return { range, changes, unreadable: line.unreadable ?? 0 };
    if (line.line !== 'change') continue;
    changes.push(line);
    if (changes.length % 500 === 0) onProgress(changes.length);
  }
  throw new ConnectionError('the answer broke off');
}

type Kind = Change['change'] | 'unsubscribed';
const kinds: readonly (readonly ['' | Kind, string])[] = [
  ['', 'all'],
  ['joined', 'joined'],
  ['left', 'left'],
  ['changed', 'changed'],
  ['unsubscribed', 'of these: unsubscribed'],
];
const isOf = ({ change, status_before, status }: Change, kind: Kind): boolean =>
  kind === 'unsubscribed' ? status_before === 'Subscribed' && status === 'Unsubscribed' : change === kind;
const colours: Readonly<Record<string, 'good' | 'bad' | 'info'>> = { joined: 'good', left: 'bad', changed: 'info' };

function Changes({ diff: { range, changes, unreadable } }: { readonly diff: Diff }) {
  const { id, from, to } = range;
  const [kind, setKind] = useState<'' | Kind>('');
  const countOf = (wanted: Kind): string => formatNumber(changes.filter((change) => isOf(change, wanted)).length);
  const download = useAction(async (client) => {
    const request = client.http.GET('/v1/lists/{list_id}/diff', {
      params: { path: { list_id: id }, query: { from, to, format: 'csv' } },
      parseAs: 'stream',
    });
    save(await answerTo(new Response(piecesOf(await answerTo(request))).blob()), `${id}-difference.csv`);
  });
  return (
    <>
      <p role="status">
        From <Time at={from} isExact /> to <Time at={to} isExact />: {countOf('joined')} joined, {countOf('left')} left,{' '}
        {countOf('changed')} changed, of whom {countOf('unsubscribed')} unsubscribed.
        {unreadable > 0 && ` ${formatNumber(unreadable)} events cannot be read and may be about this list.`}
      </p>
      <p class="quiet">
        Who unsubscribes stays in the list, and has changed. Who left was erased, or the list deleted.
      </p>
      {changes.length > 0 && (
        <>
          <div class="filters">
            <Choice label="Show" value={kind} options={kinds} onChange={setKind} />
            <button type="button" disabled={download.isRunning} onClick={() => void download.run()}>
              {download.isRunning ? 'Download …' : 'Download as CSV'}
            </button>
          </div>
          <ErrorNote error={download.error} />
          <LocalTable
            key={kind}
            items={kind === '' ? changes : changes.filter((change) => isOf(change, kind))}
            caption="Differences"
            columns={['Contact', 'What', 'Status before', 'Status', 'Tags before', 'Tags', 'Status since']}
            keyOf={({ contact_id }) => contact_id}
            row={(change) => (
              <>
                <th scope="row">
                  <a href={addressOf('/contacts', change.contact_id, { at: from, and: to })}>
                    <Written text={change.email ?? change.contact_id} />
                  </a>
                </th>
                <td>
                  <Mark kind={colours[change.change] ?? 'plain'}>{change.change}</Mark>
                </td>
                <td>{change.status_before ?? '–'}</td>
                <td>{change.status ?? '–'}</td>
                <td>
                  <Tags of={change.tags_before} />
                </td>
                <td>
                  <Tags of={change.tags} />
                </td>
                <td>
                  <Time at={change.because?.at} />
                </td>
              </>
            )}
          />
        </>
      )}
    </>
  );
}

const Tags = ({ of: tags }: { readonly of: Change['tags'] }) => (
  <Written text={tags.map(({ tag_name }) => tag_name).join(', ')} />
);
