/** What customers do: they buy and are written to about it, lose their passwords, move house; and the tags that follow from it. */
import { createHome, type Person } from '../people.js';
import type { Random } from '../random.js';
import type { TagName } from '../shop.js';
import type { Scene, Stage } from '../stage.js';
import { goods, newPassword, orderReceived, orderSent } from '../texts.js';
import { day, hour, yearLength } from '../world.js';

/** In the year, of all people. */
const ordersOfEach = 0.13;
const passwordsOfEach = 0.02;
const movesOfEach = 0.09;
const birthdaysOfEach = 0.04;

export const customers: Scene = (stage) => {
  const { world, calendar, people } = stage;
  const random = world.random('customers');
  const momentOf = calendar.moments();
  const times = (ofEach: number): number => Math.ceil(ofEach * people.length);
  /** A third of the people do most of it. */
  const customer = (): Person =>
    random.pick(random.chance(0.7) ? people.slice(0, Math.ceil(people.length / 3)) : people);
  const orders = new Map<Person, number>();
  let lastOrder = 104_511;
  const plans: readonly (readonly [number, (person: Person) => Promise<void>])[] = [
    [ordersOfEach, (person) => order(stage, { person, orders, random, number: `MT-${(lastOrder += 1)}` })],
    [passwordsOfEach, (person) => losePassword(stage, person, random)],
    [movesOfEach, (person) => move(stage, person, random)],
    [birthdaysOfEach, (person) => tellBirthday(stage, person)],
  ];
  for (const [ofEach, act] of plans)
    for (let time = 0; time < times(ofEach); time += 1) {
      const person = customer();
      world.plan(momentOf(random), async () => {
        // Before they came they were not known.
        if (person.lists.size > 0) await act(person);
      });
    }
  for (let quarter = 85; quarter < yearLength; quarter += 91)
    world.plan(world.onDay(quarter) + 3 * hour, () => findLapsed(stage, orders, random));
};

interface Order {
  readonly person: Person;
  /** How many each has made. */
  readonly orders: Map<Person, number>;
  readonly random: Random;
  readonly number: string;
}

async function order({ world, staff, members, mail }: Stage, { person, orders, random, number }: Order): Promise<void> {
  const { plan, now } = world;
  const items = Array.from({ length: random.whole(1, 4) }, () => random.pick(goods));
  await mail.send({
    person,
    message: orderReceived(person, number, items),
    by: staff.by('shop'),
    idempotencyKey: `${number}-received`,
  });
  const atWork = Math.floor(now() / day + random.whole(1, 2)) * day + random.between(7, 17) * hour;
  plan(atWork, async () => {
    await mail.send({
      person,
      message: orderSent(person, number),
      by: staff.by('shop'),
      idempotencyKey: `${number}-sent`,
    });
  });
  const count = (orders.get(person) ?? 0) + 1;
  orders.set(person, count);
  const night = Math.floor(now() / day + 1) * day + 2.5 * hour + random.whole(0, 300_000);
  plan(night, async () => {
    const tag = tagAfter(count);
    if (tag !== undefined) await members.tag(person, [tag], staff.by('crm-import'));
    if (count === 2) await members.untag(person, ['first order', 'lapsed'], staff.by('crm-import'));
  });
}

function tagAfter(count: number): TagName | undefined {
  const tags: Readonly<Record<number, TagName>> = { 1: 'first order', 2: 'repeat customer', 4: 'VIP' };
  return tags[count];
}

async function losePassword({ staff, mail }: Stage, person: Person, random: Random): Promise<void> {
  const link = `https://www.marrow-thyme.example/password/${random.hex(24)}`;
  await mail.send({ person, message: newPassword(person, link), by: staff.by('shop') });
}

async function move({ members, staff }: Stage, person: Person, random: Random): Promise<void> {
  person.home = createHome(random);
  const who = random.weighted([
    ['shop', 6],
    ['support', 2],
    ['crm-import', 2],
  ] as const);
  const phone = who === 'crm-import' ? { phone: null } : {};
  await members.change(person, { ...person.home, ...phone }, staff.by(who));
}

/** Who bought once, and not since. */
async function findLapsed(
  { world, members, staff, people }: Stage,
  orders: ReadonlyMap<Person, number>,
  random: Random,
): Promise<void> {
  for (const person of people)
    if (orders.get(person) === 1 && random.chance(0.12)) {
      world.takes(random.whole(20, 60));
      await members.tag(person, ['lapsed'], staff.by('crm-import'));
    }
}

async function tellBirthday({ members, staff }: Stage, person: Person): Promise<void> {
  await members.change(person, { dateOfBirth: person.dateOfBirth }, staff.by('web-form'));
  await members.tag(person, ['birthday club'], staff.by('web-form'));
}
