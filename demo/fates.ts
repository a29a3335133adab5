/** What becomes of e-mails: how likely it is, and when something must happen that happens seldom. */
import { createCertain } from './certain.js';
import type { Random } from './random.js';
import type { World } from './world.js';

export type Fate =
  | 'fine'
  /** The server asks everybody whom it does not know to come again later. */
  | 'greylisted'
  | 'busy'
  | 'full'
  | 'cut_off'
  | 'no_mailbox'
  | 'refused'
  /** The answer to the first attempt is lost. */
  | 'lost_reply'
  /** The answer is always lost. */
  | 'silent'
  /** A filter never comes to an end of it. */
  | 'stalling'
  /** The service ends while it is being sent. */
  | 'interrupted'
  /** A report comes later: for good, for now, or before it is known whether the e-mail was taken. */
  | 'bounces'
  | 'bounces_softly'
  | 'bounces_in_doubt';

const usual: readonly (readonly [Fate, number])[] = [
  ['fine', 962],
  ['greylisted', 7],
  ['busy', 5],
  ['full', 1],
  ['cut_off', 1.5],
  ['no_mailbox', 4.5],
  ['refused', 1.2],
  ['lost_reply', 0.7],
  ['silent', 0.2],
  ['stalling', 0.1],
  ['bounces', 6],
  ['bounces_softly', 3.5],
];

/** In a thousand, more at domains whose servers have habits. */
const habits: Readonly<Record<string, readonly (readonly [Fate, number])[]>> = {
  'campus.example': [['greylisted', 350]],
  'town-hall.example': [['full', 15]],
  'quiet.example': [
    ['silent', 25],
    ['stalling', 8],
  ],
};

/** Days after the begin, or before the end: then it is the fate of the next e-mail, however few there are. */
const certain: readonly (readonly [days: number, Fate])[] = [
  [30, 'greylisted'],
  [45, 'no_mailbox'],
  [60, 'bounces'],
  [75, 'silent'],
  [90, 'busy'],
  [105, 'refused'],
  [120, 'interrupted'],
  [135, 'bounces_softly'],
  [150, 'full'],
  [165, 'stalling'],
  [180, 'bounces_in_doubt'],
  [195, 'lost_reply'],
  [210, 'cut_off'],
  [225, 'silent'],
  [240, 'interrupted'],
  // What is held, in doubt or put off when the year ends, and for a day more at least.
  [-20, 'silent'],
  [-19, 'silent'],
  [-18, 'silent'],
  [-9, 'stalling'],
  [-8, 'stalling'],
  [-5, 'silent'],
  [-4, 'silent'],
  [-2.7, 'full'],
  [-2.65, 'full'],
  [-2.6, 'full'],
  [-2.55, 'full'],
  [-1.9, 'silent'],
  [-0.5, 'lost_reply'],
];

/** Asked once for each e-mail, in their order. */
export function createFates(world: Pick<World, 'now' | 'onDay'>, random: Random): (domain: string) => Fate {
  const due = createCertain(world, certain);
  return (domain) => due() ?? random.weighted([...usual, ...(habits[domain] ?? [])]);
}
