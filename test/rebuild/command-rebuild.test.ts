/** What a rebuild that a command asks for comes to, beside a service of this version and of another. */
import { expect, test } from 'vitest';
import { liveProjections } from '../../src/projections/views.js';
import { UsageError } from '../../src/failures.js';
import { rebuild, type Rebuild, type RebuildProgress } from '../../src/rebuild/answers.js';
import { followRebuild, planRebuild } from '../../src/rebuild/command-rebuild.js';
import { newRecord } from '../../src/rebuild/rebuild-record.js';

const request = { views: ['contacts', 'emails'], dryRun: false };
const served = liveProjections.map(({ name, version }) => ({ name, version }));
const withOlder = (older: string) =>
  served.map(({ name, version }) => ({ name, version: name === older ? version + 1 : version }));

test('a service of this version does it', () => {
  expect(planRebuild(request, served)).toEqual({ kind: 'request', views: request.views });
});

test('beside a service of another version only the views that differ are prepared, and nothing can be compared', () => {
  expect(planRebuild(request, withOlder('emails'))).toEqual({ kind: 'preparation', views: ['emails'] });
  expect(planRebuild(request, withOlder('memberships'))).toEqual({ kind: 'request', views: request.views });
  expect(() => planRebuild({ ...request, dryRun: true }, withOlder('emails'))).toThrow(UsageError);
});

const rebuild_id = '0197f3a0-0000-4000-8000-000000000001';
const progress: RebuildProgress = {
  ...{ stage: 'filling', position: '1', until: '2', share: 0.5, events: 1 },
  ...{ events_per_second: 1, seconds_left: 1, documents_compared: 0 },
};

function recordIn(state: Rebuild['state'], id = rebuild_id): Rebuild {
  const stated = {
    views: ['contacts'],
    dry_run: false,
    cause: 'request',
    requested_at: '2026-03-01T10:00:00.000Z',
  } as const;
  const record = newRecord({ rebuild_id: id, ...stated });
  return rebuild.parse({ ...record, state, progress: state === 'running' ? progress : null });
}

const followed = async (...records: readonly Rebuild[]) => {
  const shown: RebuildProgress[] = [];
  const left = [...records];
  const last = async (): Promise<Rebuild> => left.shift() ?? recordIn('finished');
  const onProgress = (one: RebuildProgress): void => void shown.push(one);
  const { signal } = new AbortController();
  const ended = await followRebuild({ rebuild_id, last, onProgress, signal });
  return { ended, shown };
};

test('it is followed until it is over, and another one that has begun since is an error', async () => {
  const { ended, shown } = await followed(recordIn('running'), recordIn('finished'));
  expect({ state: ended.state, shown }).toEqual({ state: 'finished', shown: [progress] });
  const other = recordIn('running', '0197f3a0-0000-4000-8000-000000000002');
  await expect(followed(other)).rejects.toThrow('Another rebuild has begun since.');
});
