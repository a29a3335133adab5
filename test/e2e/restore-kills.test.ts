/** A restore, and the first start after it, that are killed at any moment: nothing is sent or recorded twice, nothing is lost, and nothing half-made is served. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { deriveRegisterKey } from '../../src/events/streams.js';
import { readRegister } from '../../src/recovery/register-file.js';
import { lineOf, textOf } from '../../src/recovery/register-line.js';
import { usually } from '../support/amount.js';
import { ok, someAddress } from '../support/answers.js';
import { audience, startAudience } from '../support/audience.js';
import { freshFolder, runToExit, startService, type Service } from '../support/service.js';
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

/** Returns lines of the register that change nothing, because the log does not know these keys. */
function linesFor(service: Service, logId: string, amount: number): string {
  const key = deriveRegisterKey(readFileSync(path.join(service.dataDir, 'secret'), 'utf8').trim());
  const lines = Array.from({ length: amount }, (_, at) => {
    const event = { type: 'ApiKeyRevoked', data: JSON.stringify({ key_id: `unknown-${at}` }), metadata: '{}' };
    return textOf(lineOf({ ...event, stream: `apikey-unknown-${at}`, revision: 1n, id: randomUUID() }, { logId, key }));
  });
  return lines.join('');
}
const logIdOf = async (service: Service): Promise<string> => {
  const [first] = await service.events();
  return String(first?.data['log_id']);
};

test.skipIf(onServers)('a restore that is killed at any moment is whole, or is not served', async () => {
  const folder = freshFolder();
  const first = await startService();
  const made = await audience(['--data-dir', first.dataDir, 'backup', folder, '--with-secrets']);
  expect(made.code).toBe(0);
  const register = path.join(folder, 'newest.ndjson');
  const lines = linesFor(first, await logIdOf(first), count);
  writeFileSync(register, lines);
  const words = ['--data-dir', first.dataDir, 'restore', folder, '--with-secrets', '--register', register];
  await first.kill('SIGTERM');
  for (let round = 0; round < rounds; round += 1) {
    const to = path.join(folder, `restored-${round}`);
    const { child, ended } = startAudience([...words, '--to', to]);
    const timer = setTimeout(() => child.kill('SIGKILL'), 180 + (round * 150) / rounds);
    await ended;
    clearTimeout(timer);
    const isWhole = existsSync(path.join(to, 'events.db'));
    if (!existsSync(to) || readdirSync(to).length === 0) continue;
    if (isWhole) expect(readFileSync(path.join(to, 'register.ndjson'), 'utf8')).toBe(lines);
    const { output } = await runToExit(to, {}, { stopAt: 'listening' });
    expect(output).toMatch(isWhole ? /the log was restored from a backup/ : /was interrupted/);
  }
  await first.close();
  rmSync(folder, { recursive: true });
});

test.skipIf(onServers)('a start that is killed while it takes the register from SEAL_DIR loses no line', async () => {
  const copies = freshFolder();
  const environment = { SEAL_DIR: copies };
  const service = await startService({ env: environment });
  const logId = await logIdOf(service);
  await service.kill('SIGTERM');
  const [own, copy] = [service.dataDir, copies].map((folder) => path.join(folder, 'register.ndjson')) as [
    string,
    string,
  ];
  const owner = { logId, key: deriveRegisterKey(readFileSync(path.join(service.dataDir, 'secret'), 'utf8').trim()) };
  appendFileSync(copy, linesFor(service, logId, 8 * count));
  const wanted = readRegister(copy, owner).lines;
  for (let round = 0; round < rounds; round += 1) {
    rmSync(own, { force: true });
    await runToExit(service.dataDir, environment, { timeout: 200 + (round * 500) / rounds });
    expect(readRegister(copy, owner)).toMatchObject({ lines: wanted, invalid: [] });
  }
  await service.start();
  for (const file of [own, copy]) expect(readRegister(file, owner)).toMatchObject({ lines: wanted, invalid: [] });
  await service.close();
  rmSync(copies, { recursive: true });
});
