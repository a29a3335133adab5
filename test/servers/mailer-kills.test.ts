/** Two mailers on one log, one of them killed while e-mails wait and are being sent: each e-mail arrives, and a second copy only with a doubt on record. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import { codec } from '../../src/events/codec.js';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { newDeployment, noServers } from '../support/deployment.js';
import { eventually, type Service } from '../support/service.js';
import { openSmtp } from '../support/smtp.js';

type EmailStory = { readonly type: string; readonly at: number; readonly reason: string }[];

/** What happened to each e-mail, by its id. */
async function storiesIn(log: EventReader): Promise<Map<string, EmailStory>> {
  const stories = new Map<string, EmailStory>();
  for await (const batch of log.readAll())
    for (const stored of batch) {
      const { event, metadata } = codec.decode(stored);
      const id = emailIdOf(event);
      if (id === undefined) continue;
      const story = stories.get(id) ?? [];
      stories.set(id, story);
      const reason = 'reason' in event.data ? String(event.data.reason) : '';
      story.push({ type: event.type, at: Date.parse(metadata.at), reason });
    }
  return stories;
}

const emailIdOf = ({ data }: DomainEvent): string | undefined => ('email_id' in data ? data.email_id : undefined);
const count = (story: EmailStory, type: string): number => story.filter((event) => event.type === type).length;

/** Answers with the e-mail's id. */
async function send(api: Service, to_email: string): Promise<string> {
  const mail = { from_email: 'ledger@example.com', to_email, subject: 'Hello', mail_template: '<p>Hello</p>' };
  const { headers } = await api.post('/v1/email/send', mail);
  return path.basename(String(headers.location));
}

describe.skipIf(noServers !== undefined)(
  `mailers that are killed${noServers === undefined ? '' : ` (${noServers})`}`,
  () => {
    test('what nobody was sending is on its way within 30 s, what was being sent is in doubt and sent again', async () => {
      const deployment = newDeployment();
      const smtp = await openSmtp(['slow']);
      try {
        const api = await deployment.start({ ROLES: 'api,projector' });
        const mailer = { ROLES: 'mailer', SMTP_URL: smtp.url, MAIL_IN_DOUBT_AFTER: '1' };
        const [first] = await Promise.all([deployment.start(mailer), deployment.start(mailer)]);
        const emails = new Map<string, string>();
        await Promise.all(
          Array.from({ length: 120 }, async (_, index) => {
            const to = `ada${index}@example.com`;
            emails.set(await send(api, to), to);
          }),
        );
        await eventually(() => Promise.resolve(smtp.messages.length > 30 || undefined));
        await first.kill('SIGKILL');
        const killed = Date.now();

        const stories = await eventually(
          async () => {
            const found = await storiesIn(deployment.log);
            return [...found.values()].every((story) => count(story, 'EmailSent') === 1) ? found : undefined;
          },
          { within: 90_000, what: 'every e-mail sent' },
        );
        let doubts = 0;
        for (const [id, to] of emails) {
          const story = stories.get(id) ?? [];
          const copies = smtp.messages.filter((message) => message.to[0] === to).length;
          const inDoubt = story.filter(({ type }) => type === 'EmailInDoubt');
          expect(copies).toBeGreaterThanOrEqual(1);
          expect(copies).toBeLessThanOrEqual(1 + inDoubt.length);
          for (const { reason, at } of inDoubt) {
            expect(reason).toBe('run_ended');
            expect(at - killed).toBeLessThan(45_000);
          }
          const claimed = story.findLast(({ type }) => type === 'EmailDispatchStarted')?.at ?? Infinity;
          if (inDoubt.length === 0) expect(claimed - killed).toBeLessThan(30_000);
          doubts += inDoubt.length;
        }
        // Those that the killed mailer was sending, and no others.
        expect(doubts).toBeGreaterThan(0);
        expect(doubts).toBeLessThanOrEqual(10);
      } finally {
        await deployment.close();
        await smtp.close();
      }
    }, 180_000);
  },
);
