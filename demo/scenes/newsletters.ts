/** The newsletter of each Thursday, which another program sends: after it some leave, and of these some come back. And once all were asked again whether they agree. */
import type { Person } from '../people.js';
import type { Scene, Stage } from '../stage.js';
import { day, hour } from '../world.js';

const thursday = 4;
/** Of an issue that people of average restlessness leave for. */
const leaves = 0.0017;
/** This one was about prices. */
const unloved = { from: 203, to: 209, times: 5 };
/** Of those who left, how many come back. */
const comesBack = 0.15;
const asksAgain = { on: 260, share: 0.06 };

export const newsletters: Scene = (stage) => {
  const { world, calendar, people, members, staff } = stage;
  const random = world.random('newsletters');
  for (const date of calendar.daysOf(thursday)) {
    const isUnloved = date >= unloved.from && date <= unloved.to;
    const share = leaves * (isUnloved ? unloved.times : 1);
    world.plan(world.onDay(date) + 9 * hour, () => {
      for (const person of people)
        if (members.isIn(person, 'newsletter') && random.chance(share * person.restlessness)) leave(stage, person);
    });
  }
  world.plan(world.onDay(asksAgain.on) + 8 * hour, () => {
    for (const person of people)
      if (members.isIn(person, 'newsletter') && random.chance(asksAgain.share))
        world.plan(world.now() + random.after(1.5 * day), async () => {
          const consent = members.consent('newsletter', 'asked again');
          await members.agree(person, 'newsletter', { consent, by: staff.by('web-form') });
        });
  });

  function leave({ members, staff }: Stage, person: Person): void {
    const { plan, now } = world;
    plan(now() + random.after(5 * hour), async () => {
      await members.leave(person, 'newsletter', staff.by('newsletter-tool'));
      if (random.chance(0.2)) await members.leave(person, 'offers', staff.by('newsletter-tool'));
      if (random.chance(comesBack)) plan(now() + random.after(50 * day), () => comeBack(person));
    });
  }

  async function comeBack(person: Person): Promise<void> {
    const consent = members.consent('newsletter', 'form on the website');
    await members.agree(person, 'newsletter', { consent, by: staff.by('web-form') });
  }
};
