/** The people of the demo: who they are, and what they are like. */
import { domains, firstNames, lastNames, places, streets } from './names.js';
import type { Random } from './random.js';
import type { SubscriptionStatus } from '../src/events/contact.js';
import type { ListKey } from './shop.js';

export interface Person {
  readonly email: string;
  readonly domain: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
  readonly dateOfBirth: string;
  /** By how much more often than others they lose interest. */
  readonly restlessness: number;
  /** In lists, as it is now. Empty: no contact yet. */
  readonly lists: Map<ListKey, SubscriptionStatus>;
  home: Home;
}

interface Home {
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly country: string;
  readonly zipcode: string;
}

export function createPeople(count: number, random: Random): readonly Person[] {
  const taken = new Set<string>();
  return Array.from({ length: count }, () => createPerson(random, taken));
}

function createPerson(random: Random, taken: Set<string>): Person {
  const [firstName, lastName] = [random.pick(firstNames), random.pick(lastNames)];
  const domain = random.weighted(domains);
  return {
    email: addressFor({ firstName, lastName, domain }, random, taken),
    ...{ domain, firstName, lastName },
    // Ofcom keeps these for plays and films.
    phone: `+44 7700 900${String(random.whole(0, 999)).padStart(3, '0')}`,
    dateOfBirth: dateOfBirth(random),
    restlessness: random.after(1),
    lists: new Map(),
    home: createHome(random),
  };
}

function addressFor(
  { firstName, lastName, domain }: Pick<Person, 'firstName' | 'lastName' | 'domain'>,
  random: Random,
  taken: Set<string>,
): string {
  const [first, last] = [firstName.toLowerCase(), lastName.toLowerCase()];
  const form = random.weighted([
    [`${first}.${last}`, 6],
    [`${first.charAt(0)}.${last}`, 2],
    [`${first}${last.charAt(0)}`, 1],
    [`${last}.${first}`, 1],
  ]);
  let address = `${form}@${domain}`;
  for (let more = 2; taken.has(address); more += 1) address = `${form}${more}@${domain}`;
  taken.add(address);
  return address;
}

function dateOfBirth(random: Random): string {
  const year = 1940 + Math.floor(65 * ((random.next() + random.next()) / 2));
  return new Date(Date.UTC(year, random.whole(0, 11), random.whole(1, 28))).toISOString().slice(0, 10);
}

export function createHome(random: Random): Home {
  const { zipcode, ...place } = random.weighted(places);
  const code = zipcode
    .replaceAll('#', () => String(random.whole(1, 9)))
    .replaceAll('?', () => random.pick([...'ABDEFGHJLNPQRSTUWXYZ']));
  return { address: `${random.whole(1, 120)} ${random.pick(streets)}`, ...place, zipcode: code };
}

/** Of the documentation's networks. */
export const networkAddress = (random: Random): string =>
  random.chance(0.3)
    ? `2001:db8:${random.hex(4)}::${random.hex(3)}`.replace(/:0+(?=[0-9a-f])/g, ':')
    : `${random.pick(['192.0.2', '198.51.100', '203.0.113'])}.${random.whole(1, 254)}`;
