/** When things happen in a garden shop: by season, day of the week and hour, in UTC. */
import type { Random } from './random.js';
import { day, hour, yearLength, type World } from './world.js';

/** From January on: people think of their gardens in spring, and of presents in December. */
const months = [0.6, 0.95, 1.5, 1.75, 1.55, 1.1, 0.8, 0.7, 0.9, 0.85, 1.05, 1.15];
/** From Sunday on. */
const weekdays = [1.3, 1.0, 0.92, 0.9, 1.0, 0.84, 1.16];
/** From midnight on. */
const hours = [
  0.3, 0.15, 0.1, 0.08, 0.1, 0.3, 0.8, 1.4, 1.8, 2, 2.1, 2, 2.2, 2, 1.8, 1.7, 1.8, 2, 2.3, 2.7, 2.8, 2.2, 1.4, 0.7,
];

export interface Calendar {
  /** As likely as season, weekday and hour make it, and so many times more on some days. */
  moments(more?: (dayOfYear: number) => number): (random: Random) => number;
  /** By the hour only. */
  momentOn(dayOfYear: number, random: Random): number;
  /** Days after the begin, from the first one on. */
  daysOf(weekday: number): readonly number[];
}

export function createCalendar({ begin }: Pick<World, 'begin'>): Calendar {
  const days = Array.from({ length: yearLength }, (_, index) => new Date(begin + index * day));
  const weights = days.map(
    (date, index) => [index, (months[date.getUTCMonth()] ?? 1) * (weekdays[date.getUTCDay()] ?? 1)] as const,
  );
  const weightsOfHours = hours.map((weight, index) => [index, weight] as const);

  const momentOn = (dayOfYear: number, random: Random): number => {
    const found = random.weighted(weightsOfHours);
    return begin + dayOfYear * day + found * hour + Math.floor(random.next() * hour);
  };
  return {
    momentOn,
    moments(more) {
      const weighted = weights.map(([date, weight]) => [date, weight * (more?.(date) ?? 1)] as const);
      return (random) => momentOn(random.weighted(weighted), random);
    },
    daysOf: (weekday) => days.flatMap((date, index) => (date.getUTCDay() === weekday ? [index] : [])),
  };
}
