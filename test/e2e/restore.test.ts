/** The drill: load, a backup in the middle, a kill, a restore. What was there at the backup is there, nothing after it, and nothing that must not come back. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, someAddress, unique } from '../support/answers.js';
import { audience, audienceProcess, jsonLines, type Ended } from '../support/audience.js';
import { eventually, freshFolder, runToExit, startService, type Answer, type Service } from '../support/service.js';
import { openSmtp, type SmtpStandIn } from '../support/smtp.js';
import { onServers } from '../support/stores.js';

const root = freshFolder();
const [seals, backups, restoredDir] = [freshFolder(), path.join(root, 'backups'), path.join(root, 'restored')];
const marker = path.join(restoredDir, 'restored.json');
const people = { stays: someAddress(), goes: someAddress() };
let smtp: SmtpStandIn;
let service: Service;
let restored: Service;
let list: string;
let backup: { readonly count: number; readonly root: string; readonly position: string };
let mark: string;

const bearer = (secret: string): { authorization: string } => ({ authorization: `Bearer ${secret}` });
const env = (): Record<string, string> => ({ SMTP_URL: smtp.url, SEAL_DIR: seals });
const create = (email: string): Promise<Answer> =>
  service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' });
const mailTo = async (to_email: string): Promise<string> => {
  const mail = { from_email: 'a@b.example', to_email, subject: 'Hi', mail_template: '<p>Hi</p>' };
  return String((await ok(service.post('/v1/email/send', mail))).headers.location).replace('/v1/email/', '');
};
const hasState = (of: Service, id: string, state: string): Promise<true> =>
  eventually(
    async () => {
      const answer = await of.get(`/v1/email/${id}`);
      return answer.status === 200 && answer.field('state') === state ? true : undefined;
    },
    { what: `state ${state}` },
  );
const issue = async (): Promise<{ readonly id: string; readonly secret: string }> => {
  const answer = await ok(service.post('/v1/keys', { name: unique('Key'), scopes: ['lists:read'] }));
  return { id: answer.field('key_id'), secret: answer.field('secret') };
};
/** Restores with the secret of the folder in use. */
const restore = (...words: readonly string[]): Promise<Ended> =>
  audience(['--data-dir', service.dataDir, 'restore', backups, ...words]);

const keys: Record<'revoked' | 'rotated', { readonly id: string; readonly secret: string }> = {
  revoked: { id: '', secret: '' },
  rotated: { id: '', secret: '' },
};
const emails: Record<'sent' | 'deferred' | 'sending' | 'lost', string> = {
  sent: '',
  deferred: '',
  sending: '',
  lost: '',
};
let newSecret: string;
let sealed: string;
let delivered: number;
let cursors: { readonly kept: string; readonly lost: string };

describe.skipIf(onServers)('a restore', () => {
  beforeAll(async () => {
    smtp = await openSmtp(['accept']);
    service = await startService({ env: env() });
    list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    for (const email of Object.values(people)) await ok(create(email));
    keys.revoked = await issue();
    keys.rotated = await issue();
    emails.sent = await mailTo(people.stays);
    await hasState(service, emails.sent, 'sent');
    smtp.behave('recipient 450');
    emails.deferred = await mailTo(people.stays);
    await hasState(service, emails.deferred, 'deferred');
    smtp.behave('hang after dot');
    emails.sending = await mailTo(people.stays);
    await eventually(() => Promise.resolve(smtp.messages.length === 2 || undefined));

    let isLoading = true;
    const load = Array.from({ length: 4 }, async () => {
      while (isLoading) await ok(create(someAddress()));
    });
    const made = await audienceProcess(['--data-dir', service.dataDir, 'backup', backups, '--with-secrets'], {
      env: { SEAL_DIR: seals },
    });
    isLoading = false;
    await Promise.all(load);
    expect(made).toMatchObject({ code: 0, err: '' });
    backup = JSON.parse(made.out) as typeof backup;

    // After the backup.
    smtp.behave('accept');
    emails.lost = await mailTo(people.stays);
    await hasState(service, emails.lost, 'sent');
    const erasure = await service.post('/v1/privacy/erasures', { email: people.goes });
    await eventually(async () =>
      (await service.get(String(erasure.headers.location))).field('status') === 'completed' ? true : undefined,
    );
    await ok(service.post('/v1/suppressions', { email: people.stays, scope: list, reason: 'unsubscribe' }));
    await ok(service.post(`/v1/keys/${keys.revoked.id}/revoke`, {}));
    newSecret = (await ok(service.post(`/v1/keys/${keys.rotated.id}/rotate`, { overlap_seconds: 0 }))).field('secret');
    const cursorAt = async (after: string): Promise<string> => {
      const page = await ok(service.get(`/v1/audit/events?limit=1&after=${after}`));
      return (page.body as { readonly next_after: string }).next_after;
    };
    cursors = { kept: await cursorAt('3'), lost: await cursorAt(backup.position) };
    sealed = path.join(root, 'newer-seal.json');
    expect((await audience(['--data-dir', service.dataDir, 'audit', 'seal', '--out', sealed])).code).toBe(0);
    await service.kill('SIGKILL');
    delivered = smtp.messages.length;
  });
  afterAll(async () => {
    await restored?.close();
    await service.close();
    await smtp.close();
    for (const folder of [root, seals]) rmSync(folder, { recursive: true });
  });

  test('says what the backup holds, and demands the newest register or a word that there is none', async () => {
    expect(await audience(['backup', 'verify', backups])).toMatchObject({ code: 0 });
    expect(await restore('--to', restoredDir)).toMatchObject({ code: 2 });
    expect(await restore('--to', service.dataDir, '--without-newer-register')).toMatchObject({ code: 1 });
    const missing = await restore('--to', restoredDir, '--register', path.join(root, 'nowhere'));
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('There is no register') as string });
    const folder = await restore('--to', restoredDir, '--register', seals);
    expect(folder).toMatchObject({
      code: 1,
      err: expect.stringContaining(`There is no register ${seals}.\n`) as string,
    });
    expect(existsSync(restoredDir)).toBe(false);
  });

  test('has what was there at the backup, and nothing after it', async () => {
    const register = path.join(seals, 'register.ndjson');
    const words = ['--data-dir', service.dataDir, 'restore', backups, '--with-secrets'];
    const answer = await audience([...words, '--to', restoredDir, '--register', register]);
    expect(answer).toMatchObject({ code: 0, err: 'Restored secrets and keys: secret, seal-key.pem.\n' });
    expect(JSON.parse(answer.out)).toMatchObject({ manifest_mac: 'valid' });
    expect(JSON.parse(answer.out)).toMatchObject({ register: { file: register, entries: 4, newer: 4, lacks: 0 } });
    mark = readFileSync(marker, 'utf8');
    const status = (): Promise<Ended> => audience(['--data-dir', restoredDir, 'privacy', 'status', '--json']);
    const lacking = await status();
    expect(lacking.code).toBe(1);
    expect(JSON.parse(lacking.out)).toMatchObject({
      register: { places: [{ lines: 4, invalid: [] }], is_checked: true },
      missing: {
        applied: [
          { type: 'ErasureRequested' },
          { type: 'ApiKeyRevoked', data: { key_id: keys.revoked.id } },
          { type: 'ApiKeyRotated', data: { key_id: keys.rotated.id } },
          { type: 'AddressSuppressed', data: { scope: list, reason: 'unsubscribe' } },
        ],
        reported: [],
      },
    });
    const said = await audience(['--data-dir', restoredDir, 'privacy', 'status']);
    expect(said.err).toContain(`not in the log: ApiKeyRevoked ${keys.revoked.id} of `);
    expect(said.err).toContain('The log lacks 4 events of the register, which the next start brings back');
    const before = (await service.events()).map(({ event_id }) => event_id);
    restored = await startService({ dataDir: restoredDir, env: env() });
    const after = await restored.events();
    expect(after.slice(0, backup.count).map(({ event_id }) => event_id)).toEqual(before.slice(0, backup.count));
    const { event_id } = JSON.parse(mark) as { readonly event_id: string };
    expect(after[backup.count]).toMatchObject({
      ...{ type: 'LogRestored', stream: 'service', event_id },
      data: { count: backup.count, root: backup.root, mac: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    });
    const lost = new Set(before.slice(backup.count));
    const back = after.filter((one) => lost.has(one.event_id)).map(({ type }) => type);
    expect(back.toSorted()).toEqual(['AddressSuppressed', 'ApiKeyRevoked', 'ApiKeyRotated', 'ErasureRequested']);
    expect((await status()).code).toBe(0);
    expect(existsSync(marker)).toBe(false);
    expect((await audience(['--data-dir', restoredDir, 'audit', 'verify'])).code).toBe(0);
  });

  test('shows nobody who was erased, and opens to no key that was revoked or rotated', async () => {
    expect((await restored.get(`/v1/contacts?email=${people.stays}`)).status).toBe(200);
    expect((await restored.get(`/v1/contacts?email=${people.goes}`)).status).toBe(404);
    for (const { secret } of Object.values(keys))
      expect((await restored.get('/v1/lists', bearer(secret))).status).toBe(401);
    expect((await restored.get('/v1/lists', bearer(newSecret))).status).toBe(200);
  });

  test('mails nobody who refused it since', async () => {
    const found = await ok(restored.post('/v1/suppressions/search', { email: people.stays }));
    expect(found.body).toMatchObject({ data: { active: [{ scope: list, reason: 'unsubscribe' }] } });
  });

  test('knows a cursor of the feed from before the backup, and says of a later one that its event is gone', async () => {
    expect((await restored.get(`/v1/audit/events?limit=1&after=${cursors.kept}`)).status).toBe(200);
    for (const query of ['', '&follow=true', '&format=ndjson']) {
      const gone = await restored.get(`/v1/audit/events?after=${cursors.lost}${query}`);
      expect(gone).toMatchObject({ status: 410, body: { type: 'gone' } });
      expect(gone.text).toMatch(/"head":"\d{20}\.[0-9a-f-]{36}"/);
    }
    const beyond = String(Number(cursors.lost.split('.')[0]) + 100_000);
    expect((await restored.get('/v1/groups', { 'x-min-position': beyond })).status).toBe(400);
  });

  test('holds every e-mail that was open, and sends none', async () => {
    const held = (await restored.get('/v1/email?state=held')).items();
    const open = [emails.deferred, emails.sending].sort();
    expect(held.map(({ email_id }) => email_id).sort()).toEqual(open);
    expect(held.map(({ last_error }) => last_error)).toEqual(['restored', 'restored']);
    expect((await restored.get(`/v1/email/${emails.sent}`)).field('state')).toBe('sent');
    expect((await restored.get(`/v1/email/${emails.lost}`)).status).toBe(404);
    const further = { from_email: 'a@b.example', to_email: someAddress(), subject: 'Hi', mail_template: 'Hi' };
    const location = String((await ok(restored.post('/v1/email/send', further))).headers.location);
    // Until its outcome is recorded it would be open for the restore that comes next.
    await eventually(async () => (await restored.get(location)).field('state') === 'sent' || undefined);
    expect(smtp.messages.length).toBe(delivered + 1);
  });

  test('a second start, also one that finds the mark again, records nothing twice', async () => {
    await restored.kill('SIGKILL');
    writeFileSync(marker, mark);
    await restored.start();
    const types = (await restored.events()).map(({ type }) => type);
    expect(types.filter((type) => type === 'LogRestored')).toHaveLength(1);
    expect(types.filter((type) => type === 'EmailHeld')).toHaveLength(2);
    expect(types.filter((type) => type === 'ErasureRequested')).toHaveLength(1);
    expect(types.filter((type) => type === 'AddressSuppressed')).toHaveLength(1);
    expect(types.filter((type) => type === 'ApiKeyRotated' || type === 'ApiKeyRevoked')).toHaveLength(2);
  });

  test('a log that was put back by hand is marked, while no service runs on it', async () => {
    const inPlace = ['--data-dir', service.dataDir, 'restore', '--in-place'];
    const { folder } = JSON.parse((await audience(['backup', 'verify', backups, '--json'])).out) as { folder: string };
    for (const name of ['events.db-wal', 'events.db-shm', 'views.db', 'views.db-wal', 'views.db-shm'])
      rmSync(path.join(service.dataDir, name), { force: true });
    cpSync(path.join(folder, 'events.db'), path.join(service.dataDir, 'events.db'));
    // A seal of events that the log does not have any more.
    mkdirSync(path.join(service.dataDir, 'seals'), { recursive: true });
    cpSync(sealed, path.join(service.dataDir, 'seals', path.basename(sealed)));
    const marked = await audience([...inPlace, '--register', path.join(seals, 'register.ndjson')]);
    expect(marked).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(marked.out)).toMatchObject({ count: backup.count, root: backup.root, register: { lacks: 0 } });
    await service.start();
    expect((await service.events())[backup.count]).toMatchObject({
      type: 'LogRestored',
      data: {
        root: backup.root,
        superseded: { count: (JSON.parse(readFileSync(sealed, 'utf8')) as { count: number }).count },
      },
    });
    expect((await service.get('/v1/email?state=held')).items()).toHaveLength(2);
    expect((await service.get(`/v1/contacts?email=${people.goes}`)).status).toBe(404);
    expect(await audience([...inPlace, '--without-newer-register'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('another process writes to the event log') as string,
    });
    await service.kill('SIGKILL');
  });

  test('a folder into which a restore was interrupted begins no log of its own', async () => {
    const half = path.join(root, 'half');
    expect(await restore('--to', half, '--without-newer-register')).toMatchObject({ code: 0 });
    rmSync(path.join(half, 'events.db'));
    const refused = await runToExit(half, {});
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(`a restore into ${half} was interrupted`);
    expect(existsSync(path.join(half, 'events.db'))).toBe(false);
  });

  test('a start over a log that was restored without its secret is refused, and makes no new one', async () => {
    const bare = path.join(root, 'bare');
    const answer = await restore('--to', bare, '--without-newer-register');
    expect(answer).toMatchObject({ code: 0, err: expect.stringContaining('Not restored: secret') as string });
    expect(answer.err).toContain(`The secret of this log is not in ${bare}. Before the start, copy `);
    expect((await runToExit(bare, {})).output).toContain('The file secret is missing from DATA_DIR');
    expect(existsSync(path.join(bare, 'secret'))).toBe(false);
    const other = await runToExit(bare, { SECRET: 'x'.repeat(40) });
    expect(other).toMatchObject({ code: 1 });
    expect(other.output).toContain('SECRET is not the one that this event log was begun with');
  });

  test('a seal from after the backup is excused by the recorded restore, also when the log has grown beyond it', async () => {
    const seal = JSON.parse(readFileSync(sealed, 'utf8')) as { readonly count: number };
    const verify = (): Promise<Ended> =>
      audience(['--data-dir', restoredDir, 'audit', 'verify', '--seal', sealed, '--json']);
    const removed = `a restore removed ${seal.count - backup.count} sealed events`;
    expect(await verify()).toMatchObject({ code: 0, out: expect.stringContaining(removed) as string });
    while ((await restored.countEvents()) <= seal.count)
      await ok(restored.post('/v1/groups/create', { group_name: unique('Group') }));
    const said = await verify();
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining(removed) as string });
    const [{ restores, seals: compared }] = jsonLines(said.out) as [
      { readonly restores: unknown; readonly seals: readonly { readonly files: readonly string[] }[] },
    ];
    expect(restores).toMatchObject([{ count: backup.count, root: backup.root, isValid: true }]);
    expect(compared.find(({ files }) => files.includes(sealed))).toMatchObject({ state: 'excused' });
    const out = path.join(root, 'events.ndjson');
    expect((await audience(['--data-dir', restoredDir, 'export', 'events', '--out', out])).code).toBe(0);
    const verifier = fileURLToPath(new URL('../../verify.mjs', import.meta.url));
    const offline = spawnSync(process.execPath, [verifier, out, sealed], { encoding: 'utf8' });
    expect(offline).toMatchObject({ status: 0, stdout: expect.stringContaining('excused: ') as string });
    cpSync(sealed, path.join(seals, path.basename(sealed)));
    const kept = await audience(['--data-dir', restoredDir, 'audit', 'seals'], { env: { SEAL_DIR: seals } });
    expect(kept.out).toContain(removed);
  });
});
