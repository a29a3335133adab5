/** What a person decides by a link: to get no mail of a list, or of any; and which lists to get. */
import type { CommandContext } from '../../commands/batch.js';
import type { KnownRecipient, Refusals } from '../../commands/refusals.js';
import { refusalOf } from '../../commands/suppressions.js';
import { everyMail } from '../../events/suppressions.js';
import { isOn } from './page.js';

/** By which link, and what is kept of who followed it. */
export interface Click {
  readonly contactKey: string;
  readonly emailId: string;
  readonly tokenHash: string;
  /** Undefined where addresses of the network are not kept. */
  readonly ip: string | undefined;
}

interface Chosen {
  readonly click: Click;
  readonly context: CommandContext;
}

interface ListsChosen extends Chosen {
  readonly recipient: KnownRecipient;
  /** Ids of the lists that the person saw, and of those that are to be on. */
  readonly shown: ReadonlySet<string>;
  readonly wanted: ReadonlySet<string>;
  /** What stood beside the name of a list. */
  readonly statement: string;
  readonly now: string;
}

export const refuse = (
  refusals: Refusals,
  { click, context, kind, scope }: Chosen & { readonly kind: 'one_click' | 'page'; readonly scope: string },
): Promise<void> => {
  const { contactKey, emailId, tokenHash, ip } = click;
  const by = { kind, email_id: emailId };
  return refusals.refuse({ contactKey, scope, reason: 'unsubscribe', by, tokenHash, ip }, context);
};

/** Nothing is switched on where an operator, a complaint or a dead mailbox has stopped all mail. */
export async function chooseLists(refusals: Refusals, chosen: ListsChosen): Promise<void> {
  const { click, context, recipient, shown, wanted } = chosen;
  const { contactId, subscriptions, suppression } = recipient;
  const isStopped = refusalOf(suppression, undefined) !== undefined;
  const seen = subscriptions.filter(({ list_id }) => shown.has(list_id));
  const on = isStopped ? [] : seen.filter((one) => wanted.has(one.list_id) && !isOn(recipient, one));
  const refusesAll = suppression.active.some(({ scope }) => scope === everyMail);
  // Who had refused everything and now wants some lists still refuses each of the others.
  const isLifted = refusesAll && on.length > 0;
  const off = isLifted
    ? subscriptions.filter(({ list_id }) => !wanted.has(list_id))
    : seen.filter(({ list_id, status }) => !wanted.has(list_id) && status === 'Subscribed');
  for (const { list_id: scope } of off) await refuse(refusals, { click, context, kind: 'page', scope });
  for (const list of on)
    await refusals.resubscribe({ ...agreed(chosen, list), contactKey: click.contactKey, contactId }, context);
  if (isLifted)
    await refusals.release({ contactKey: click.contactKey, scope: everyMail, tokenHash: click.tokenHash }, context);
  // A repeat finds nothing to change, and executes no command that would wait for the lines.
  await refusals.keep(click.contactKey);
}

function agreed(
  { click, statement, now }: ListsChosen,
  { list_id: listId, list_name }: { list_id: string; list_name: string },
) {
  const { emailId, tokenHash, ip } = click;
  const consent = { source: 'page', statement: `${statement}: ${list_name}`, ...(ip && { ip }), occurred_at: now };
  return { listId, by: { kind: 'page' as const, email_id: emailId }, tokenHash, consent };
}
