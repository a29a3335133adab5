/** The register of a log on EventStoreDB, whose streams are truncated when a person is erased, and to which several processes write. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCommands } from '../../src/app/commands.js';
import { serviceContext } from '../../src/commands/batch.js';
import {
  contactStream,
  deriveRegisterKey,
  deriveStreamKeys,
  deriveUnsubscribeKey,
  erasuresStream,
  keysStream,
  listsStream,
  suppressionStream,
} from '../../src/events/streams.js';
import { createUnsubscribeTokens } from '../../src/events/unsubscribe-token.js';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import { demandLogId } from '../../src/eventstore/log-id.js';
import { applyRegister, missingInLog } from '../../src/recovery/apply-register.js';
import { cursorName, readRegister, registerName } from '../../src/recovery/register-file.js';
import type { RegisterLine } from '../../src/recovery/register-line.js';
import { isRegistered } from '../../src/recovery/registered-events.js';
import { ok } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { deletePrefix, eventStoreUrl, newPrefix, noEventStore } from '../support/eventstoredb-server.js';
import { exampleEvents as e, examples, toAppend } from '../support/examples.js';
import { linesOf, registerSecret } from '../support/registers.js';
import { eventually, freshFolder, type Answer, type Overrides, type Service } from '../support/service.js';
import { newDeployment, noServers, type Deployment } from './deployment.js';

const prefix = newPrefix();
const url = eventStoreUrl ?? '';
afterAll(async () => {
  if (url !== '') await deletePrefix(url, prefix);
});

test('events of an erased person are not reported as missing', async (context) => {
  if (url === '') context.skip(noEventStore);
  const store = openEventStoreDb({ url, prefix });
  const options = { keys: deriveStreamKeys(registerSecret), clock: Date.now, newUuid: randomUUID };
  const commands = await openCommands({ ...options, store, onUnreadable: () => undefined });
  const person = 'a1'.repeat(16);
  await store.append(listsStream, [toAppend(e.listCreated)], { expectedRevision: 'no_stream' });
  const life = [toAppend(e.contactCreated), toAppend(e.subscribed)];
  await store.append(contactStream(person), life, { expectedRevision: 'no_stream' });
  await commands.refusals.refuse(
    {
      ...{ contactKey: person, scope: examples.list.list_id, reason: 'unsubscribe', email: 'ada@example.com' },
      by: { kind: 'one_click', email_id: 'eml_1' },
    },
    serviceContext(randomUUID()),
  );
  const lines = await linesOf(store);
  expect(lines.map(({ type }) => type).toSorted()).toEqual(['AddressSuppressed', 'ContactUnsubscribed']);

  for (const stream of [contactStream(person), suppressionStream(person)])
    expect(await store.redact(stream, 10n)).toBe(1);
  const late = { lines, mode: 'late', clock: Date.now } as const;
  expect(await missingInLog(store, late)).toEqual({ applied: [], reported: [] });
  expect(await applyRegister(store, { ...late, commands })).toEqual({ applied: [], reported: [] });
  // The lines that are written again from the log are the same.
  const again = await linesOf(store);
  expect(again.toSorted((one, other) => one.type.localeCompare(other.type))).toEqual(
    lines.toSorted((one, other) => one.type.localeCompare(other.type)),
  );
  await commands.close();
  await store.close();
});

describe.skipIf(noServers !== undefined)(`two processes${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  let deployment: Deployment;
  let folder: string;
  let seals: string;
  let env: Overrides;
  beforeEach(() => {
    deployment = newDeployment();
    folder = freshFolder();
    seals = path.join(folder, 'seals');
    mkdirSync(seals);
    const sealKey = path.join(folder, 'key.pem');
    writeFileSync(sealKey, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    env = { SEAL_DIR: seals, SEAL_KEY: sealKey, PUBLIC_URL: 'https://mail.example.com' };
  });
  afterEach(async () => {
    await deployment.close();
    rmSync(folder, { recursive: true });
  }, 60_000);

  const secret = (): string => String(deployment.env['SECRET']);
  const linesIn = async (place: string): Promise<readonly RegisterLine[]> => {
    const owner = { logId: await demandLogId(deployment.log), key: deriveRegisterKey(secret()) };
    return readRegister(path.join(place, registerName), owner).lines;
  };
  const idsIn = async (place: string): Promise<ReadonlySet<string>> =>
    new Set((await linesIn(place)).map(({ event_id }) => event_id));
  const registered = async (): Promise<readonly StoredEvent[]> => {
    const found: StoredEvent[] = [];
    for await (const events of deployment.log.readAll()) found.push(...events.filter(isRegistered));
    return found;
  };
  const status = async ({ dataDir, key }: Service, more: Overrides = {}) => {
    const given = { ...deployment.env, ...env, ...more, DATA_DIR: dataDir, AUDIENCE_KEY: key };
    const { code, out } = await audience(['privacy', 'status', '--json'], { env: given });
    return { code, ...(JSON.parse(out) as { register: { without_line: number }; missing: unknown }) };
  };

  /** The commands of a process that is killed between each append and its line. */
  async function keepingNothing() {
    const store = openEventStoreDb({ url, prefix: String(deployment.env['EVENTSTORE_PREFIX']) });
    const commands = await openCommands({
      ...{ store, keys: deriveStreamKeys(secret()), clock: Date.now, newUuid: randomUUID },
      onUnreadable: () => undefined,
    });
    return { ...commands, end: () => commands.close().then(() => store.close()) };
  }

  test('a repeat of what another process appended before it was killed is answered when its line exists', async () => {
    const service = await deployment.start(env);
    const list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
    const email = 'ada@example.com';
    await ok(service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }));
    const key_id = await service.make('/v1/keys', { name: 'Kiosk', scopes: ['lists:read'] }, 'key_id');
    const keys = deriveStreamKeys(secret());
    const contactKey = keys.contactKey(email);
    const emailId = 'eml_01KQPH1RM0W7X9YABCDEFGHJKM';
    const token = createUnsubscribeTokens(deriveUnsubscribeKey(secret())).make({ emailId, contactKey, listId: list });
    const killed = await keepingNothing();
    const context = serviceContext(randomUUID());
    const cases = [
      {
        types: ['AddressSuppressed'],
        append: () => killed.audience.suppressions.suppress({ email, scope: 'all', reason: 'manual' }, context),
        repeat: () => service.post('/v1/suppressions', { email, scope: 'all', reason: 'manual' }),
      },
      {
        types: ['AddressReleased'],
        append: () => killed.audience.suppressions.release({ email, scope: 'all', reason: 'manual' }, context),
        repeat: () => service.post('/v1/suppressions/release', { email, scope: 'all', reason: 'manual' }),
      },
      {
        types: ['ApiKeyRevoked'],
        append: () => killed.keys.execute({ stream: keysStream, command: { type: 'Revoke', key_id }, context }),
        repeat: () => service.post(`/v1/keys/${key_id}/revoke`, {}),
      },
      {
        types: ['AddressSuppressed', 'ContactUnsubscribed'],
        append: () =>
          killed.refusals.refuse(
            {
              ...{ contactKey, scope: list, reason: 'unsubscribe', email, tokenHash: 'a'.repeat(64) },
              by: { kind: 'one_click', email_id: emailId },
            },
            context,
          ),
        repeat: () =>
          fetch(`${service.url()}/u/${token}`, {
            method: 'POST',
            body: new URLSearchParams('List-Unsubscribe=One-Click'),
          }),
      },
      {
        types: ['ErasureRequested'],
        append: () =>
          killed.erasures.execute({
            stream: erasuresStream,
            command: { type: 'Request', erasure_id: killed.newId('ers'), subject_key: contactKey },
            context,
          }),
        repeat: () => service.post('/v1/privacy/erasures', { email }),
      },
    ];
    for (const { types, append, repeat } of cases) {
      const before = new Set((await registered()).map(({ id }) => id));
      await append();
      const { status: code } = await repeat();
      const lines = { own: await idsIn(service.dataDir), copy: await idsIn(seals) };
      expect([200, 202]).toContain(code);
      const appended = (await registered()).filter(({ id }) => !before.has(id));
      expect(appended.map(({ type }) => type)).toEqual(types);
      for (const { id, type } of appended)
        expect({ type, own: lines.own.has(id), copy: lines.copy.has(id) }).toEqual({ type, own: true, copy: true });
    }
    await killed.end();
  }, 60_000);

  test('a process that is killed under load loses no line of an answered request, and the other process writes those of repeats', async () => {
    const [first, second] = [await deployment.start(env), await deployment.start(env)];
    const email = (number: number): string => `person${number}@example.com`;
    const suppress = async (service: Service, number: number): Promise<Answer> =>
      await service.post('/v1/suppressions', { email: email(number), scope: 'all', reason: 'manual' });
    const answered = new Set<number>();
    const asked = new Set<number>();
    const isNewestWithoutLine = async (): Promise<boolean> => {
      for await (const [newest] of deployment.log.readAll({ direction: 'backwards', limit: 1 }))
        return newest !== undefined && !readFileSync(path.join(seals, registerName), 'utf8').includes(newest.id);
      return false;
    };
    const writing = Array.from({ length: 48 }, async (_, at) => {
      for (let number = at; number < 48 * 100; number += 48) {
        asked.add(number);
        const answer = await suppress(first, number).catch(() => undefined);
        if (answer?.status !== 200) return;
        answered.add(number);
      }
    });
    await eventually(() => Promise.resolve(answered.size >= 100 || undefined), { what: 'answers' });
    while (!(await isNewestWithoutLine()) && answered.size < 4_000);
    await first.kill('SIGKILL');
    await Promise.all(writing);

    const keys = deriveStreamKeys(secret());
    const streamOf = (number: number): string => suppressionStream(keys.contactKey(email(number)));
    const streams = async (): Promise<ReadonlySet<string>> =>
      new Set((await linesIn(seals)).map(({ stream }) => stream));
    const kept = await streams();
    expect([...answered].filter((number) => !kept.has(streamOf(number)))).toEqual([]);
    const open = [...asked].filter((number) => !answered.has(number));
    expect(open.length).toBeGreaterThan(0);
    for (const number of open) {
      await ok(suppress(second, number));
      expect((await streams()).has(streamOf(number))).toBe(true);
    }
    expect(await status(second)).toMatchObject({ code: 0, register: { without_line: 0 } });
    // The killed process gets what it lacks at its start, and nothing is appended twice.
    await first.start();
    expect((await linesIn(first.dataDir)).length).toBe(asked.size);
    expect(await registered()).toHaveLength(asked.size);
  }, 120_000);

  test('SEAL_DIR that was away gets the lines of all processes from the one that finds it again', async () => {
    const [first, second] = [await deployment.start(env), await deployment.start(env)];
    const suppress = (service: Service, name: string) =>
      ok(service.post('/v1/suppressions', { email: `${name}@example.com`, scope: 'all', reason: 'manual' }));
    await suppress(first, 'before');
    renameSync(seals, `${seals}-away`);
    await suppress(first, 'first');
    await suppress(second, 'second');
    renameSync(`${seals}-away`, seals);
    await suppress(first, 'after');
    expect(await linesIn(seals)).toHaveLength(4);
  }, 60_000);

  test('a new process takes lines and cursor from SEAL_DIR, and without SEAL_DIR it reads the log while it answers', async () => {
    const first = await deployment.start(env);
    for (let number = 0; number < 20; number += 1)
      await ok(
        first.post('/v1/suppressions', { email: `person${number}@example.com`, scope: 'all', reason: 'manual' }),
      );
    // The cursor is moved by a start, and about once a minute.
    await first.kill('SIGTERM');
    await first.start();
    const second = await deployment.start(env);
    expect(await linesIn(second.dataDir)).toHaveLength(20);
    expect(readFileSync(path.join(second.dataDir, cursorName), 'utf8')).toBe(
      readFileSync(path.join(seals, cursorName), 'utf8'),
    );

    const alone = { SEAL_DIR: undefined };
    const third = await deployment.start({ ...env, ...alone });
    expect((await third.get('/v1/suppressions')).status).toBe(200);
    await eventually(async () => ((await status(third, alone)).register.without_line === 0 ? true : undefined));
    expect(await linesIn(third.dataDir)).toHaveLength(20);
  }, 60_000);
});
