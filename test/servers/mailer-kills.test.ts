/** Two mailers on one log, one of them killed while e-mails wait and are being sent: each e-mail arrives, and a second copy only with a doubt on record. */
import { describe, expect, test } from 'vitest';
import { newDeployment, noServers } from './deployment.js';
import { lastClaim, newMailing } from './mail-stories.js';
import { eventually, type Service } from '../support/service.js';
import { startSmtp } from '../support/smtp.js';

interface Ready {
  readonly data: { readonly mailer: { readonly running: number } };
}
const runningIn = async (mailer: Service): Promise<number> =>
  ((await mailer.get('/health/ready')).body as Ready).data.mailer.running;

describe.skipIf(noServers !== undefined)(
  `a mailer that is killed${noServers === undefined ? '' : ` (${noServers})`}`,
  () => {
    test('what nobody was sending is on its way within 30 s, what was being sent is in doubt and sent again', async () => {
      const deployment = newDeployment();
      const smtp = await startSmtp(['slow']);
      try {
        const api = await deployment.start({ ROLES: 'api,projector' });
        const mailer = { ROLES: 'mailer', SMTP_URL: smtp.url, MAIL_IN_DOUBT_AFTER: '1s' };
        const [first] = await Promise.all([deployment.start(mailer), deployment.start(mailer)]);
        const mailing = newMailing(api, deployment.log, smtp);
        await mailing.request(120);
        await eventually(() => Promise.resolve(smtp.messages.length > 30 || undefined));
        await eventually(async () => (await runningIn(first)) >= 5 || undefined, { what: 'attempts of the first one' });
        await first.kill('SIGKILL');
        const killed = Date.now();

        const stories = await mailing.untilSent(90_000);
        for (const { copies, doubts } of stories) {
          expect(copies).toBeGreaterThanOrEqual(1);
          expect(copies).toBeLessThanOrEqual(1 + doubts.length);
        }
        const inDoubt = stories.filter(({ doubts }) => doubts.length > 0);
        for (const story of stories)
          if (!inDoubt.includes(story)) expect(lastClaim(story) - killed).toBeLessThan(30_000);
        // Those that the killed mailer had claimed, three for each connection at most, and no others.
        expect(inDoubt.length).toBeGreaterThan(0);
        expect(inDoubt.length).toBeLessThanOrEqual(30);
        for (const { reason, at } of inDoubt.flatMap(({ doubts }) => doubts)) {
          expect(reason).toBe('run_ended');
          expect(at - killed).toBeLessThan(45_000);
        }
      } finally {
        await deployment.close();
      }
    }, 180_000);
  },
);
