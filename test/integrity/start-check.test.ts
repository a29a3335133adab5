/** The comparison of a log with its newest seal at the start of the service. */
import { describe, expect, test, vi } from 'vitest';
import { AlteredLogError } from '../../src/eventstore/log-source.js';
import { compareSeals, isSigned, publicKeyOf, wrongSignature, type Seal } from '../../src/integrity/seal.js';
import { restoresToRecord } from '../../src/integrity/restores.js';
import type { FoundSeal } from '../../src/integrity/seal-store.js';
import { checkStart } from '../../src/integrity/start-check.js';
import { deriveRestoredKey } from '../../src/events/streams.js';
import { createMemoryLog, logId, restoredKey, sealKey, type MemoryLog } from '../support/memory-log.js';
import { testKey } from '../support/test-keys.js';

/** Returns these seals as `findSeals` does, and counts the checks of their signatures. */
function foundOf(seals: readonly Seal[], checked = vi.fn<(seal: Seal) => void>()): readonly FoundSeal[] {
  return [...seals].sort(compareSeals).map((seal): FoundSeal => {
    let isRight: boolean | undefined;
    const isChecked = (): boolean => {
      checked(seal);
      return isSigned(seal);
    };
    const fault = () => ((isRight ??= isChecked()) ? undefined : wrongSignature);
    return { files: [`/seals/seal-${seal.seq}.json`], seal, fault };
  });
}

interface Start {
  readonly pending?: { readonly count: number; readonly root: string };
  readonly checked?: (seal: Seal) => void;
  readonly more?: readonly FoundSeal[];
  readonly keys?: ReadonlySet<string>;
  readonly key?: typeof restoredKey;
}

const started = (
  log: MemoryLog,
  seals: readonly Seal[],
  { pending, checked, more = [], keys, key = restoredKey }: Start = {},
) =>
  checkStart({
    ...{ log, tree: log.source.tree, logId, restoredKey: key, pending },
    found: [...foundOf(seals, checked as ReturnType<typeof vi.fn<(seal: Seal) => void>>), ...more],
    keys: keys ?? new Set([publicKeyOf(sealKey)]),
  });

function filled(count: number): MemoryLog {
  const log = createMemoryLog();
  log.fill(count);
  return log;
}
const wrongRoot = 'f'.repeat(64);

describe('a start without seals', () => {
  test('a start without seals has nothing to compare, and is not known to follow an orderly stop', async () => {
    expect(await started(filled(10), [])).toEqual({
      ...{ newest: undefined, isClean: false, superseded: undefined, nextSeq: 1, listed: [] },
    });
  });
});

describe('the newest seal', () => {
  test.each([10, 255, 256, 257, 600])('the newest seal holds for a log of %i events and more', async (count) => {
    const log = filled(count);
    const seal = log.seal();
    expect(await started(log, [seal])).toMatchObject({
      newest: seal,
      isClean: false,
      nextSeq: 2,
      listed: [{ state: 'holds' }],
    });
    log.fill(count + 300);
    expect((await started(log, [seal])).newest).toBe(seal);
  });

  test('the newest seal is the one with the most restores, events and number, whatever its time', async () => {
    const log = filled(400);
    const seals = [log.seal({ seq: 9, count: 10 }), log.seal({ seq: 3, count: 300 }), log.seal({ seq: 4, count: 300 })];
    const { newest, nextSeq } = await started(log, seals);
    expect(newest).toBe(seals[2]);
    expect(nextSeq).toBe(10);
  });

  test.each<[string, (log: MemoryLog) => void]>([
    [
      'an event before it was altered and the block roots were computed again',
      (log) => {
        (log.events[99] ?? log.events[0])!.type = 'Forged';
        log.recomputeRoots();
      },
    ],
    ['a block root before it was altered', (log) => (log.roots[0] = log.roots[1] ?? '')],
    ['a block root before it is missing', (log) => (log.roots.length = 1)],
    ['an event of its own block was altered', (log) => (log.events[550]!.type = 'Forged')],
    ['an event of its own block is missing', (log) => log.events.splice(550, 1)],
  ])('the newest seal refuses the start if %s', async (_, alter) => {
    const log = filled(700);
    const seal = log.seal({ count: 600 });
    alter(log);
    await expect(started(log, [seal])).rejects.toThrow(AlteredLogError);
    await expect(started(log, [seal])).rejects.toThrow(/the first 600 events are not those that were sealed at 2026-/);
  });

  test('the newest seal refuses a log that ends before it', async () => {
    const log = filled(300);
    const seal = log.seal();
    log.events.length = 290;
    await expect(started(log, [seal])).rejects.toThrow(
      'the log ends after event 290, but the seal of 2026-05-06T07:08:09.010Z covers 300',
    );
  });

  test('the newest seal refuses a log with another number of restores, though the root is right', async () => {
    const log = filled(30);
    await expect(started(log, [log.seal({ restores: 1 })])).rejects.toThrow(AlteredLogError);
  });

  test('the newest seal refuses a log of another name, because the log was exchanged', async () => {
    const log = filled(30);
    const seal = log.seal({ log_id: 'another-log' });
    await expect(started(log, [seal])).rejects.toThrow(/is of the log another-log, but this log is/);
  });

  test('the newest seal is compared with the events of one block, and older seals are not compared', async () => {
    const log = filled(2_000);
    const leavesOf = vi.spyOn(log.source.tree, 'leavesOf');
    const older = log.seal({ seq: 1, count: 1_000, root: wrongRoot });
    const newest = log.seal({ seq: 2, count: 1_900 });
    const check = await started(log, [older, newest]);
    expect(leavesOf.mock.calls).toEqual([[7]]);
    expect(check.listed.map(({ seal, state }) => [seal?.seq, state])).toEqual([
      [2, 'holds'],
      [1, 'not_checked'],
    ]);
  });
});

describe('a final seal', () => {
  test('a final seal over the whole log says that the service was stopped in order', async () => {
    const log = filled(30);
    const seal = log.seal({ final: true });
    expect(await started(log, [seal])).toMatchObject({ newest: seal, isClean: true });
  });

  test('a final seal refuses a log with more events, because another program has appended them', async () => {
    const log = filled(30);
    const seal = log.seal({ final: true });
    log.fill(31);
    await expect(started(log, [seal])).rejects.toThrow(
      'the service was stopped after event 30, and the log has 31 events: another program appended to it while it was stopped',
    );
  });

  test('a final seal refuses nothing any more once a later seal of the same events is not final', async () => {
    const log = filled(30);
    const seals = [log.seal({ final: true }), log.seal({ seq: 2 })];
    log.fill(40);
    expect(await started(log, seals)).toMatchObject({ newest: seals[1], isClean: false });
  });
});

describe('seals that do not count', () => {
  test('seals that do not count are listed with their reason, and the newest that counts is compared', async () => {
    const log = filled(30);
    const stranger = log.seal({ seq: 9, root: wrongRoot }, testKey(9));
    const altered: Seal = { ...log.seal({ seq: 8 }), root: wrongRoot };
    const good = log.seal({ seq: 3, count: 20 });
    const noSeal: FoundSeal = { files: ['/seals/notes.json'], seal: null, fault: () => 'it is not a JSON object' };
    const check = await started(log, [stranger, altered, good], { more: [noSeal] });
    expect(check).toMatchObject({ newest: good, superseded: good, nextSeq: 4 });
    expect(check.listed.map(({ files: [file], state, reason }) => [file, state, reason])).toEqual([
      [
        '/seals/seal-9.json',
        'ignored',
        expect.stringContaining('neither the key of this service nor in SEAL_KEYS_BEFORE'),
      ],
      ['/seals/seal-8.json', 'ignored', 'its signature does not match: the seal was altered'],
      ['/seals/seal-3.json', 'holds', null],
      ['/seals/notes.json', 'ignored', 'it is not a JSON object'],
    ]);
  });

  test('seals by an earlier key count if that key is named', async () => {
    const log = filled(30);
    const before = log.seal({ seq: 9 }, testKey(9));
    const keys = new Set([sealKey, testKey(9)].map(publicKeyOf));
    expect(await started(log, [before], { keys })).toMatchObject({
      newest: before,
      nextSeq: 10,
      listed: [{ state: 'holds' }],
    });
  });

  test('seals that do not count leave a log without a seal if there is no other', async () => {
    const log = filled(30);
    const stranger = log.seal({ log_id: 'another-log' }, testKey(9));
    expect(await started(log, [stranger])).toMatchObject({ newest: undefined, nextSeq: 1, isClean: false });
  });
});

describe('thousands of seals', () => {
  test('thousands of seals cost the check of a few signatures', async () => {
    const log = filled(30);
    const signed = log.seal({ seq: 3_000 });
    const others = Array.from({ length: 2_999 }, (_, at): Seal => ({ ...signed, seq: at + 1, count: 1 + (at % 29) }));
    const checked = vi.fn<(seal: Seal) => void>();
    const check = await started(log, [...others, signed], { checked });
    expect(check).toMatchObject({ newest: signed, nextSeq: 3_001 });
    expect(checked.mock.calls.map(([seal]) => seal.seq)).toEqual([3_000]);
    expect(check.listed).toHaveLength(3_000);
  });

  test('thousands of seals have the next number after the highest that is signed', async () => {
    const log = filled(30);
    const good = [log.seal({ seq: 5, count: 7 }), log.seal({ seq: 4 })];
    const forged: Seal = { ...log.seal({ seq: 6, count: 3 }), seq: 4_000_000 };
    expect(await started(log, [...good, forged])).toMatchObject({ newest: good[1], nextSeq: 6 });
  });
});

describe('a log that was restored', () => {
  /** 100 events with seals, cut back to a backup of 60. */
  function cutBack() {
    const log = filled(100);
    const seals = [log.seal({ seq: 1, count: 50 }), log.seal({ seq: 2, count: 70 }), log.seal({ seq: 3, final: true })];
    log.events.length = 60;
    return { log, seals, backup: { count: 60, root: log.rootAt(60) } };
  }

  test('a log that was restored is refused while no record and no pending restore explains what is missing', async () => {
    const { log, seals } = cutBack();
    await expect(started(log, seals)).rejects.toThrow(
      'the log ends after event 60, but the seal of 2026-05-06T07:08:09.010Z covers 100',
    );
  });

  test('a log that was restored starts with a pending restore, which excuses the seals of more events', async () => {
    const { log, seals, backup } = cutBack();
    const check = await started(log, seals, { pending: backup });
    expect(check).toMatchObject({
      newest: seals[0],
      superseded: seals[2],
      isClean: false,
      nextSeq: 4,
    });
    expect(check.listed.map(({ seal, state }) => [seal?.seq, state])).toEqual([
      [3, 'excused'],
      [2, 'excused'],
      [1, 'holds'],
    ]);
    expect(check.listed[0]?.reason).toMatch(/^a restore removed 40 sealed events/);
  });

  test('a log that was restored starts with the record of the restore, and then has no restore to record', async () => {
    const { log, seals, backup } = cutBack();
    log.recordRestore(backup);
    for (const pending of [undefined, backup])
      expect(await started(log, seals, { ...(pending && { pending }) })).toMatchObject({
        newest: seals[0],
      });
    log.fill(80, 'contact-2');
    expect((await started(log, [...seals, log.seal({ seq: 4 })])).newest?.seq).toBe(4);
  });

  test('a log that was restored needs as many records as make its number of restores higher than that of every seal', async () => {
    const { log, seals, backup } = cutBack();
    const later = [log.seal({ seq: 4, restores: 2, count: 75, root: wrongRoot })];
    const check = await started(log, [...seals, ...later], { pending: backup });
    expect(check).toMatchObject({ superseded: later[0], newest: seals[0] });
    const excused = check.listed.filter(({ state }) => state === 'excused');
    expect(excused.map(({ seal }) => seal?.seq)).toEqual([4, 3, 2]);
    expect(restoresToRecord(0, check.superseded?.restores)).toBe(3);
    for (let number = 0; number < 3; number += 1) log.recordRestore(backup);
    expect(await started(log, [...seals, ...later])).toMatchObject({ newest: seals[0] });
  });

  test('a log that was restored is refused if a seal of events that the backup has does not match', async () => {
    const { log, seals, backup } = cutBack();
    const wrong = log.seal({ seq: 1, count: 60, root: wrongRoot });
    await expect(started(log, [...seals.slice(1), wrong], { pending: backup })).rejects.toThrow(
      'the first 60 events are not those that were sealed',
    );
  });

  test('a log that was restored is refused if a seal that was made after the restore does not match', async () => {
    const { log, seals, backup } = cutBack();
    log.recordRestore(backup);
    const wrong = log.seal({ seq: 5, restores: 1, count: 90, root: wrongRoot });
    await expect(started(log, [...seals, wrong])).rejects.toThrow('the log ends after event 61, but the seal');
  });

  test('a log that was restored is refused if the record was made without the secret', async () => {
    const { log, seals, backup } = cutBack();
    log.recordRestore({ ...backup, key: deriveRestoredKey('the secret of somebody who forged it') });
    await expect(started(log, seals)).rejects.toThrow(
      'the event that records restore 1 of the log was not recorded with the secret',
    );
    await expect(started(log, []), 'also without seals').rejects.toThrow(AlteredLogError);
  });

  test('a log that was restored needs a new record if another backup is restored than the one that was recorded', async () => {
    const { log, seals, backup } = cutBack();
    log.recordRestore(backup);
    log.fill(90, 'contact-2');
    const sealed = log.seal({ seq: 4 });
    log.events.length = 75;
    const pending = { count: 75, root: log.rootAt(75) };
    const check = await started(log, [...seals, sealed], { pending });
    expect(check).toMatchObject({ superseded: sealed, newest: seals[0] });
    expect(restoresToRecord(1, sealed.restores)).toBe(1);
  });
});
