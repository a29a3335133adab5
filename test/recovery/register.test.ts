/** The register of a process: which events get lines and when, its two places, and damaged or foreign lines. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { chooseLists } from '../../src/api/pages/choices.js';
import { openCommands } from '../../src/app/commands.js';
import {
  contactStream,
  deriveRegisterKey,
  deriveStreamKeys,
  erasuresStream,
  listsStream,
  suppressionStream,
} from '../../src/events/streams.js';
import { demandLogId } from '../../src/eventstore/log-id.js';
import { openRegister, RegisterError } from '../../src/recovery/register.js';
import { cursorName, readRegister, registerName, writeCursor } from '../../src/recovery/register-file.js';
import { lineOf, textOf, type RegisterLine } from '../../src/recovery/register-line.js';
import { isRegistered } from '../../src/recovery/registered-events.js';
import { allEvents, openLog } from '../support/event-log.js';
import { exampleEvents as e, examples, toAppend } from '../support/examples.js';

const secret = 'a secret of the tests, long enough for a key';
const streamKeys = deriveStreamKeys(secret);
const key = deriveRegisterKey(secret);
const context = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'test' };
const never = new AbortController().signal;
/** Appends an event without its line, as a process that is killed between the two does. */
const keepsNothing = {
  demandWritable: () => Promise.resolve(),
  keep: () => undefined,
  keepStream: () => Promise.resolve(),
};

function newPlaces() {
  const folder = mkdtempSync(path.join(tmpdir(), 'register-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [dataDir, copies] = [path.join(folder, 'data'), path.join(folder, 'copies')];
  for (const place of [dataDir, copies]) mkdirSync(place);
  return { dataDir, copies, own: path.join(dataDir, registerName), copy: path.join(copies, registerName) };
}

/** A log with its commands, and a register beside it. */
async function openScene() {
  const { store } = await openLog();
  const commands = await openCommands({
    ...{ store, keys: streamKeys, onUnreadable: () => undefined, clock: Date.now, newUuid: randomUUID },
  });
  const owner = { logId: await demandLogId(store), key };
  const places = newPlaces();
  const told: string[] = [];
  const say = (_: object, message: string): void => void told.push(message);
  const open = async ({ copies }: { readonly copies: string | undefined } = places) => {
    const config = { dataDir: places.dataDir, seals: { copies } };
    const monotonic = (): number => performance.now();
    const register = await openRegister({ config, owner, log: store, logger: { info: say, warn: say }, monotonic });
    commands.keepIn(register);
    return register;
  };
  const linesIn = (file: string): readonly RegisterLine[] => readRegister(file, owner).lines;
  const suppress = async (name: string): Promise<void> => {
    const stream = suppressionStream(streamKeys.contactKey(`${name}@example.org`));
    const person = { email: `${name}@example.org` };
    const command = { type: 'Suppress', entries: [{ scope: 'all', reason: 'manual' }], person } as const;
    await commands.suppressions.execute({ stream, command, context });
  };
  const erase = async (id: string): Promise<void> => {
    const command = { type: 'Request', erasure_id: id, subject_key: id } as const;
    await commands.erasures.execute({ stream: erasuresStream, command, context });
  };
  return { ...{ store, commands, owner, places, told, open, linesIn, suppress, erase } };
}

test('an event that a restore must not undo has its line in both places before the answer, with digests for the person', async () => {
  const { open, suppress, places, linesIn, store, owner } = await openScene();
  await open();
  await suppress('ada');
  const stored = (await allEvents(store)).find(({ type }) => type === 'AddressSuppressed');
  if (stored === undefined) throw new Error('no event');
  expect(linesIn(places.own)).toEqual([lineOf(stored, owner)]);
  expect(linesIn(places.copy)).toEqual(linesIn(places.own));
  expect(linesIn(places.own)).toMatchObject([{ event_id: stored.id, revision: 0, metadata: { actor: 'test' } }]);
  expect(readFileSync(places.own, 'utf8')).not.toContain('ada@');
});

test('many requests at once share writes, and each has one line', async () => {
  const { open, suppress, places, linesIn } = await openScene();
  await open();
  await Promise.all(Array.from({ length: 50 }, (_, index) => suppress(`person${index}`)));
  expect(linesIn(places.own)).toHaveLength(50);
  expect(readFileSync(places.own, 'utf8').split('\n')).toHaveLength(51);
});

test('a request is refused and not recorded while the register cannot be written', async () => {
  const { open, erase, places, linesIn, store } = await openScene();
  await open();
  await erase('ers_1');
  renameSync(places.dataDir, `${places.dataDir}-away`);
  const before = await store.head();
  await expect(erase('ers_2')).rejects.toMatchObject({ code: 'unavailable' });
  expect(await store.head()).toBe(before);
  renameSync(`${places.dataDir}-away`, places.dataDir);
  await erase('ers_2');
  expect(linesIn(places.own).map(({ data }) => data['erasure_id'])).toEqual(['ers_1', 'ers_2']);
});

test('a repeat waits for the line of an event whose process was killed before it wrote one', async () => {
  const { commands, open, erase, places, linesIn } = await openScene();
  const register = await open();
  commands.keepIn(keepsNothing);
  await erase('ers_1');
  expect(linesIn(places.own)).toEqual([]);
  commands.keepIn(register);
  await erase('ers_1');
  expect(linesIn(places.own)).toHaveLength(1);
});

test('a repeated refusal of a mail server waits for the line of the suppression that the first one led to', async () => {
  const { commands, open, places, linesIn } = await openScene();
  const register = await open();
  const stream = suppressionStream(streamKeys.contactKey('ada@example.org'));
  const command = { type: 'CountBounce', email_id: 'eml_1', kind: 'unclear', unclearDays: 1 } as const;
  commands.keepIn(keepsNothing);
  await commands.suppressions.execute({ stream, command, context });
  commands.keepIn(register);
  await commands.suppressions.execute({ stream, command, context });
  expect(linesIn(places.own)).toMatchObject([{ data: { reason: 'repeated_bounces' } }]);
});

test('choices that a person saves again wait for the lines of the first time', async () => {
  const { commands, open, places, linesIn, store } = await openScene();
  const register = await open();
  const contactKey = streamKeys.contactKey('ada@example.org');
  const { list_id } = examples.list;
  await store.append(listsStream, [toAppend(e.listCreated)], { expectedRevision: 'no_stream' });
  const life = [toAppend(e.contactCreated), toAppend(e.subscribed)];
  await store.append(contactStream(contactKey), life, { expectedRevision: 'no_stream' });
  const save = async (wanted: readonly string[]): Promise<void> => {
    const recipient = await commands.refusals.recipient(contactKey);
    if (recipient === undefined) throw new Error('no contact');
    await chooseLists(commands.refusals, {
      click: { contactKey, emailId: 'eml_1', tokenHash: 'a'.repeat(64), ip: undefined },
      ...{ context, recipient, shown: new Set([list_id]), wanted: new Set(wanted) },
      ...{ statement: 'Lists', now: new Date().toISOString() },
    });
  };
  for (const wanted of [[], [list_id]]) {
    commands.keepIn(keepsNothing);
    await save(wanted);
    commands.keepIn(register);
    await save(wanted);
  }
  expect(linesIn(places.own).map(({ type }) => type)).toEqual([
    'AddressSuppressed',
    'ContactUnsubscribed',
    'AddressReleased',
  ]);
});

test('a start writes the lines that the log has after the cursor and the register lacks', async () => {
  const { commands, open, erase, places, linesIn } = await openScene();
  const first = await open();
  await erase('ers_1');
  await first.subscriber.handle('turn', never, never);
  expect(first.status().isComplete).toBe(true);
  commands.keepIn(keepsNothing);
  await erase('ers_2');
  const second = await open();
  expect(second.status().isComplete).toBe(true);
  expect(linesIn(places.own)).toHaveLength(2);
  expect(linesIn(places.copy)).toHaveLength(2);
});

test('without a cursor the whole log is read by the subscriber, and not by the start', async () => {
  const { commands, open, erase, places, linesIn } = await openScene();
  commands.keepIn(keepsNothing);
  await erase('ers_1');
  const register = await open();
  expect(linesIn(places.own)).toEqual([]);
  expect(register.status().isComplete).toBe(false);
  await register.keepStream(erasuresStream);
  expect(linesIn(places.own)).toHaveLength(1);
  await register.subscriber.handle('turn', never, never);
  expect(register.status().isComplete).toBe(true);
  expect(existsSync(path.join(places.dataDir, cursorName))).toBe(true);
});

test('a cursor whose event is not at its position is void', async () => {
  const { commands, open, erase, places, linesIn, store } = await openScene();
  const first = await open();
  await erase('ers_1');
  await first.subscriber.handle('turn', never, never);
  commands.keepIn(keepsNothing);
  await erase('ers_2');
  const position = await store.head();
  writeFileSync(path.join(places.dataDir, cursorName), JSON.stringify({ event_id: randomUUID(), position }));
  const register = await open();
  expect(register.status().isComplete).toBe(false);
  await register.subscriber.handle('turn', never, never);
  expect(linesIn(places.own)).toHaveLength(2);
});

test('a register that was emptied counts as none, and is written again from the log', async () => {
  const { open, erase, places, linesIn } = await openScene();
  const first = await open({ copies: undefined });
  await erase('ers_1');
  await first.subscriber.handle('turn', never, never);
  writeFileSync(places.own, '');
  const second = await open({ copies: undefined });
  expect(second.status().isComplete).toBe(false);
  await second.subscriber.handle('turn', never, never);
  expect(linesIn(places.own)).toHaveLength(1);
});

test('a process without a register takes lines and cursor from SEAL_DIR', async () => {
  const { open, erase, places, linesIn } = await openScene();
  const first = await open();
  await erase('ers_1');
  await first.subscriber.handle('turn', never, never);
  rmSync(places.own);
  rmSync(path.join(places.dataDir, cursorName));
  const second = await open();
  expect(linesIn(places.own)).toHaveLength(1);
  expect(second.status().isComplete).toBe(true);
});

test('SEAL_DIR gets what it missed while it was away', async () => {
  const { open, erase, places, linesIn, told } = await openScene();
  const register = await open();
  renameSync(places.copies, `${places.copies}-away`);
  await erase('ers_1');
  await erase('ers_2');
  expect(told).toEqual(['the register cannot be copied to SEAL_DIR']);
  expect(register.status().away).toEqual([places.copy]);
  renameSync(`${places.copies}-away`, places.copies);
  await erase('ers_3');
  expect(linesIn(places.copy)).toHaveLength(3);
  expect(register.status().away).toEqual([]);
});

test('SEAL_DIR gets every line again if its register was replaced while the service runs', async () => {
  const { open, erase, places, linesIn } = await openScene();
  const register = await open();
  await erase('ers_1');
  await register.subscriber.handle('turn', never, never);
  // The file system of SEAL_DIR is unmounted for a while, and lines are written to the folder below.
  const mounted = `${places.copies}-mounted`;
  renameSync(places.copies, mounted);
  mkdirSync(places.copies);
  await erase('ers_2');
  expect(linesIn(places.copy)).toHaveLength(2);
  rmSync(places.copies, { recursive: true });
  renameSync(mounted, places.copies);
  await register.subscriber.handle('turn', never, never);
  expect(linesIn(places.copy)).toHaveLength(2);
  rmSync(places.copy);
  await erase('ers_3');
  expect(linesIn(places.copy)).toHaveLength(3);
});

test('SEAL_DIR gets what it missed as soon as it is back, and not only with the next event', async () => {
  const { open, erase, places, linesIn } = await openScene();
  const register = await open();
  await register.subscriber.handle('turn', never, never);
  renameSync(places.copies, `${places.copies}-away`);
  await erase('ers_1');
  await register.subscriber.handle('turn', never, never);
  renameSync(`${places.copies}-away`, places.copies);
  await register.subscriber.handle('turn', never, never);
  expect(linesIn(places.copy)).toHaveLength(1);
  expect(register.status().away).toEqual([]);
});

test('a process that takes lines and cursor from SEAL_DIR while another process writes there has every line before the cursor', async () => {
  const { commands, open, erase, places, linesIn, owner, store } = await openScene();
  await open();
  await erase('ers_0');
  commands.keepIn(keepsNothing);
  for (let number = 1; number < 200; number += 1) await erase(`ers_${number}`);
  const events = (await allEvents(store)).filter(isRegistered);
  rmSync(places.own);
  const opening = open();
  let isOpen = false;
  const opened = opening.then(() => (isOpen = true));
  for (const event of events) {
    if (isOpen) break;
    appendFileSync(places.copy, textOf(lineOf(event, owner)));
    writeCursor(places.copy, { event_id: event.id, position: event.position }, linesIn(places.copy).length);
    await setImmediate();
  }
  await opened;
  expect(linesIn(places.own)).toHaveLength(events.length);
});

test('a register that was removed while the service runs is written again', async () => {
  const { open, erase, places, linesIn } = await openScene();
  const register = await open();
  await register.subscriber.handle('turn', never, never);
  await erase('ers_1');
  rmSync(places.own);
  await erase('ers_2');
  await register.subscriber.handle('turn', never, never);
  expect(linesIn(places.own)).toHaveLength(2);
});

test('a copy that was removed while the service runs gets all lines with the next one, and not only the newer ones', async () => {
  const { open, erase, places, linesIn } = await openScene();
  const register = await open();
  await erase('ers_1');
  await erase('ers_2');
  rmSync(places.copy);
  await erase('ers_3');
  expect(linesIn(places.copy)).toHaveLength(3);
  rmSync(places.copy);
  await register.subscriber.handle('turn', never, never);
  expect(linesIn(places.copy)).toHaveLength(3);
});

test.each([
  { what: 'was emptied', damage: () => '' },
  { what: 'lost its last lines', damage: (text: string) => text.slice(0, text.indexOf('\n') + 1) },
  { what: 'has a damaged line', damage: (text: string) => text.replace('ers_2', 'ers_x') },
])('a register in one place that $what is completed from the log', async ({ damage }) => {
  const { open, erase, places, linesIn } = await openScene();
  const only = { ...places, copies: undefined };
  const first = await open(only);
  for (const id of ['ers_1', 'ers_2', 'ers_3']) await erase(id);
  await first.subscriber.handle('turn', never, never);
  writeFileSync(places.own, damage(readFileSync(places.own, 'utf8')));
  const second = await open(only);
  expect(second.status().isComplete).toBe(false);
  await second.subscriber.handle('turn', never, never);
  expect(linesIn(places.own)).toHaveLength(3);
  expect((await open(only)).status().isComplete).toBe(true);
});

test.each([
  { what: 'a link to another file', replace: (file: string, victim: string) => symlinkSync(victim, file) },
  { what: 'a folder', replace: (file: string) => mkdirSync(file) },
  { what: 'a pipe', replace: (file: string) => void execFileSync('mkfifo', [file]) },
])('a copy that was replaced by $what is away, and nothing is written there', async ({ replace }) => {
  const { open, erase, places, linesIn } = await openScene();
  const victim = path.join(places.dataDir, 'victim');
  writeFileSync(victim, 'of somebody else');
  const register = await open();
  await erase('ers_1');
  rmSync(places.copy);
  replace(places.copy, victim);
  await erase('ers_2');
  expect(register.status().away).toEqual([places.copy]);
  const second = await open();
  await erase('ers_3');
  expect(second.status().away).toEqual([places.copy]);
  expect(readFileSync(victim, 'utf8')).toBe('of somebody else');
  expect(linesIn(places.own)).toHaveLength(3);
});

test('two processes write to one SEAL_DIR, and each line is there once for every reader', async () => {
  const { open, owner, store, places, erase, linesIn, commands } = await openScene();
  await open();
  const other = path.join(path.dirname(places.dataDir), 'other');
  mkdirSync(other);
  const config = { dataDir: other, seals: { copies: places.copies } };
  const logger = { info: () => undefined, warn: () => undefined };
  const second = await openRegister({ config, owner, log: store, logger, monotonic: () => performance.now() });
  await erase('ers_1');
  commands.keepIn(second);
  await erase('ers_2');
  expect(linesIn(places.copy).map(({ data }) => data['erasure_id'])).toEqual(['ers_1', 'ers_2']);
  expect(second.lines()).toHaveLength(2);
});

test('a line with a wrong MAC is skipped and reported with its number, as is a damaged one', async () => {
  const { open, erase, places, linesIn } = await openScene();
  await open();
  await erase('ers_1');
  const [line] = linesIn(places.own);
  if (line === undefined) throw new Error('no line');
  const forged = { ...line, event_id: randomUUID(), data: { ...line.data, subject_key: 'somebody else' } };
  appendFileSync(places.own, `${textOf(forged)}{"log_id"\n`);
  const register = await open();
  expect(register.lines()).toHaveLength(1);
  expect(register.status().invalid).toMatchObject([{ file: places.own, invalid: [2, 3] }]);
});

test('without the secret no line takes the place of another one, because either may be forged', async () => {
  const { open, erase, places, linesIn, owner } = await openScene();
  await open();
  await erase('ers_1');
  const [line] = linesIn(places.own);
  if (line === undefined) throw new Error('no line');
  appendFileSync(places.own, textOf({ ...line, data: { erasure_id: 'ers_9' } }).repeat(2));
  const { lines, isChecked } = readRegister(places.own, { logId: owner.logId, key: undefined });
  expect(lines).toHaveLength(2);
  expect(isChecked).toBe(false);
  expect(linesIn(places.own)).toEqual([line]);
});

test('a line that is damaged in both places is written again from the log, although the cursor is behind its event', async () => {
  const { open, erase, places, linesIn } = await openScene();
  const first = await open();
  for (const id of ['ers_1', 'ers_2']) await erase(id);
  await first.subscriber.handle('turn', never, never);
  for (const file of [places.own, places.copy])
    writeFileSync(file, readFileSync(file, 'utf8').replace('"ErasureRequested"', '"ErasureRequesteX"'));
  expect(linesIn(places.own)).toHaveLength(1);
  const register = await open();
  await register.subscriber.handle('turn', never, never);
  expect(register.status().isComplete).toBe(true);
  for (const file of [places.own, places.copy])
    expect(linesIn(file).map(({ data }) => data['erasure_id'])).toEqual(['ers_2', 'ers_1']);
});

test('a last line without its line feed counts, and the next line does not join it', async () => {
  const { open, erase, places, linesIn } = await openScene();
  await open();
  await erase('ers_1');
  writeFileSync(places.own, readFileSync(places.own, 'utf8').trimEnd());
  expect(linesIn(places.own)).toHaveLength(1);
  await open();
  await erase('ers_2');
  expect(linesIn(places.own).map(({ data }) => data['erasure_id'])).toEqual(['ers_1', 'ers_2']);
});

test('a torn last line is left where it is and reported, and the start goes on', async () => {
  const { open, erase, places, linesIn } = await openScene();
  await open();
  await erase('ers_1');
  appendFileSync(places.own, readFileSync(places.own, 'utf8').slice(0, 100));
  const register = await open();
  await erase('ers_2');
  expect(linesIn(places.own)).toHaveLength(2);
  expect(register.status().invalid).toMatchObject([{ invalid: [2] }]);
});

test('a start is refused only if lines of this log exist and no place has a valid one', async () => {
  const { open, erase, places } = await openScene();
  await open();
  await erase('ers_1');
  const broken = readFileSync(places.own, 'utf8').replace('"ers_1"', '"ers_9"');
  writeFileSync(places.own, broken);
  expect((await open()).lines()).toHaveLength(1);
  writeFileSync(places.own, broken);
  writeFileSync(places.copy, broken);
  await expect(open()).rejects.toThrow(RegisterError);
  // Lines of other logs do not count.
  for (const file of [places.own, places.copy]) writeFileSync(file, '{"log_id":"another"}\n');
  expect((await open()).lines()).toEqual([]);
});

test('a register of an earlier development version is set aside', async () => {
  const { open, places, told } = await openScene();
  writeFileSync(
    places.own,
    '{"log_id":"x","erasure_id":"ers_1","subject_key":"k","reason":null,"requested_at":"2026-01-01T00:00:00.000Z"}\n',
  );
  await open();
  expect(existsSync(path.join(places.dataDir, 'register-1.ndjson'))).toBe(true);
  expect(told).toEqual([expect.stringContaining('set aside')]);
});
