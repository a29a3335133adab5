/** How far a rebuild is; what it compared, and what came of it. */
import type { components } from '../../../client/client.js';
import { Table } from '../../parts/answer.js';
import { Code, Mark, Time, Written, formatNumber } from '../../parts/text.js';

type Rebuild = components['schemas']['Rebuild'];
type Kind = 'good' | 'warn' | 'bad' | 'info' | 'plain';

const outcomes: Readonly<Record<string, readonly [Kind, string]>> = {
  switched: ['good', 'the new views are live'],
  checked: ['good', 'no difference; nothing was switched'],
  prepared: ['good', 'ready for the next start'],
  differs: ['warn', 'they differ; nothing was switched'],
  poison: ['bad', 'stopped by an event that cannot be folded'],
};
const stages: Readonly<Record<string, string>> = {
  filling: 'folding the log from its first event',
  catching_up: 'folding what has come meanwhile',
  comparing: 'comparing with the live views',
  switching: 'switching',
};

export function RebuildState({ rebuild }: { readonly rebuild: Rebuild }) {
  const { progress, fault, poison, results } = rebuild;
  const [kind, text] = stateOf(rebuild);
  return (
    <section class="panel" aria-labelledby="rebuild">
      <h3 id="rebuild">
        {rebuild.dry_run ? 'Check' : 'Rebuild'} of {rebuild.views.join(', ')}
      </h3>
      <p role="status">
        <Mark kind={kind}>{text}</Mark> asked for <Time at={rebuild.requested_at} isExact />
        {rebuild.finished_at !== null && (
          <>
            , over <Time at={rebuild.finished_at} isExact />
          </>
        )}
      </p>
      {progress !== null && <Progress progress={progress} />}
      {fault !== null && (
        <p class="note note-bad">
          <Written text={fault} />
        </p>
      )}
      {poison !== null && <Poison poison={poison} />}
      {results.length > 0 && <Comparison results={results} />}
    </section>
  );
}

const stateOf = ({ state, outcome }: Rebuild): readonly [Kind, string] =>
  outcomes[outcome ?? ''] ?? (state === 'failed' ? ['bad', 'failed'] : ['info', state]);

const Comparison = ({ results }: Pick<Rebuild, 'results'>) => (
  <Table
    caption="Comparison"
    columns={['View', { number: 'Documents' }, { number: 'Live documents' }, { number: 'Different' }, 'First ids']}
  >
    {results.map((view) => (
      <tr key={view.name}>
        <th scope="row">{view.name}</th>
        <td class="number">{amount(view.documents)}</td>
        <td class="number">{amount(view.live_documents)}</td>
        <td class="number">
          {view.differing === 0 ? '0' : <Mark kind={view.is_changed ? 'plain' : 'warn'}>{amount(view.differing)}</Mark>}
        </td>
        <td>{view.differences.length === 0 ? '–' : view.differences.slice(0, 3).join(', ')}</td>
      </tr>
    ))}
  </Table>
);

const Poison = ({ poison }: { readonly poison: NonNullable<Rebuild['poison']> }) => (
  <p class="note note-bad">
    {poison.event_type} at position {poison.position} of stream <Code>{poison.stream}</Code>, for the view {poison.view}
    : <Written text={poison.reason} />
  </p>
);

function Progress({ progress }: { readonly progress: components['schemas']['RebuildProgress'] }) {
  const { stage, share, events, events_per_second: pace, seconds_left: left, documents_compared: compared } = progress;
  return (
    <>
      <progress max={1} value={share} aria-label="Share of the log that is folded" />
      <p class="quiet">
        {stages[stage] ?? stage}: {formatNumber(events)} events, {formatNumber(pace)} a second
        {left !== null && <>, about {formatNumber(left)} s left</>}
        {compared > 0 && <>; {formatNumber(compared)} documents compared</>}
      </p>
    </>
  );
}

const amount = (count: number | null): string => (count === null ? 'not compared' : formatNumber(count));
