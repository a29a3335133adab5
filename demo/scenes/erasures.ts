/** People who first refused mail and then asked to be erased, and are. One of them comes back later. */
import type { Stage } from '../stage.js';
import { hour } from '../world.js';

/** Before the end of the year. */
const daysOfErasures = [-66, -24, -6];
const dayOfReturn = -31;

type Erase = (email: string) => Promise<void>;

export function erasures({ world, staff, members, people }: Stage, erase: Erase): void {
  const random = world.random('erasures');
  daysOfErasures.forEach((date, index) =>
    world.plan(world.onDay(date) + 10 * hour, async () => {
      const refusers = [...members.refusers].filter(({ lists }) => lists.size > 0);
      const person = random.pick(refusers.length > 0 ? refusers : people);
      await erase(person.email);
      person.lists.clear();
      if (index > 0) return;
      world.plan(world.onDay(dayOfReturn) + 19 * hour, async () => {
        const consent = members.consent('newsletter', 'form on the website');
        const profile = { firstName: person.firstName };
        await members.signUp(person, { list: 'newsletter', profile, consent, by: staff.by('web-form') });
      });
    }),
  );
}
