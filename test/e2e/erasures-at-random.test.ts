/** Erasures at random among commands at random, under a clock that the test sets: nothing is left of who is erased, and nothing changes for others. */
import fc from 'fast-check';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { usually } from '../support/amount.js';
import { answersOfOthers, countsAfter, countsOf, differences, leavesOf } from './erasing/answers-of-others.js';
import { ok } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { feedAfter, feedOf } from './erasing/erased-log.js';
import {
  comeBack,
  command,
  doAll,
  listIn,
  newWorld,
  saySomething,
  settled,
  somebody,
  spelling,
  spelt,
  type World,
} from './erasing/commands.js';
import { done, expectEvidence, exportAll, keepEvidence, type Story } from './erasing/kept-proofs.js';
import { patient } from './patient.js';
import { foundIn, foundOnceScavenged } from './erasing/places.js';
import { newClock, type ServiceClock } from './erasing/service-clock.js';
import { eventually, freshFolder, startService, type Overrides, type Service } from '../support/service.js';
import { onServers, storeVariables } from '../support/stores.js';
import { filesIn, searchFor, type Search } from './erasing/traces.js';
import { forget, textsToGo, unmistakableTexts, type Person } from './erasing/unmistakable-people.js';

const isLong = usually(false, true);

/** How a person goes. */
type Way = 'once' | 'comes back and goes again' | 'right after the views were built again';

const chapterOf = (way: Way) =>
  fc.record({
    commands: fc.array(command, { minLength: 10, maxLength: 60, size: 'max' }),
    way: fc.constant(way),
    leaving: fc.uniqueArray(somebody, { minLength: 1, maxLength: 2 }),
    spelling,
    reason: fc.constantFrom(undefined, 'requested'),
  });
type Chapter = ReturnType<typeof chapterOf> extends fc.Arbitrary<infer Value> ? Value : never;

const once = chapterOf('once');
const again = chapterOf('comes back and goes again');
const short = fc.tuple(again, once);
const some = fc.array(fc.oneof(once, once, again), { minLength: 6, maxLength: 10, size: 'max' });
const long = fc
  .tuple(some, chapterOf('right after the views were built again'), some)
  .map(([before, rebuilt, after]) => [...before, rebuilt, ...after]);

test('nothing is left of anybody who is erased, and nothing changes for others', { timeout: 1_800_000 }, async () => {
  const program: fc.Arbitrary<readonly Chapter[]> = isLong ? long : short;
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(program, async (chapters) => {
      await run(chapters, `${Date.now()}/${(runs += 1)}`).catch((error: unknown) => {
        // A smaller example takes long to find.
        console.error(`run ${runs}, ${chapters.length} chapters:`, error);
        throw error;
      });
    }),
    { numRuns: usually(1, 3), endOnFailure: !isLong, interruptAfterTimeLimit: 1_500_000 },
  );
});

const environment = ({ env }: ServiceClock): Overrides => ({ ...env, LOG_LEVEL: 'trace', SEAL_EVERY: '0' });

/** All of it on a service of its own. */
async function run(chapters: readonly Chapter[], name: string): Promise<void> {
  const clock = newClock(Date.UTC(2024, 0, 1));
  const evidence = freshFolder();
  const service = patient(await startService({ env: environment(clock) }));
  try {
    const story: Story = {
      world: newWorld(service, clock, unmistakableTexts(name)),
      evidence,
      moments: [],
      seals: [],
      proofs: [],
    };
    for (const chapter of chapters) await chapterIn(story, chapter);
    await afterwards(story);
  } catch (error) {
    const said = service.output().split('\n');
    throw new Error(`the service said: ${said.filter((line) => !/"level":[123]0/.test(line)).join('\n')}`, {
      cause: error,
    });
  } finally {
    await service.close();
    clock.close();
    rmSync(evidence, { recursive: true });
  }
}

const search = ({ people }: World): Search => searchFor(people.flatMap(textsToGo));
const traces = (world: World): Promise<readonly string[]> => foundIn(world.service, search(world));

/** Who is asked about one by one. */
const askedAbout = usually(3, 6);

async function chapterIn(story: Story, chapter: Chapter): Promise<void> {
  const { world, moments } = story;
  const { service, people, clock } = world;
  await doAll(world, chapter.commands);
  const list = await listIn(world, 0);
  const leaving = chapter.leaving.flatMap((at) => people[at] ?? []);
  const [last] = leaving.filter(({ contactId }) => contactId !== undefined);
  if (last !== undefined) await saySomething(world, last, list);
  await settled(world);
  moments.push(clock.now());
  clock.pass(1_000);
  const others = people.filter((one) => !leaving.includes(one) && one.contactId !== undefined);
  await keepEvidence(story, others[0]);
  const asking = { world, others: others.slice(-askedAbout), leaving, moments: moments.slice(-3) };
  const joined = chapter.way === 'once' ? [] : leaving.map(() => list);
  const before = {
    answers: await answersOfOthers(asking),
    counts: countsAfter(await countsOf(world), await leavesOf(world, leaving), { now: clock.now(), joined }),
    feed: feedAfter(await feedOf(service), leaving),
    outbox: outboxWithout(service, leaving),
  };
  if (chapter.way === 'right after the views were built again') await done(service, 'projections', 'rebuild', 'all');
  await Promise.all(leaving.map((person) => leave(world, chapter, { person, list })));
  expect((await traces(world)).slice(0, 20)).toEqual([]);
  expect(await answersOfOthers(asking)).toEqual(before.answers);
  expect(await countsOf(world)).toEqual(before.counts);
  expect((await feedOf(service)).slice(0, before.feed.length)).toEqual(before.feed);
  expect(outboxWithout(service, leaving)).toEqual(before.outbox);
}

/** The files of the outbox, but those of these people. */
function outboxWithout({ dataDir }: Service, leaving: readonly Person[]): Readonly<Record<string, string>> {
  const theirs = new Set(leaving.flatMap(({ ids }) => [...ids].map((id) => `${id}.eml`)));
  const outbox = path.join(dataDir, 'outbox');
  // It is made for the first e-mail.
  const files = existsSync(outbox) ? [...filesIn(outbox)] : [];
  return Object.fromEntries(
    files.flatMap(({ name, bytes }) => (theirs.has(name) ? [] : [[name, bytes.toString('latin1')]])),
  );
}

async function leave(world: World, { way, spelling: as, reason }: Chapter, { person, list }: Leaving): Promise<void> {
  const { service } = world;
  const asked = { email: spelt(person, as), reason };
  const counts = { contacts: person.contactId === undefined ? 0 : 1, emails: person.emails };
  const [first, same] = await Promise.all([request(service, asked), request(service, { email: person.email })]);
  expect(same).toBe(first);
  forget(person);
  if (way !== 'once') {
    await unknown(service, person);
    await comeBack(world, person, list);
    const second = await request(service, asked);
    expect(second).not.toBe(first);
    forget(person);
    // Those of the first erasure count twice where it had not come to them yet.
    const emails = expect.toSatisfy((count: number) => count >= 1 && count <= 1 + counts.emails) as unknown;
    expect(await completed(service, second)).toMatchObject({ contacts: 1, emails });
  }
  expect(await completed(service, first)).toMatchObject(counts);
  await unknown(service, person);
}

interface Leaving {
  readonly person: Person;
  readonly list: string;
}

/** @returns the path of the erasure */
async function request(service: Service, body: object): Promise<string> {
  const answer = await service.post('/v1/privacy/erasures', body);
  expect(answer.status, answer.text).toBe(202);
  return String(answer.headers.location);
}

const completed = (service: Service, erasure: string): Promise<unknown> =>
  eventually(
    async () => {
      const { data } = (await ok(service.get(erasure))).body as { data: { status: string } };
      return data.status === 'completed' ? data : undefined;
    },
    { within: 60_000, what: 'the end of an erasure' },
  );

const unknown = (service: Service, { email }: Person): Promise<true> =>
  eventually(async () => {
    const { status } = await service.get(`/v1/contacts?email=${encodeURIComponent(email)}`);
    return status === 404 ? true : undefined;
  });

/** What was exported, rebuilt, killed, imported or scavenged holds nothing more, and answers the same. */
async function afterwards(story: Story): Promise<void> {
  const { world, moments } = story;
  const { service, people } = world;
  const exported = await exportAll(story);
  await expectEvidence(story, exported);
  const others = people.filter(({ contactId }) => contactId !== undefined);
  const asking = { others, leaving: [], moments: moments.slice(-3) };
  const all = async (of: World) => ({
    ...(await answersOfOthers({ world: of, ...asking })),
    ...(await countsOf(of)),
  });
  const before = isLong || onServers ? await all(world) : undefined;
  const expectSame = async (of = world): Promise<void> => {
    expect(differences(before ?? {}, await all(of))).toEqual([]);
    expect(await traces(of)).toEqual([]);
  };
  if (onServers) {
    await done(service, 'privacy', 'status', '--scavenge');
    expect(await foundOnceScavenged(service, search(world))).toEqual([]);
    await expectSame();
    await expectEvidence(story, exported);
  }
  if (isLong) {
    await done(service, 'projections', 'rebuild', 'all');
    await expectSame();
    await service.kill('SIGKILL');
    await service.start();
    await expectSame();
    await imported(story, exported, expectSame);
  }
  await service.kill('SIGTERM');
  expect(await traces(world)).toEqual([]);
}

/** Another service, with the log of this one. */
async function imported({ world, seals }: Story, file: string, check: (of: World) => Promise<void>): Promise<void> {
  const { dataDir } = world.service;
  const folder = freshFolder();
  const secret = storeVariables(dataDir)['SECRET'] ?? readFileSync(path.join(dataDir, 'secret'), 'utf8').trim();
  const env = { ...storeVariables(folder), SECRET: secret };
  const { code, err } = await audience(['import', 'events', file, '--seal', seals.at(-1) ?? ''], {
    env: { ...env, DATA_DIR: folder },
  });
  expect(code, err).toBe(0);
  const other = patient(await startService({ dataDir: folder, env: { ...environment(world.clock), ...env } }));
  try {
    await check({ ...world, service: other });
  } finally {
    await other.close();
    rmSync(folder, { recursive: true });
  }
}
