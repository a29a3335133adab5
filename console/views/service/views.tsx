/** How far each view is, and rebuilding them. */
import { useEffect, useState } from 'preact/hooks';
import { AudienceError, type components } from '../../../client/client.js';
import { useAnswer, useReloads } from '../../answers.js';
import { Show, Table } from '../../parts/answer.js';
import { Code, Mark, Written, formatNumber } from '../../parts/text.js';
import { RebuildState } from './rebuild-state.js';
import { StartRebuild } from './start-rebuild.js';

type ViewState = components['schemas']['ViewState'];

export function Views() {
  const [asked, setAsked] = useState<readonly string[]>();
  const views = useAnswer(async (client, signal) => (await client.listProjections({ signal })).data, []);
  const [isLastShown, setLastShown] = useState(false);
  useReloads(views, 2_000);
  const isRunning = views.data?.some(({ rebuild_id: id }) => id !== null) ?? false;
  useEffect(() => {
    if (isRunning) setLastShown(true);
  }, [isRunning]);

  return (
    <section aria-labelledby="views">
      <h2 id="views">Views</h2>
      <p class="quiet">
        What GETs answer is folded from the log. A rebuild folds it again beside what is live, compares the two, and
        switches if they are equal.
      </p>
      <Show answer={views}>
        {(list) => (
          <>
            <p class="buttons">
              <button type="button" disabled={isRunning} onClick={() => setAsked(list.map(({ name }) => name))}>
                Rebuild views
              </button>
              {!isLastShown && (
                <button type="button" onClick={() => setLastShown(true)}>
                  Show the last rebuild
                </button>
              )}
            </p>
            <Table
              caption="Views"
              columns={[
                'View',
                'State',
                { number: 'Version' },
                { number: 'Position' },
                { number: 'Lag' },
                'Parked streams',
              ]}
            >
              {list.map((view) => (
                <ViewRow key={view.name} view={view} />
              ))}
            </Table>
          </>
        )}
      </Show>
      {isLastShown && <LastRebuild />}
      <StartRebuild
        views={asked}
        onClose={() => setAsked(undefined)}
        onStarted={() => {
          setAsked(undefined);
          setLastShown(true);
          views.reload();
        }}
      />
    </section>
  );
}

/** It follows one that runs. */
function LastRebuild() {
  const rebuild = useAnswer(async (client, signal) => {
    try {
      return (await client.getRebuild({ signal })).data;
    } catch (error) {
      if (error instanceof AudienceError && error.statusCode === 404) return null;
      throw error;
    }
  }, []);
  const isRunning = rebuild.data?.state === 'waiting' || rebuild.data?.state === 'running';
  useReloads(rebuild, isRunning ? 500 : 2_000);
  return (
    <Show answer={rebuild}>
      {(last) =>
        last === null ? <p class="quiet">There is no record of a rebuild.</p> : <RebuildState rebuild={last} />
      }
    </Show>
  );
}

function ViewRow({ view }: { readonly view: ViewState }) {
  return (
    <tr>
      <th scope="row">{view.name}</th>
      <td>
        <Mark kind={view.state === 'live' ? 'good' : 'bad'}>{view.state}</Mark>
        {view.rebuild_id !== null && (
          <>
            {' '}
            <Mark kind="info">being rebuilt</Mark>
          </>
        )}
      </td>
      <td class="number">{view.version}</td>
      <td class="number">{formatNumber(Number(view.position))}</td>
      <td class="number">{formatNumber(view.lag_ms)} ms</td>
      <td>
        {view.parked.length === 0 ? (
          'none'
        ) : (
          <ul class="plain">
            {view.parked.map(({ stream, position, reason }) => (
              <li key={stream}>
                <Code>{stream}</Code> at {formatNumber(Number(position))}: <Written text={reason} />
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
