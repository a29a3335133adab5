/** What the people of the shop do by hand: they look up who wrote to them, end and allow mail, see after e-mails that are stuck; and an auditor looks. */
import { wholeLog, type ReadKind } from '../../src/events/access.js';
import { everyMail } from '../../src/events/suppressions.js';
import type { Letter } from '../mail.js';
import type { Person } from '../people.js';
import type { Scene, Stage } from '../stage.js';
import { day, hour, minute, yearLength } from '../world.js';

/** In the year, of all people. */
const callsOfEach = 0.06;
const stopsOfEach = 0.004;
/** What is stuck this long before the end is still stuck then. */
const leftAlone = 21;

export const support: Scene = (stage) => {
  const { world, calendar, people, mail } = stage;
  const random = world.random('support');
  const momentOf = calendar.moments();
  const times = (ofEach: number): number => Math.ceil(ofEach * people.length);
  const known = (act: (person: Person) => Promise<void>) => async (): Promise<void> => {
    const person = random.pick(people);
    if (person.lists.size > 0) await act(person);
  };
  for (let call = 0; call < times(callsOfEach); call += 1)
    world.plan(
      momentOf(random),
      known((person) => lookUp(stage, person, random.pick(lookedAt))),
    );
  for (let stop = 0; stop < times(stopsOfEach); stop += 1)
    world.plan(
      momentOf(random),
      known((person) => stopMail(stage, person, random.chance(0.4))),
    );
  for (let date = 1; date < yearLength; date += 1)
    world.plan(world.onDay(date) + 4.5 * hour, () => read(stage, 'analytics', { subject: wholeLog, what: 'feed' }));
  audits(stage);

  mail.listen((letter, status) => {
    if (world.now() > world.onDay(-leftAlone)) return;
    const isStuck = status === 'held' || (status === 'failed' && letter.fate === 'refused');
    if (isStuck) world.plan(world.now() + random.between(0.3, 2) * day, () => free(stage, letter, random.chance(0.6)));
    // Ordered by telephone meanwhile.
    if (letter.fate === 'full' && letter.attempts === 6 && random.chance(0.4))
      world.plan(world.now() + hour, () => giveUp(stage, letter));
  });
};

const lookedAt: readonly ReadKind[] = ['history', 'history', 'history', 'at', 'suppressions'];

interface Reading {
  readonly subject: string;
  readonly what: ReadKind;
  readonly from?: string;
  readonly to?: string;
}

const read = async (
  { world, staff }: Stage,
  by: 'support' | 'analytics' | 'auditor',
  reading: Reading,
): Promise<void> => await world.commands.recordRead(reading, staff.by(by));

async function lookUp(stage: Stage, person: Person, what: ReadKind): Promise<void> {
  const subject = stage.world.keys.contactKey(person.email);
  const to = what === 'at' ? { to: new Date(stage.world.now() - 20 * day).toISOString() } : {};
  await read(stage, 'support', { subject, what, ...to });
}

/** At the wish of somebody who wrote; for some it was a mistake. */
async function stopMail(stage: Stage, person: Person, isMistake: boolean): Promise<void> {
  const { world, staff } = stage;
  const { suppressions } = world.commands.audience;
  const { email } = person;
  await lookUp(stage, person, 'history');
  world.plan(world.now() + 1.5 * minute, async () => {
    const asked = { email, scope: everyMail, reason: 'manual', note: 'Asked by letter to get no more mail' } as const;
    await suppressions.suppress(asked, staff.by('support'));
  });
  if (!isMistake) return;
  world.plan(world.now() + 3 * day, async () => {
    const released = { email, scope: everyMail, reason: 'mistake', note: 'It was another person of this name' };
    await suppressions.release(released, staff.by('support'));
  });
}

async function free({ mail, staff }: Stage, letter: Letter, isToGo: boolean): Promise<void> {
  const status = await mail.status(letter);
  if (status !== 'held' && status !== 'failed') return;
  if (isToGo) await mail.release(letter, staff.by('support'));
  else if (status === 'held') await mail.cancel(letter, staff.by('support'));
}

async function giveUp({ mail, staff }: Stage, letter: Letter): Promise<void> {
  if ((await mail.status(letter)) === 'deferred') await mail.cancel(letter, staff.by('support'));
}

/** Three days of an audit: a list as it was, a few people in full, the whole log. */
function audits(stage: Stage): void {
  const { world, members, people } = stage;
  const random = world.random('audit');
  const subjectOf = (person: Person): string => world.keys.contactKey(person.email);
  [-70, -40, -12].forEach((date, index) => {
    const readings: readonly (() => Reading)[] = [
      () => ({
        subject: members.listId(index === 1 ? 'offers' : 'newsletter'),
        what: 'list',
        to: new Date(world.now() - 90 * day).toISOString(),
      }),
      ...(['report', 'proof', 'history'] as const).map((what) => () => ({
        subject: subjectOf(random.pick(people)),
        what,
      })),
      () => ({ subject: wholeLog, what: 'export' }),
    ];
    readings.forEach((reading, place) =>
      world.plan(world.onDay(date) + 10 * hour + place * 25 * minute, () => read(stage, 'auditor', reading())),
    );
  });
}
