/** What the service itself sends to the subscribers of smaller lists: each e-mail is a request, one after the other. */
import type { ListKey } from '../shop.js';
import type { Scene } from '../stage.js';
import { letterTo } from '../texts.js';
import { hour, yearLength } from '../world.js';

interface Mailing {
  readonly list: ListKey;
  /** Days after the begin. */
  readonly days: readonly number[];
  readonly at: number;
  /** Of the subscribers. */
  readonly share: number;
}

const every = (pause: number, from: number, to = yearLength): readonly number[] =>
  Array.from({ length: Math.ceil((to - from) / pause) }, (_, index) => from + index * pause);

const mailings: readonly Mailing[] = [
  { list: 'seeds', days: every(42, 12), at: 8.5, share: 1 },
  { list: 'trade', days: every(84, 20), at: 7, share: 1 },
  { list: 'stock', days: every(7, 8), at: 11, share: 0.06 },
  { list: 'workshops', days: every(120, 40), at: 16, share: 1 },
  { list: 'walks', days: every(60, 118, 250), at: 17.5, share: 1 },
  { list: 'roses', days: [355], at: 9.5, share: 0.5 },
  { list: 'openHouse', days: [108], at: 10, share: 1 },
  // An hour before the list goes.
  { list: 'prizeDraw', days: [246], at: 9, share: 1 },
];

export const mailingsToLists: Scene = ({ world, members, mail, staff, people }) => {
  const random = world.random('mailings');
  for (const { list, days, at, share } of mailings)
    days.forEach((date, issue) =>
      world.plan(world.onDay(date) + at * hour, () => {
        const wanted = people.filter((person) => members.isIn(person, list) && random.chance(share));
        wanted.forEach((person, place) =>
          world.plan(world.now() + 1_000 + place * 350, async () => {
            await mail.send({ person, list, message: letterTo(person, list, issue), by: staff.by('newsletter-tool') });
          }),
        );
      }),
    );
};
