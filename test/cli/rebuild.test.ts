/** `audience projections rebuild`: following a rebuild of the service. */
import { expect, test } from 'vitest';
import { followRebuild } from '../../src/cli/projections/rebuild.js';
import { rebuild, type Rebuild, type RebuildProgress } from '../../src/rebuild/answers.js';
import { newRecord } from '../../src/rebuild/rebuild-record.js';

const rebuild_id = '0197f3a0-0000-4000-8000-000000000001';
const progress: RebuildProgress = {
  ...{ stage: 'filling', position: '1', until: '2', share: 0.5, events: 1 },
  ...{ events_per_second: 1, seconds_left: 1, documents_compared: 0 },
};

function recordIn(state: Rebuild['state'], id = rebuild_id): Rebuild {
  const request = {
    ...{ rebuild_id: id, views: ['contacts'], dry_run: false },
    ...({ cause: 'request', requested_at: '2026-03-01T10:00:00.000Z' } as const),
  };
  return rebuild.parse({ ...newRecord(request), state, progress: state === 'running' ? progress : null });
}

async function followed(...records: readonly Rebuild[]) {
  const shown: RebuildProgress[] = [];
  const left = [...records];
  const last = (): Promise<Rebuild> => Promise.resolve(left.shift() ?? recordIn('finished'));
  const onProgress = (one: RebuildProgress): void => void shown.push(one);
  const ended = await followRebuild({ rebuild_id, last, onProgress, signal: new AbortController().signal });
  return { ended, shown };
}

test('shows the progress of a rebuild until it has ended', async () => {
  const { ended, shown } = await followed(recordIn('running'), recordIn('finished'));
  expect({ state: ended.state, shown }).toEqual({ state: 'finished', shown: [progress] });
});

test('fails if another rebuild has begun since', async () => {
  const other = recordIn('running', '0197f3a0-0000-4000-8000-000000000002');
  await expect(followed(other)).rejects.toThrow('Another rebuild has begun since.');
});
