/** Mailers that share the log when MongoDB or a process pauses for longer than a lease: each e-mail arrives, and a second copy only with a doubt on record. */
import { describe, expect, test } from 'vitest';
import { realTime } from '../support/real-time.js';
import { newDeployment, noServers } from './deployment.js';
import { lastClaim, newMailing, type MailStory } from './mail-stories.js';
import { behindProxy } from '../support/mongodb.js';
import { eventually } from '../support/service.js';
import { startSmtp } from '../support/smtp.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

/** Milliseconds; not the 30 s for which the API keeps an idle connection, which would close while the next request is on its way. */
const pause = 33_000;

function expectNoSecretCopy(stories: readonly MailStory[]): void {
  for (const { copies, doubts } of stories) {
    expect(copies).toBeGreaterThanOrEqual(1);
    expect(copies).toBeLessThanOrEqual(1 + doubts.length);
  }
}

describe.skipIf(noServers !== undefined)(`pauses of 33 s${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  test.each([['nobody else in trouble'], ['one mailer killed meanwhile']])(
    'of MongoDB, %s',
    async (trouble) => {
      const deployment = newDeployment();
      const behind = behindProxy(deployment.env['MONGODB_URL'] ?? '');
      if (behind === undefined) throw new Error('a proxy cannot stand in');
      const proxy = await startTcpProxy(behind.target);
      const smtp = await startSmtp(['slow']);
      try {
        const api = await deployment.start({ ROLES: 'api,projector', MONGODB_URL: behind.through(proxy.port) });
        const env = {
          ROLES: 'mailer',
          SMTP_URL: smtp.url,
          MONGODB_URL: behind.through(proxy.port),
          MAIL_IN_DOUBT_AFTER: '1s',
        };
        const [first] = await Promise.all([deployment.start(env), deployment.start(env)]);
        const mailing = newMailing(api, deployment.log, smtp);
        await mailing.request(160);
        await eventually(() => Promise.resolve(smtp.messages.length > 30 || undefined));
        proxy.hang('both');
        await realTime(pause / 2);
        const isKilled = trouble === 'one mailer killed meanwhile';
        if (isKilled) await first.kill('SIGKILL');
        await realTime(pause / 2);
        await proxy.heal();
        const back = Date.now();
        const stories = await mailing.untilSent(120_000);
        expectNoSecretCopy(stories);
        for (const story of stories)
          if (story.doubts.length === 0) expect(lastClaim(story) - back).toBeLessThan(30_000);
        // Those that live are not judged: their attempts end as if nothing had been.
        if (!isKilled) expect(stories.flatMap(({ doubts }) => doubts)).toEqual([]);
      } finally {
        await deployment.close();
        await proxy.close();
      }
    },
    240_000,
  );

  test('of a mailer: what it gave no final dot for is sent by others or by it, what it may have handed over is in doubt', async () => {
    const deployment = newDeployment();
    const smtp = await startSmtp(['slow']);
    try {
      const api = await deployment.start({ ROLES: 'api,projector' });
      const env = { ROLES: 'mailer', SMTP_URL: smtp.url, MAIL_IN_DOUBT_AFTER: '1s' };
      const [first] = await Promise.all([deployment.start(env), deployment.start(env)]);
      const mailing = newMailing(api, deployment.log, smtp);
      await mailing.request(160);
      await eventually(() => Promise.resolve(smtp.messages.length > 30 || undefined));
      process.kill(first.pid(), 'SIGSTOP');
      const stopped = Date.now();
      await realTime(pause);
      process.kill(first.pid(), 'SIGCONT');
      const stories = await mailing.untilSent(120_000);
      expectNoSecretCopy(stories);
      for (const story of stories)
        if (story.doubts.length === 0) expect(lastClaim(story) - stopped).toBeLessThan(pause + 30_000);
      await mailing.request(20);
      // It goes on, as a new run.
      await mailing.untilSent(30_000);
      expect(first.output()).toContain('"lapsed"');
    } finally {
      await deployment.close();
    }
  }, 240_000);
});
