/** The mail server of the shop, as the mailer meets it: what it answers to each e-mail. What the answer means is for the mailer's own code. */
import { afterHandOver, beforeHandOver, probeRefused, replyOf, type SmtpFault } from '../src/mailer/smtp-outcome.js';
import type { Mail, SendOutcome, Transport } from '../src/mailer/transport.js';
import type { Fate } from './fates.js';
import type { Random } from './random.js';
import { day, hour, type World } from './world.js';

export interface Underway {
  readonly requestedAt: number;
  fate: Fate;
  attempts: number;
}

interface RelayOptions {
  readonly world: Pick<World, 'now' | 'takes' | 'onDay'>;
  readonly random: Random;
  readonly letterOf: (emailId: string) => Underway | undefined;
}

/** It was down for a while, just when a mailing went out. */
const downOn = 253;
const downFrom = 10.9 * hour;
const downFor = 0.75 * hour;

export function createRelayOfShop({ world, random, letterOf }: RelayOptions): Transport {
  const { now, takes, onDay } = world;
  const down = onDay(downOn) + downFrom;
  const isDown = (): boolean => now() >= down && now() < down + downFor;

  function answerTo({ envelope: { to } }: Mail, letter: Underway): SendOutcome {
    const isFirst = letter.attempts === 1;
    switch (letter.fate) {
      case 'greylisted':
        return isFirst ? refusedRecipient(`450 4.2.0 <${to}>: Recipient address rejected: Greylisted`) : taken();
      case 'busy':
        return isFirst ? refusedData('451 4.3.0 Temporary server error, please try again later') : taken();
      case 'full':
        return now() < letter.requestedAt + 3.5 * day
          ? refusedRecipient(`452 4.2.2 <${to}>: Mailbox is over its quota`)
          : taken();
      case 'cut_off':
        return isFirst ? beforeHandOver(broken('DATA'), 'data') : taken();
      case 'no_mailbox':
        return refusedRecipient(`550 5.1.1 <${to}>: Recipient address rejected: User unknown`);
      case 'refused':
        return refusedData('554 5.7.1 Message refused: it looks like advertising that nobody asked for');
      case 'lost_reply':
      case 'bounces_in_doubt':
        return isFirst ? afterHandOver(broken('DATA')) : taken();
      case 'silent':
        return afterHandOver({ reason: 'timeout' });
      case 'stalling':
        return beforeHandOver({ reason: 'timeout' }, 'data');
      case 'fine':
      case 'interrupted':
      case 'bounces':
      case 'bounces_softly':
        return taken();
      default:
        return letter.fate satisfies never;
    }
  }

  const taken = (): SendOutcome => ({
    status: 'sent',
    reason: 'accepted',
    ...replyOf(`250 2.0.0 Ok: queued as 4${random.hex(9).toUpperCase()}`),
  });

  return {
    async send(mail, { beforeHandOver: mayGo }) {
      takes(random.whole(60, 400));
      if (isDown()) return beforeHandOver(refusedConnection, 'connection');
      const letter = letterOf(mail.email_id);
      if (letter === undefined) throw new Error(`${mail.email_id} is no e-mail of the demo`);
      if (mayGo !== undefined && !(await mayGo())) return { status: 'withdrawn' };
      letter.attempts += 1;
      const outcome = answerTo(mail, letter);
      if ('reason' in outcome && outcome.reason === 'timeout') takes(random.whole(60_000, 300_000));
      return outcome;
    },
    probe: () => Promise.resolve(isDown() ? probeRefused(refusedConnection) : { status: 'ready' }),
    limit: () => undefined,
    close: () => undefined,
  };
}

const refusedConnection: SmtpFault = {
  error: { code: 'ESOCKET', command: 'CONN', originalCode: 'ECONNREFUSED' },
};
const broken = (command: string): SmtpFault => ({ error: { code: 'ECONNECTION', command } });

/** At RCPT. */
const refusedRecipient = (response: string): SendOutcome =>
  beforeHandOver(
    { error: { code: 'EENVELOPE', command: 'RCPT TO', response, responseCode: codeOf(response) } },
    'envelope',
  );

/** After the message. */
const refusedData = (response: string): SendOutcome =>
  afterHandOver({ error: { code: 'EMESSAGE', response, responseCode: codeOf(response) } });

const codeOf = (response: string): number => Number.parseInt(response, 10);
