/** `audience audit at`: how a contact was at a time, and why. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { ContactAt, CitedEvent, NextChange, Reasons, SubscriptionAt } from '../../audit/answers.js';
import { profileFields } from '../../events/contact.js';
import {
  basisLines,
  consentInWords,
  livesLines,
  placeOf,
  sayNotRecorded,
  unreadableInWords,
} from '../shared/in-words.js';
import { whileOpen } from '../shared/while-open.js';
import { contactIn, timeOption, withExamples } from '../shared/options.js';
import { paintFor, type Paint } from '../shared/colours.js';
import type { CommandLine } from '../shared/command-line.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({ time: z.string().optional(), list: z.string().optional() });

export function registerAuditAt(audit: Command, line: CommandLine): void {
  const command = audit
    .command('at')
    .description('how a contact was at a time, or is now: status, tags and profile, each with its reason')
    .argument('<contact>', 'contact id, or e-mail address')
    .addOption(timeOption(line.clock))
    .option('--list <list>', 'only this list, by id or name, also when the contact was not in it then')
    .action((contact: string, options: unknown) => at(contact, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit at ada@example.com --time 2026-03-01',
    'audience audit at con_01J… --time 2026-03-01T12:00+01:00 --list Newsletter --json',
  ]);
}

async function at(contact: string, options: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  const { stdout, signal, env } = line;
  await whileOpen(line.openAuditor(), async (auditor) => {
    const found = await auditor.find(contactIn(contact));
    const answer = await auditor.audit.contactAt({ ...found, ...options, signal });
    await stdout.write(line.json ? `${JSON.stringify(answer)}\n` : inWords(answer, paintFor(stdout, env)));
    sayNotRecorded(line);
  });
}

function inWords(contact: ContactAt, paint: Paint): string {
  const { profile, time, created_at, existed, unreadable = [] } = contact;
  const subscriptions = 'subscription' in contact ? [contact.subscription] : contact.subscriptions;
  const lines =
    profile === null
      ? [paint.bold(existed === null ? cannotTell(time) : nobodyAt(contact)), ...next(contact)]
      : [
          paint.bold(`${profile.email ?? 'Somebody who was erased'} (${String(contact.contact_id)}) at ${time}`),
          `  created      ${String(created_at)}`,
          ...profileFields.flatMap((field) => {
            const value = profile[field];
            return value === null ? [] : [`  ${field.padEnd(13)}${printable(value)}`];
          }),
          ...reasons(profile),
        ];
  const shown = subscriptions.flatMap((subscription) => ['', ...subscriptionLines(subscription, paint)]);
  const none = profile !== null && shown.length === 0 ? ['', 'In no list.'] : [];
  const lives = livesLines(contact.lives);
  return [...lines, ...shown, ...none, ...lives, ...missed(unreadable), '', ...basisLines(contact)]
    .map((line) => `${line}\n`)
    .join('');
}

const nobodyAt = ({ time, erased }: ContactAt): string =>
  `At ${time}, this contact did not exist.${erased === undefined ? '' : ` It was erased at ${erased.at} by ${erased.actor}.`}`;

const cannotTell = (time: string): string => `It is not known whether this contact existed at ${time}.`;

function missed(events: NonNullable<ContactAt['unreadable']>): readonly string[] {
  const warning = unreadableInWords({ count: events.length, events });
  return warning.length === 0 ? [] : ['', ...warning];
}

function subscriptionLines({ list_id, list_name, status, tags, consent, ...why }: SubscriptionAt, paint: Paint) {
  const name = list_name === null ? list_id : `"${printable(list_name)}" (${list_id})`;
  return [
    `${paint.bold(status ?? 'Not in the list')}${status === null ? ' ' : ' in the list '}${name}`,
    ...reasons(why),
    ...tags.flatMap(({ tag_name, ...tag }) => [`  tag          "${printable(tag_name)}"`, ...reasons(tag)]),
    ...(consent === null ? [] : consentLines(consent)),
  ];
}

function consentLines({ because, ...consent }: NonNullable<SubscriptionAt['consent']>): readonly string[] {
  const title = because.type === 'ContactUnsubscribed' ? '  refused' : '  consent';
  const lines = consentInWords(consent, because.type).map(
    (line, index) => `${(index === 0 ? title : '').padEnd(15)}${line}`,
  );
  return [...lines, `    recorded   ${inOneLine(because)}`];
}

const reasons = ({ because, ...change }: Reasons): readonly string[] => [
  ...(because === null ? [] : [`    because    ${inOneLine(because)}`]),
  ...next(change),
];

const next = ({ next_change = null, next_unreadable }: Pick<ContactAt, keyof NextChange>): readonly string[] => [
  ...(next_unreadable === undefined
    ? []
    : [`    unreadable ${placeOf(next_unreadable)} It may have changed this first.`]),
  ...(next_change === null ? [] : [`    then       ${inOneLine(next_change)}`]),
];

const inOneLine = ({ at: when, summary, actor, request_id }: CitedEvent): string =>
  printable(`${when}  ${summary} Actor ${actor}, request ${request_id}.`);
