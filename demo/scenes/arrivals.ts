/** How people come: with the old address book, by the form on the website, at the checkout, at the fair; and the lists that they join later. */
import type { ProfileChange } from '../../src/commands/contact-state.js';
import type { Person } from '../people.js';
import type { Random } from '../random.js';
import { interests, type ListKey } from '../shop.js';
import type { Scene, Stage } from '../stage.js';
import { welcome } from '../texts.js';
import { day, hour, minute } from '../world.js';

/** Of all people, who were known before the year began. */
const knownBefore = 0.32;
const linesOfImport = 500;
/** Days of the fair, and of other things that bring people. */
const fair = [140, 141];
const campaigns = [
  { days: [84, 90], times: 3 },
  { days: [196, 202], times: 4 },
  { days: [301, 303], times: 5 },
];

type Channel = 'form' | 'checkout' | 'fair' | 'trade' | 'call';
const channels: readonly (readonly [Channel, number])[] = [
  ['form', 52],
  ['checkout', 36],
  ['fair', 6],
  ['trade', 3],
  ['call', 3],
];

/** Of those who come, how many also join this list sooner or later. */
const alsoJoins: readonly (readonly [ListKey, number])[] = [
  ['offers', 0.3],
  ['seeds', 0.03],
  ['vegetables', 0.13],
  ['roses', 0.05],
  ['workshops', 0.04],
  ['walks', 0.04],
  ['stock', 0.05],
  ['panel', 0.03],
  ['app', 0.02],
  ['press', 0.004],
];

export const arrivals: Scene = (stage) => {
  const { world, calendar, people } = stage;
  const random = world.random('arrivals');
  const before = Math.round(people.length * knownBefore);
  importBefore(stage, people.slice(0, before), random);
  const momentOf = calendar.moments(
    (date) => campaigns.find(({ days: [from = 0, to = 0] }) => date >= from && date <= to)?.times ?? 1,
  );
  for (const person of people.slice(before)) {
    const channel = random.weighted(channels);
    // The first days are for the address book.
    const at =
      channel === 'fair'
        ? calendar.momentOn(random.pick(fair), random)
        : Math.max(momentOf(random), world.onDay(2) + random.next() * day);
    world.plan(at, () => arrive(stage, { person, channel, random }));
  }
  for (const list of ['openHouse', 'prizeDraw'] as const)
    for (const person of people) if (random.chance(0.05)) joinWhileItIs(stage, { person, list, random });
};

/** In a few requests of many lines, which are answered in no time. */
function importBefore(stage: Stage, people: readonly Person[], random: Random): void {
  const { world, staff, members } = stage;
  for (let from = 0; from < people.length; from += linesOfImport)
    world.plan(world.onDay(1) + 20 * hour + (from / linesOfImport) * minute, async () => {
      const by = staff.by('crm-import');
      for (const person of people.slice(from, from + linesOfImport)) {
        world.takes(random.whole(2, 7));
        const list = random.weighted<ListKey>([
          ['newsletter', 84],
          ['offers', 10],
          ['trade', 6],
        ]);
        const status = random.chance(0.9) ? 'Subscribed' : 'Unsubscribed';
        const tags = list === 'trade' ? (['wholesale'] as const) : [];
        await members.join(person, { list, status, tags, profile: wholeProfile(person), by, resubscribe: false });
        goOn(stage, person, random);
      }
    });
}

interface Arrival {
  readonly person: Person;
  readonly channel: Channel;
  readonly random: Random;
}

async function arrive(stage: Stage, { person, channel, random }: Arrival): Promise<void> {
  const { staff, members } = stage;
  switch (channel) {
    case 'form': {
      const list = random.chance(0.85) ? 'newsletter' : 'offers';
      const consent = members.consent(list, 'form on the website');
      await members.signUp(person, { list, profile: shortProfile(person, random), consent, by: staff.by('web-form') });
      if (random.chance(0.2)) sendWelcome(stage, person, random);
      break;
    }
    case 'checkout': {
      // Who buys need not want mail.
      const status = random.chance(0.55) ? 'Subscribed' : 'Unsubscribed';
      const list = random.chance(0.6) ? 'newsletter' : 'offers';
      await members.signUp(person, { list, status, profile: wholeProfile(person), by: staff.by('shop') });
      break;
    }
    case 'fair': {
      const consent = members.consent('newsletter', 'tablet at the fair');
      const profile = shortProfile(person, random);
      await members.join(person, {
        list: 'newsletter',
        tags: ['fair visitor'],
        profile,
        consent,
        by: staff.by('fair-tablet'),
      });
      break;
    }
    case 'trade':
      await members.join(person, {
        list: 'trade',
        tags: ['wholesale'],
        profile: wholeProfile(person),
        by: staff.by('crm-import'),
      });
      break;
    case 'call':
      await members.signUp(person, { list: 'newsletter', profile: wholeProfile(person), by: staff.by('support') });
      break;
    default:
      channel satisfies never;
  }
  goOn(stage, person, random);
}

/** What they are interested in shows soon, and they join further lists. */
function goOn({ world, staff, members }: Stage, person: Person, random: Random): void {
  const { plan, now } = world;
  for (const [list, share] of alsoJoins)
    if (!person.lists.has(list) && random.chance(share))
      plan(now() + random.after(30 * day), async () => {
        const consent = members.consent(list, 'preferences on the website');
        await members.join(person, { list, consent, by: staff.by('web-form') });
      });
  if (!random.chance(0.5)) return;
  const tags = interests.filter(() => random.chance(0.16));
  // By the job of the coming night.
  const night = Math.floor(now() / day + 1) * day + 2.25 * hour;
  if (tags.length > 0) plan(night + random.whole(0, 300_000), () => members.tag(person, tags, staff.by('crm-import')));
}

function sendWelcome({ world, staff, mail }: Stage, person: Person, random: Random): void {
  world.plan(world.now() + random.whole(1_000, 20_000), async () => {
    await mail.send({ person, message: welcome(person), by: staff.by('newsletter-tool') });
  });
}

function joinWhileItIs(
  { world, staff, members }: Stage,
  { person, list, random }: { readonly person: Person; readonly list: ListKey; readonly random: Random },
): void {
  const [from, to] = list === 'openHouse' ? [59, 130] : [196, 238];
  world.plan(world.onDay(random.between(from, to)), async () => {
    if (person.lists.size === 0) return;
    const consent = members.consent(list, 'page of the event');
    await members.join(person, { list, consent, by: staff.by('web-form') });
  });
}

const shortProfile = ({ firstName, lastName }: Person, random: Random): ProfileChange => ({
  ...(random.chance(0.8) && { firstName }),
  ...(random.chance(0.5) && { lastName }),
});

const wholeProfile = ({ firstName, lastName, phone, home }: Person): ProfileChange => ({
  firstName,
  lastName,
  phone,
  ...home,
});
