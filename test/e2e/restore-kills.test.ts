/** A restore, and the first start after it, that are killed at any moment: nothing is sent or recorded twice, nothing is lost, and nothing half-made is served. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { usually } from '../support/amount.js';
import { ok, someAddress } from '../support/answers.js';
import { audience, startAudience } from '../support/audience.js';
import { freshFolder, runToExit, startService } from '../support/service.js';
import { openSmtp } from '../support/smtp.js';
import { onServers } from '../support/stores.js';

const count = usually(100, 300);
const rounds = usually(3, 12);

test.skipIf(onServers)(
  'a first start that is killed at any moment holds each e-mail once, and nothing is sent; nor is a refusal lost',
  async () => {
    const relay = await openSmtp(['recipient 450']);
    const [folder, kept] = [freshFolder(), freshFolder()];
    const environment = { SMTP_URL: relay.url, SEAL_DIR: kept };
    const first = await startService({ env: environment });
    const mail = { from_email: 'a@b.example', subject: 'Hi', mail_template: 'Hi' };
    await Promise.all(
      Array.from({ length: count }, () => ok(first.post('/v1/email/send', { ...mail, to_email: someAddress() }))),
    );
    const made = await audience(['--data-dir', first.dataDir, 'backup', folder, '--with-secrets']);
    expect(made.code).toBe(0);
    await Promise.all(
      Array.from({ length: count }, () =>
        ok(first.post('/v1/suppressions', { email: someAddress(), scope: 'all', reason: 'manual' })),
      ),
    );
    const refused = (await first.events()).filter(({ type }) => type === 'AddressSuppressed');
    await first.close();
    const to = path.join(folder, 'restored');
    const words = ['--to', to, '--register', path.join(kept, 'register.ndjson')];
    expect(await audience(['restore', folder, '--with-secrets', ...words])).toMatchObject({ code: 0 });
    relay.behave('accept');
    // The mark is gone with that line, and refusals are asked for again.
    const stop = { stopAt: 'the log was restored', signal: 'SIGKILL' } as const;
    for (let round = 0; round < rounds && existsSync(path.join(to, 'restored.json')); round += 1)
      await runToExit(to, environment, { ...stop, timeout: 250 + (round * 320) / rounds });
    if (existsSync(path.join(to, 'restored.json'))) await runToExit(to, environment, stop);
    const second = await startService({ dataDir: to, env: environment });
    const types = (await second.events()).map(({ type }) => type);
    expect(types.filter((type) => type === 'LogRestored')).toHaveLength(1);
    expect(types.filter((type) => type === 'EmailHeld')).toHaveLength(count);
    const again = (await second.events()).filter(({ type }) => type === 'AddressSuppressed');
    const idsOf = (events: typeof again): readonly string[] => events.map(({ event_id }) => event_id).sort();
    expect(idsOf(again)).toEqual(idsOf(refused));
    expect(relay.messages).toEqual([]);
    await second.close();
    await relay.close();
    for (const one of [folder, kept]) rmSync(one, { recursive: true });
  },
);

test.skipIf(onServers)('a restore that is killed at any moment is whole, or is not served', async () => {
  const folder = freshFolder();
  const first = await startService();
  const made = await audience(['--data-dir', first.dataDir, 'backup', folder, '--with-secrets']);
  expect(made.code).toBe(0);
  await first.close();
  for (let round = 0; round < rounds; round += 1) {
    const to = path.join(folder, `restored-${round}`);
    const { child, ended } = startAudience([
      'restore',
      folder,
      '--with-secrets',
      '--to',
      to,
      '--without-newer-register',
    ]);
    const timer = setTimeout(() => child.kill('SIGKILL'), 180 + (round * 150) / rounds);
    await ended;
    clearTimeout(timer);
    const isWhole = existsSync(path.join(to, 'events.db'));
    if (!existsSync(to) || readdirSync(to).length === 0) continue;
    const { output } = await runToExit(to, {}, { stopAt: 'listening' });
    expect(output).toMatch(isWhole ? /the log was restored from a backup/ : /was interrupted/);
  }
  rmSync(folder, { recursive: true });
});
