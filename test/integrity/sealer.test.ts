/** When seals are made, which numbers they get, and what is known of the seals of a log. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFrontier } from '../../src/eventstore/tree.js';
import { parseSeal, publicKeyOf, sealText, type KnownSeal, type Seal } from '../../src/integrity/seal.js';
import { copySeals, findSeals, keepSeal } from '../../src/integrity/seal-store.js';
import { createSealer } from '../../src/integrity/sealer.js';
import { checkStart, type StartCheck } from '../../src/integrity/start-check.js';
import { newFolder } from '../support/integrity-log.js';
import { createMemoryLog, logId, restoredKey, sealKey, sealTime, type MemoryLog } from '../support/memory-log.js';
import { testKey } from '../support/test-keys.js';

const every = 3_600_000;

interface Line {
  readonly level: string;
  readonly facts: unknown;
  readonly message: string;
}

function newSealer({
  log = createMemoryLog(),
  dataDir = newFolder(),
  known,
  copies,
  now = sealTime,
  key = sealKey,
}: {
  log?: MemoryLog;
  dataDir?: string;
  known?: Pick<StartCheck, 'newest' | 'nextSeq' | 'listed'>;
  copies?: string;
  now?: number;
  key?: typeof sealKey;
} = {}) {
  const time = { wall: now, monotonic: 1_000 };
  const lines: Line[] = [];
  const note = (level: string) => (facts: unknown, message: string) => void lines.push({ level, facts, message });
  const logger = { info: note('info'), warn: note('warn'), error: note('error') } as never;
  const sealer = createSealer({
    ...{ places: { dataDir, copies }, every, key, logId, log, tree: log.source.tree, logger },
    known: known ?? { newest: undefined, nextSeq: 1, listed: [] },
    clock: () => time.wall,
    monotonic: () => time.monotonic,
  });
  const files = () => readdirSync(path.join(dataDir, 'seals')).sort();
  return { sealer, time, lines, log, dataDir, files };
}

/** Returns the result of the comparison at a start with the seals of the data folder. */
async function knownIn(dataDir: string, log: MemoryLog): Promise<StartCheck> {
  const found = await findSeals({ dataDir, copies: undefined });
  const keys = new Set([publicKeyOf(sealKey)]);
  return await checkStart({ log, tree: log.source.tree, logId, found, keys, restoredKey, pending: undefined });
}

describe('a periodic seal', () => {
  test.each([
    ['after a whole pause if there is no seal yet', undefined, every],
    ['after the rest of the pause if the newest seal is young', 600_000, every - 600_000],
    ['at once if the newest seal is old', 2 * every, 0],
    ['after a whole pause if the newest seal was dated by a clock that was ahead', -1_000 * every, every],
  ])('a periodic seal is due %s', (_, age, expected) => {
    const log = createMemoryLog();
    const newest = age === undefined ? undefined : log.seal();
    const { sealer, time } = newSealer({ log, known: { newest, nextSeq: 2, listed: [] }, now: sealTime + (age ?? 0) });
    time.monotonic += expected - 1;
    expect(sealer.isDue()).toBe(false);
    time.monotonic += 1;
    expect(sealer.isDue()).toBe(true);
  });

  test('a periodic seal is due a whole pause after the last seal, however the clock was set since', async () => {
    const { sealer, time, log } = newSealer();
    await sealer.seal(log.frontier());
    time.wall -= 1_000 * every;
    time.monotonic += every - 1;
    expect(sealer.isDue()).toBe(false);
    time.monotonic += 1;
    expect(sealer.isDue()).toBe(true);
  });
});

describe('sealing', () => {
  test('sealing writes and logs a seal of these events, and of no later event', async () => {
    const { sealer, log, lines, files, dataDir } = newSealer();
    log.fill(300);
    const frontier = log.frontier(280);
    log.fill(310);
    const seal = await sealer.seal(frontier);
    expect(seal).toMatchObject({ seq: 1, count: 280, root: log.rootAt(280), restores: 0, final: false, log_id: logId });
    expect(parseSeal(readFileSync(path.join(dataDir, 'seals', files()[0] ?? ''), 'utf8'))).toEqual(seal);
    expect(sealer.newest()).toEqual(seal);
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'the log was sealed',
        facts: expect.objectContaining({ count: 280, seq: 1 }) as unknown,
      },
    ]);
  });

  test('sealing counts the restores among the sealed events', async () => {
    const { sealer, log } = newSealer();
    log.fill(10);
    log.recordRestore({ count: 10, root: log.rootAt(10) });
    log.fill(20);
    expect(await sealer.seal(log.frontier(10))).toMatchObject({ count: 10, restores: 0 });
    expect(await sealer.seal(log.frontier(11))).toMatchObject({ count: 11, restores: 1, seq: 2 });
  });

  test('sealing makes no second seal of the same state, but one that differs in final', async () => {
    const { sealer, log, files } = newSealer();
    const first = await sealer.seal(log.frontier());
    expect(await sealer.seal(log.frontier())).toBe(first);
    const last = await sealer.seal(log.frontier(), { final: true });
    expect(last).toMatchObject({ seq: 2, count: 1, final: true });
    expect(await sealer.seal(log.frontier(), { final: true })).toBe(last);
    expect(await sealer.seal(log.frontier())).toMatchObject({ seq: 3, count: 1, final: false });
    expect(files()).toHaveLength(3);
  });

  test('sealing makes a seal of the same state if the key was changed', async () => {
    const log = createMemoryLog();
    const before = log.seal({}, testKey(8));
    const { sealer } = newSealer({ log, known: { newest: before, nextSeq: 2, listed: [] } });
    expect(await sealer.seal(log.frontier())).toMatchObject({ seq: 2, public_key: publicKeyOf(sealKey) });
  });

  test('sealing makes nothing of an empty log', async () => {
    const { sealer } = newSealer();
    expect(await sealer.seal(emptyFrontier)).toBeUndefined();
    expect(sealer.newest()).toBeUndefined();
  });

  test('sealing asked twice at once gives the second seal another number and the larger count', async () => {
    const { sealer, log, files } = newSealer();
    log.fill(50);
    const [later, same, earlier] = await Promise.all(
      [log.frontier(50), log.frontier(50), log.frontier(20)].map((frontier) => sealer.seal(frontier)),
    );
    expect(later).toMatchObject({ seq: 1, count: 50 });
    expect([same, earlier]).toEqual([later, later]);
    expect(sealer.newest()).toBe(later);
    expect(files()).toHaveLength(1);
  });

  test('sealing goes on with the next number after a restart', async () => {
    const { sealer, log, dataDir } = newSealer();
    for (const count of [5, 10]) {
      log.fill(count);
      await sealer.seal(log.frontier());
    }
    const known = await knownIn(dataDir, log);
    const next = newSealer({ log, dataDir, known });
    expect(next.sealer.newest()).toMatchObject({ seq: 2, count: 10 });
    log.fill(11);
    expect(await next.sealer.seal(log.frontier())).toMatchObject({ seq: 3, count: 11 });
  });

  test('sealing fails if the seal cannot be written, and uses its number for the next one', async () => {
    const { sealer, log, dataDir } = newSealer();
    writeFileSync(path.join(dataDir, 'seals'), 'a file in place of the folder');
    await expect(sealer.seal(log.frontier())).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(sealer.newest()).toBeUndefined();
    rmSync(path.join(dataDir, 'seals'));
    expect(await sealer.seal(log.frontier())).toMatchObject({ seq: 1 });
  });
});

describe('copies in SEAL_DIR', () => {
  test('copies in SEAL_DIR are made at the start of what is missing, and after each seal', async () => {
    const log = createMemoryLog();
    const [dataDir, copies] = [newFolder(), newFolder()];
    keepSeal(dataDir, log.seal());
    const known = await knownIn(dataDir, log);
    log.fill(5);
    const { sealer, files } = newSealer({ log, dataDir, copies, known });
    await sealer.close();
    expect(readdirSync(copies)).toHaveLength(1);
    await sealer.seal(log.frontier());
    await sealer.close();
    expect(readdirSync(copies).sort()).toEqual(files());
  });

  test('copies in SEAL_DIR that fail are reported once until one succeeds, and are made later', async () => {
    const copies = path.join(newFolder(), 'copies');
    const { sealer, log, lines, files } = newSealer({ copies });
    const warnings = () => lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    const sealed = async (count: number): Promise<void> => {
      log.fill(count);
      await sealer.seal(log.frontier());
      await sealer.close();
    };
    await sealed(2);
    await sealed(3);
    expect(warnings()).toEqual(['seals cannot be copied to SEAL_DIR; the next seal tries again']);
    mkdirSync(copies);
    await sealed(4);
    expect(readdirSync(copies).sort()).toEqual(files());
    rmSync(copies, { recursive: true });
    await sealed(5);
    expect(warnings()).toHaveLength(2);
  });

  test('copies in SEAL_DIR delay no seal', async () => {
    const copies = newFolder();
    const { sealer, log, dataDir } = newSealer({ copies });
    const seal = await sealer.seal(log.frontier());
    expect(sealer.newest()).toBe(seal);
    await sealer.close();
    await copySeals({ dataDir }, copies);
    expect(readdirSync(copies)).toHaveLength(1);
  });
});

describe('the list of seals', () => {
  async function withSeals(seals: readonly Seal[], log: MemoryLog) {
    const dataDir = newFolder();
    for (const seal of seals) keepSeal(dataDir, seal);
    return newSealer({ log, dataDir, known: await knownIn(dataDir, log) });
  }
  const statesOf = (sealer: ReturnType<typeof newSealer>['sealer']) =>
    sealer.listed().map(({ seal, state }) => [seal?.seq, state]);

  test('the list of seals begins with the newest seal, and learns what a verification says', async () => {
    const log = createMemoryLog();
    log.fill(30);
    const { sealer } = await withSeals([log.seal({ seq: 1, count: 10 }), log.seal({ seq: 2, count: 20 })], log);
    expect(statesOf(sealer)).toEqual([
      [2, 'holds'],
      [1, 'not_checked'],
    ]);
    await sealer.seal(log.frontier());
    const counted = await sealer.counted();
    expect(counted.map(({ seq }) => seq)).toEqual([3, 2, 1]);
    sealer.note(
      counted.map((seal) =>
        seal.seq === 1 ? { seal, state: 'fails', reason: 'why' } : { seal, state: 'holds', reason: null },
      ),
    );
    expect(statesOf(sealer)).toEqual([
      [3, 'holds'],
      [2, 'holds'],
      [1, 'fails'],
    ]);
  });

  test('the list of seals does not count an older seal with the public key of the service and a wrong signature', async () => {
    const log = createMemoryLog();
    log.fill(30);
    const forged: Seal = { ...log.seal({ seq: 1, count: 10 }), root: 'f'.repeat(64) };
    const { sealer, lines } = await withSeals([forged, log.seal({ seq: 2, count: 20 })], log);
    expect((await sealer.counted()).map(({ seq }) => seq)).toEqual([2]);
    expect(statesOf(sealer)).toEqual([
      [2, 'holds'],
      [1, 'ignored'],
    ]);
    await sealer.counted();
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { facts: { seals: 1 }, message: 'seals are ignored' },
    ]);
  });

  test('the list of seals learns of newer seals by other processes, and numbers its own after them', async () => {
    const log = createMemoryLog();
    log.fill(30);
    const { sealer, dataDir } = newSealer({ log });
    await sealer.seal(log.frontier(10));
    writeFileSync(path.join(dataDir, 'seals', 'other.json'), sealText(log.seal({ seq: 7, count: 20 })));
    sealer.learn(await knownIn(dataDir, log));
    expect(sealer.newest()).toMatchObject({ seq: 7, count: 20 });
    expect(await sealer.seal(log.frontier(15)), 'older than the newest seal').toMatchObject({ seq: 7 });
    expect(await sealer.seal(log.frontier(30))).toMatchObject({ seq: 8, count: 30 });
  });

  test('the list of seals forgets nothing that a verification said when it learns of seals by other processes', async () => {
    const log = createMemoryLog();
    log.fill(30);
    const { sealer, dataDir } = await withSeals(
      [log.seal({ seq: 1, count: 10 }), log.seal({ seq: 2, count: 20 })],
      log,
    );
    await sealer.seal(log.frontier());
    sealer.note((await sealer.counted()).map((seal) => ({ seal, state: 'holds', reason: null })));
    keepSeal(dataDir, log.seal({ seq: 4, count: 25 }));
    sealer.learn(await knownIn(dataDir, log));
    expect(statesOf(sealer)).toEqual([
      [3, 'holds'],
      [4, 'not_checked'],
      [2, 'holds'],
      [1, 'holds'],
    ]);
  });

  test('the list of seals keeps its own newest seal if another process knows only older ones', async () => {
    const log = createMemoryLog();
    log.fill(30);
    const { sealer } = newSealer({ log });
    const own = await sealer.seal(log.frontier(30));
    const older: KnownSeal = log.seal({ seq: 1, count: 20 });
    sealer.learn({ newest: older, nextSeq: 2, listed: [] });
    expect(sealer.newest()).toBe(own);
  });
});
