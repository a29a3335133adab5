/** Makes the year: all scenes, played one after the other in a new data folder. */
import { openKeeper } from './keeper.js';
import { openStage, type Scene } from './stage.js';
import { arrivals } from './scenes/arrivals.js';
import { clicks } from './scenes/clicks.js';
import { customers } from './scenes/customers.js';
import { erasures } from './scenes/erasures.js';
import { mailReports } from './scenes/mail-reports.js';
import { mailingsToLists } from './scenes/mailings.js';
import { newsletters } from './scenes/newsletters.js';
import { support } from './scenes/support.js';
import { upkeep } from './scenes/upkeep.js';
import { day, hour, openWorld, type Wishes } from './world.js';

const scenes: readonly Scene[] = [
  upkeep,
  arrivals,
  newsletters,
  customers,
  mailingsToLists,
  clicks,
  mailReports,
  support,
];

/** Links in e-mails lead there; none is kept. */
const publicUrl = 'https://mail.marrow-thyme.example';
const monday = 1;

export interface MadeYear {
  readonly events: number;
  /** The secret of the key of support, which may do less than the generated one. */
  readonly supportKey: string;
}

export async function makeYear(
  dataDir: string,
  wishes: Wishes,
  /** With the number of days that are over. */
  onProgress: (days: number) => void,
): Promise<MadeYear> {
  const world = await openWorld(dataDir, wishes, publicUrl);
  const keeper = await openKeeper(world);
  const stage = openStage(world, publicUrl);
  for (const scene of scenes) scene(stage);
  erasures(stage, (email) => keeper.erase(email, stage.staff.by('support')));
  for (const date of stage.calendar.daysOf(monday)) {
    const at = world.onDay(date) + 3 * hour;
    if (date > 0) world.plan(at, () => keeper.seal(world.now()));
  }
  await world.run(wishes.until, () => onProgress(Math.floor((world.now() - world.begin) / day)));
  await keeper.close(wishes.until, stage.staff.lastRequests());
  return { events: world.log.count(), supportKey: stage.staff.secretOf('support') };
}
