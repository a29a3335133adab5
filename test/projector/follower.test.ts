/** Following views that others fold: how far they are, what is parked, when they are begun anew or out of reach. */
import { afterEach, expect, it } from 'vitest';
import { createFollower, type Follower } from '../../src/projector/follower.js';
import { createOwnWrites, type OwnWrites } from '../../src/projector/read-your-writes.js';
import { contacts } from '../../src/projections/contacts.js';
import { lists } from '../../src/projections/catalogues.js';
import { createLiveReader } from '../../src/projector/live-reader.js';
import { storagesOf } from '../../src/projector/storage.js';
import { liveProjections } from '../../src/projections/views.js';
import { ReadModelsUnavailableError, type Checkpoint, type ReadModelReader } from '../../src/readmodels/read-models.js';

const live = storagesOf(liveProjections);
const at = (position: string): Checkpoint => ({ logId: 'log', position, eventId: `event ${position}`, storages: live });

let follower: Follower | undefined;
let own: OwnWrites | undefined;
afterEach(async () => {
  await follower?.close();
  own?.close();
});

function follow(head: string) {
  let checkpoint: Checkpoint | null | Error = null;
  let answered = (): void => undefined;
  const faults: string[] = [];
  const moved: string[] = [];
  const parked = { view: 'contacts', stream: 'contact-1', position: '1', event_id: 'e', event_type: 't', reason: 'r' };
  const readModels: ReadModelReader = {
    checkpoint() {
      const answer = checkpoint;
      setImmediate(() => answered());
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    find: <D>() =>
      Promise.resolve({ documents: [{ id: 'contacts/contact-1', document: parked as unknown as D, position: '1' }] }),
    search: () => Promise.resolve([]),
    readRecord: () => Promise.resolve(null),
    get: () => Promise.resolve(undefined),
    getMany: () => Promise.resolve(new Map()),
    getEach: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
  const ownWrites = createOwnWrites({ projections: liveProjections, head, now: () => performance.now() });
  own = ownWrites;
  const clock = { stopped: 0 };
  const monotonic = (): number => performance.now() + clock.stopped;
  const reader = createLiveReader(readModels, liveProjections, { now: monotonic, most: 60_000 });
  const started = createFollower({
    readModels: reader,
    views: liveProjections,
    ownWrites,
    onMoved: (from) => moved.push(from),
    onFault: (message) => faults.push(message),
    now: monotonic,
  });
  follower = started;
  ownWrites.onWaiting(started.wake);
  return {
    own: ownWrites,
    follower: started,
    faults,
    moved,
    reader,
    clock,
    /** What the views answer from now on; resolves when they have been asked. */
    async become(next: Checkpoint | null | Error): Promise<void> {
      checkpoint = next;
      for (let times = 0; times < 2; times += 1) {
        await new Promise<void>((resolve) => {
          answered = resolve;
          started.wake();
        });
      }
    },
  };
}

it('tells how far the views have come, and who waits is answered', async () => {
  const views = follow('05');
  const waiting = views.own.shows('05');
  expect(views.own.reached()).toBe(false);
  await views.become(at('05'));
  await waiting;
  expect(views.own.reached()).toBe(true);
  expect(views.moved).toEqual(['']);
  expect(views.follower.status()).toMatchObject({ fault: null, rebuilding: false });
});

it('shows what is parked', async () => {
  const views = follow('05');
  await views.become(at('05'));
  expect(views.follower.status().parked).toMatchObject([{ view: 'contacts', stream: 'contact-1' }]);
});

it('makes reads wait again when the views are begun anew, until they show what they showed', async () => {
  const views = follow('05');
  await views.become(at('07'));
  expect(views.own.pending('contacts', '', views.own.newest())).toBeUndefined();
  await views.become(null);
  expect(views.follower.status().rebuilding).toBe(true);
  expect(views.own.reached()).toBe(false);
  expect(views.own.pending('contacts', '', views.own.newest())).toBe('07');
  const waiting = views.own.shows('07');
  await views.become(at('06'));
  expect(views.own.reached()).toBe(false);
  await views.become(at('07'));
  await waiting;
  expect(views.own.reached()).toBe(true);
});

it('says once that the views are out of reach, and goes on', async () => {
  const views = follow('05');
  await views.become(at('05'));
  await views.become(new ReadModelsUnavailableError('MongoNetworkError'));
  await views.become(new ReadModelsUnavailableError('MongoNetworkError'));
  expect(views.faults).toEqual(['ReadModelsUnavailableError: MongoNetworkError']);
  expect(views.follower.status().fault).toBe('ReadModelsUnavailableError: MongoNetworkError');
  await views.become(at('06'));
  expect(views.follower.status().fault).toBeNull();
  expect(views.own.visiblePosition()).toBe('06');
});

it('does not take the views of another version for its own, and goes on reading the others', async () => {
  const views = follow('05');
  await views.become(at('07'));
  await views.become({ ...at('08'), storages: { ...live, contacts: 99 } });
  expect(views.follower.status().fault).toContain('another version');
  await expect(views.reader.get(contacts, 'con_01')).rejects.toThrow(ReadModelsUnavailableError);
  await expect(views.reader.get(lists, 'lst_01')).resolves.toBeUndefined();
});

it('reads another storage as soon as that is live, and says what is missing until then', async () => {
  const views = follow('05');
  const { contacts: _, ...others } = live;
  await views.become({ ...at('07'), storages: others });
  expect(views.follower.status()).toMatchObject({ fault: null, missing: ['contacts'] });
  await expect(views.reader.get(contacts, 'con_01')).rejects.toThrow('has not been built yet');
  await views.become({ ...at('07'), storages: { ...live, contacts: contacts.version * 1_000 + 3 } });
  expect(views.follower.status()).toMatchObject({ fault: null, missing: [] });
  await expect(views.reader.get(contacts, 'con_01')).resolves.toBeUndefined();
});

it('after a pause reads nothing that may have been dropped meanwhile, until it knows what is live', async () => {
  const views = follow('05');
  await views.become(at('07'));
  await expect(views.reader.get(contacts, 'con_01')).resolves.toBeUndefined();
  // The process is stopped while a read is under way.
  const reading = views.reader.get(contacts, 'con_01');
  views.clock.stopped += 61_000;
  const answers = await Promise.allSettled([reading, views.reader.find(contacts, { limit: 1 })]);
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(ReadModelsUnavailableError) as unknown });
  await views.become(at('07'));
  await expect(views.reader.get(contacts, 'con_01')).resolves.toBeUndefined();
});
