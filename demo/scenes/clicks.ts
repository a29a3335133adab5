/** What subscribers do with an e-mail that they do not want: the button of the mail program, the page behind the link, and once in a while they change their minds there. */
import { chooseLists, refuse, type Click } from '../../src/api/pages/choices.js';
import type { CommandContext } from '../../src/commands/batch.js';
import { everyMail } from '../../src/events/suppressions.js';
import { createCertain } from '../certain.js';
import type { Letter } from '../mail.js';
import type { ListKey } from '../shop.js';
import type { Scene } from '../stage.js';
import { day, hour, minute } from '../world.js';

type Reaction = 'none' | 'one_click' | 'page' | 'every_list' | 'changes_mind';

const usual: readonly (readonly [Reaction, number])[] = [
  ['none', 978],
  ['one_click', 14],
  ['page', 4.5],
  ['every_list', 1.5],
  ['changes_mind', 1.5],
];

const certain: readonly (readonly [days: number, Reaction])[] = [
  [35, 'one_click'],
  [50, 'page'],
  [70, 'changes_mind'],
  [95, 'every_list'],
  [150, 'one_click'],
  [200, 'one_click'],
];

interface Visit {
  readonly click: Click;
  readonly context: CommandContext;
}

export const clicks: Scene = ({ world, members, mail, staff }) => {
  const { plan, now, keys } = world;
  const { refusals } = world.commands;
  const random = world.random('clicks');
  const due = createCertain(world, certain);

  mail.listen((letter, status) => {
    if (status !== 'sent' || letter.list === undefined) return;
    const { list } = letter;
    const reaction = due() ?? random.weighted(usual);
    if (reaction !== 'none') plan(now() + minute + random.after(8 * hour), () => react(reaction, letter, list));
  });

  // Who lets the mailbox overflow may have lost interest, too: then the e-mail is not tried again.
  mail.listen(({ person, list, fate, attempts }, status) => {
    const isEnough = status === 'deferred' && fate === 'full' && attempts === 8 && random.chance(0.4);
    if (isEnough && list !== undefined) plan(now() + hour, () => members.leave(person, list, staff.by('web-form')));
  });

  function visitTo({ emailId, person }: Letter, list: ListKey): Visit {
    const contactKey = keys.contactKey(person.email);
    const token = mail.tokens.make({ emailId, contactKey, listId: members.listId(list) });
    const id = random.uuid();
    return {
      click: { contactKey, emailId, tokenHash: mail.tokens.hash(token), ip: undefined },
      context: { correlationId: id, causationId: id, requestId: id, actor: 'recipient' },
    };
  }

  async function react(reaction: Exclude<Reaction, 'none'>, letter: Letter, list: ListKey): Promise<void> {
    if (!members.isIn(letter.person, list)) return;
    const { lists } = letter.person;
    const visit = visitTo(letter, list);
    members.refusers.add(letter.person);
    if (reaction === 'every_list') {
      await refuse(refusals, { ...visit, kind: 'page', scope: everyMail });
      for (const one of lists.keys()) lists.set(one, 'Unsubscribed');
      return;
    }
    const kind = reaction === 'one_click' ? 'one_click' : 'page';
    await refuse(refusals, { ...visit, kind, scope: members.listId(list) });
    lists.set(list, 'Unsubscribed');
    if (reaction === 'changes_mind') plan(now() + random.after(6 * day), () => choose(letter, list));
  }

  /** On the page with all lists, which comes by an e-mail of its own. */
  async function choose(letter: Letter, list: ListKey): Promise<void> {
    const { click, context } = visitTo(letter, list);
    const recipient = await refusals.recipient(click.contactKey);
    if (recipient === undefined || !members.listIds.has(list)) return;
    const shown = new Set(recipient.subscriptions.map(({ list_id }) => list_id));
    const listId = members.listId(list);
    const stays = recipient.subscriptions.filter(({ status }) => status === 'Subscribed').map(({ list_id }) => list_id);
    await chooseLists(refusals, {
      ...{ click, context, recipient, shown, wanted: new Set([...stays, listId]) },
      statement: 'These e-mails I want',
      now: new Date(now()).toISOString(),
    });
    letter.person.lists.set(list, 'Subscribed');
  }
};
