/** All that the scenes of the demo play on. */
import { createCalendar, type Calendar } from './calendar.js';
import { createMail, type Mail } from './mail.js';
import { createMembers, type Members } from './members.js';
import { createPeople, type Person } from './people.js';
import { openStaff, type Staff } from './staff.js';
import type { World } from './world.js';

export interface Stage {
  readonly world: World;
  readonly staff: Staff;
  readonly members: Members;
  readonly mail: Mail;
  readonly calendar: Calendar;
  readonly people: readonly Person[];
}

/** Puts what happens on the agenda of the world. */
export type Scene = (stage: Stage) => void;

export function openStage(world: World, publicUrl: string): Stage {
  const members = createMembers(world);
  return {
    ...{ world, members },
    staff: openStaff(world),
    mail: createMail(world, members, publicUrl),
    calendar: createCalendar(world),
    people: createPeople(world.wishes.people, world.random('people')),
  };
}
