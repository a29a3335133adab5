/** What mail servers and mailbox providers report of e-mails that were sent: the program at the mail server hands it to the service. */
import { createCertain } from '../certain.js';
import type { Letter } from '../mail.js';
import {
  closedMailbox,
  complaintAbout,
  fullMailbox,
  goneMailbox,
  tooLate,
  undelivered,
  type Failure,
} from '../reports.js';
import { mailDomain } from '../shop.js';
import type { Scene } from '../stage.js';
import { day, hour, minute } from '../world.js';

/** Of the e-mails to subscribers. */
const complains = 0.0008;

export const mailReports: Scene = ({ world, staff, mail }) => {
  const { plan, now } = world;
  const { reports } = world.commands;
  const random = world.random('reports');
  const isCertain = createCertain(world, [[85, true]]);

  async function take(letter: Letter, { recipient, bytes }: { readonly recipient: string; readonly bytes: Buffer }) {
    const streamOf = () => Promise.resolve(letter.stream);
    await reports.take({ recipient, bytes, streamOf }, staff.by('mail-relay'));
  }

  async function bounce(letter: Letter, failure: Failure): Promise<void> {
    const returnPath = mail.returnPath(letter);
    await take(letter, { recipient: returnPath, bytes: undelivered({ ...letter, returnPath, at: now() }, failure) });
  }

  async function complain(letter: Letter): Promise<void> {
    const returnPath = mail.returnPath(letter);
    const bytes = complaintAbout({ ...letter, returnPath, at: now() });
    await take(letter, { recipient: `abuse@mail.${mailDomain}`, bytes });
    if (letter.list !== undefined) letter.person.lists.set(letter.list, 'Unsubscribed');
  }

  function afterSent(letter: Letter): void {
    const { fate, list } = letter;
    if (fate === 'bounces') {
      const failure = random.chance(0.7) ? goneMailbox : closedMailbox;
      plan(now() + minute + random.after(2 * hour), () => bounce(letter, failure));
    } else if (fate === 'bounces_softly') {
      const failure = random.chance(0.6) ? fullMailbox : tooLate;
      plan(now() + random.between(0.5, 5) * day, () => bounce(letter, failure));
    } else if (list !== undefined && (isCertain() ?? random.chance(complains)))
      plan(now() + minute + random.after(6 * hour), () => complain(letter));
  }

  mail.listen((letter, status) => {
    if (status === 'sent') afterSent(letter);
    if (status === 'in_doubt' && letter.fate === 'bounces_in_doubt')
      plan(now() + hour, () => bounce(letter, goneMailbox));
  });
};
