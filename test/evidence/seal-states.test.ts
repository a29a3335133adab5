/** What the running service says of its seals: green only for what it has read and compared itself. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareSeals } from '../../src/evidence/holding-seal.js';
import { keepSeal } from '../../src/evidence/seal-folder.js';
import { sealStates } from '../../src/evidence/seal-states.js';
import type { Seal } from '../../src/evidence/seal.js';
import { createVerifiedMarks } from '../../src/evidence/verified-marks.js';
import { resigned } from '../docs/vectors/signed.js';
import { personOf, proving, writePast, type Prover } from '../support/proofs.js';

let folder: string;
let log: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'seal-states-'));
  log = await writePast(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const instant = Date.UTC(2026, 6, 1);

/** Verified up to this event; undefined: the first reading has not ended. */
function guardAt(count: number | undefined) {
  const marks = createVerifiedMarks(() => instant);
  if (count !== undefined) marks.note(count);
  return {
    verifiedAt: (wanted: number) => marks.at(wanted),
    verifiedEvents: () => count ?? 0,
    isVerified: () => count !== undefined,
    fault: () => null,
  };
}

const statesIn = async ({ log: store }: Prover, seals: string, guard: Parameters<typeof sealStates>[0]['guard']) =>
  await sealStates(
    { store: { ...store, ...forReading }, source: store.tree, guard, folder: seals },
    { after: undefined, limit: 50 },
  );

const never = async (): Promise<never> => {
  throw new Error('not here');
};
const forReading = { soleWriter: true, isWritable: () => true, append: never, redact: never };

/** A folder with these seals. */
function kept(name: string, seals: readonly Seal[]): string {
  const place = path.join(folder, name);
  for (const seal of seals) keepSeal(place, seal);
  return place;
}

test('verified is what was read up to its last event, by when that was; what comes after it is not', async () => {
  await proving(log, async (prover) => {
    const seals = kept('two', [await prover.seal(10), await prover.seal(20)]);
    const [newer, older] = (await statesIn(prover, seals, guardAt(15))).items;
    expect(older).toMatchObject({ state: 'verified', reason: null, verified_at: new Date(instant).toISOString() });
    expect(newer).toMatchObject({
      state: 'unverified',
      reason: 'the newest events are not read again yet',
      verified_at: null,
    });
    const { items, ...whole } = await statesIn(prover, seals, guardAt(prover.log.chainHead().count));
    expect(items.map(({ state }) => state)).toEqual(['verified', 'verified']);
    expect(whole.log).toMatchObject({
      count: prover.log.chainHead().count,
      verified_count: prover.log.chainHead().count,
    });
  });
});

test('nothing is verified while the log is read for the first time, nor where no process reads it', async () => {
  await proving(log, async (prover) => {
    const seals = kept('one', [await prover.seal(10)]);
    for (const [guard, reason] of [
      [guardAt(undefined), 'the log is being read'],
      [{ ...guardAt(undefined), fault: () => 'disk I/O error' }, 'disk I/O error'],
      [undefined, 'the service does not read a log on a server again: audience audit verify does'],
    ] as const) {
      const { items, log: told } = await statesIn(prover, seals, guard);
      expect(items).toMatchObject([{ state: 'unverified', reason, verified_at: null }]);
      expect(told).toMatchObject({ verified_count: 0, verified_at: null });
    }
  });
});

test('a seal of more events than the log has, an altered one, one of another log and a file that is none are told apart', async () => {
  await proving(log, async (prover) => {
    const seal = await prover.seal();
    const at = (day: number) => new Date(instant + day * 86_400_000).toISOString();
    const seals = kept('wrong', [
      resigned(seal, { count: seal.count + 1, sealed_at: at(1) }),
      { ...seal, sealed_at: at(2) },
      resigned(seal, { root: '0'.repeat(64), sealed_at: at(3) }),
      resigned(seal, { log_id: 'another', sealed_at: at(4) }),
    ]);
    writeFileSync(path.join(seals, '2027.json'), '{}');
    const { items } = await statesIn(prover, seals, guardAt(seal.count));
    expect(items.map(({ state, reason, verified_at }) => [state, reason, verified_at])).toEqual([
      ['does_not_hold', 'it is no seal that can be read', null],
      ['does_not_hold', expect.stringContaining('of the log another'), null],
      ['does_not_hold', 'the tree has another root there', null],
      ['does_not_hold', 'its signature is not right', null],
      ['newer_than_log', `the log has ${seal.count} events`, null],
    ]);
  });
});

test('pages have each seal once, the newest first', async () => {
  await proving(log, async (prover) => {
    const seals = kept('pages', await Promise.all([5, 6, 7, 8, 9].map((count) => prover.seal(count))));
    const found: unknown[] = [];
    let after: string | undefined;
    do {
      const store = { ...prover.log, ...forReading };
      const page = await sealStates(
        { store, source: store.tree, guard: undefined, folder: seals },
        { after, limit: 2 },
      );
      found.push(...page.items.map(({ seal }) => seal?.count));
      after = page.next_cursor;
    } while (after !== undefined);
    expect(found).toEqual([9, 8, 7, 6, 5]);
    expect((await statesIn(prover, path.join(folder, 'none'), undefined)).items).toEqual([]);
  });
});

test('marks are bounded, and never say an earlier time than that of the verification', () => {
  let now = 0;
  const marks = createVerifiedMarks(() => now);
  for (now = 1; now <= 12_000; now += 1) marks.note(now * 10);
  const found = [1, 10, 11, 20_000, 20_011, 119_999, 120_000, 120_001].map((count) => marks.at(count));
  expect(found).toEqual([1, 1, 2_002, 2_002, 2_002, 12_000, 12_000, undefined]);
});

test('a page can be made of an event that joins the tree after its size was read', async () => {
  await proving(log, async ({ log: store, seal }) => {
    const { count, position } = store.chainHead();
    const source = { ...store.tree, count: async () => count - 5 };
    const { demandWritten } = await compareSeals([await seal(10)], store, source);
    const shown = { stream: personOf(1).stream, positions: new Set([position]) };
    await expect(demandWritten?.(shown)).resolves.toBeUndefined();
  });
});
