/** The proofs that the running service answers, the seals that its pages name, and the list of its seals. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceSeals } from '../../src/integrity/log-watch.js';
import { createProofs } from '../../src/integrity/service-proofs.js';
import type { Seal } from '../../src/integrity/seal.js';
import { tampered } from '../support/integrity-log.js';
import { personOf, proving, sealKey, testKey, writePast, type Prover } from '../support/proofs.js';

let folder: string;
let log: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'service-proofs-'));
  log = await writePast(folder, { people: 3, rounds: 300 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Around {
  readonly seals?: Partial<ServiceSeals>;
  readonly onAltered?: (message: string) => void;
}

const serving = ({ log: reader, seal }: Prover, { seals, onAltered = () => undefined }: Around = {}) =>
  createProofs({
    log: reader,
    tree: reader.tree,
    seals: { newest: () => undefined, sealNow: async () => await seal(), listed: () => [], ...seals },
    readBack: () => ({ count: 7, at: Date.UTC(2026, 6, 1), fault: undefined }),
    onAltered,
    sealKey: () => sealKey,
  });

const eventAt = async ({ log: reader }: Prover, ordinal: number) => {
  const event = await reader.readAt(String(ordinal).padStart(20, '0'));
  if (event === undefined) throw new Error('no such event');
  return event;
};

test('proves an event and a person against the seal that covers them', async () => {
  await proving(log, async (prover) => {
    const older = await prover.seal(9);
    let made = 0;
    const sealNow = async (): Promise<Seal> => {
      made += 1;
      return await prover.seal();
    };
    const proofs = serving(prover, { seals: { newest: () => older, sealNow } });
    const event = await eventAt(prover, 9);
    expect(await proofs.proveEvent(event, [])).toMatchObject({
      format: 'audience-ledger-event/2',
      seal: older,
      event: { ordinal: 9 },
    });
    expect(made, 'the newest seal covers the event').toBe(0);
    const proof = await proofs.prove(prover.sources.stored, { stream: personOf(2).stream });
    expect(proof).toMatchObject({ format: 'audience-ledger-proof/2', count: await prover.log.tree.count() });
    expect(proof).not.toHaveProperty('head');
    expect(made, 'the newest seal does not cover the last event of the person').toBe(1);
    expect(await proofs.placeOf(event)).toMatchObject({
      ordinal: 9,
      leaf: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
  });
});

test('proves a person against a seal by the key that signs the proof, also if the newest seal is by another key', async () => {
  await proving(log, async (prover) => {
    const other = await prover.seal(undefined, testKey(9));
    const proof = await serving(prover, { seals: { newest: () => other } }).prove(prover.sources.stored, {
      stream: personOf(2).stream,
    });
    expect(proof.public_key).toBe((await prover.seal()).public_key);
  });
});

test('answers 503 for an event that has not been counted, and while no seal can be made', async () => {
  await proving(log, async (prover) => {
    const ordinalsAt = async (positions: readonly string[]) => positions.map(() => undefined);
    const tree = { ...prover.log.tree, ordinalsAt };
    const uncounted = serving({ ...prover, log: { ...prover.log, tree } });
    const event = await eventAt(prover, 9);
    const unavailable = { code: 'unavailable' };
    await expect(uncounted.proveEvent(event, [])).rejects.toMatchObject(unavailable);
    const { stored } = prover.sources;
    await expect(uncounted.prove(stored, { stream: personOf(1).stream })).rejects.toMatchObject(unavailable);
    expect(await uncounted.placeOf(event)).toEqual({ ordinal: null, leaf: null });
    const sealNow = () => Promise.reject(new Error('the log cannot be read'));
    await expect(serving(prover, { seals: { sealNow } }).proveEvent(event, [])).rejects.toMatchObject(unavailable);
    const none = serving(prover, { seals: { sealNow: () => Promise.resolve(undefined) } });
    await expect(none.proveEvent(event, [])).rejects.toMatchObject(unavailable);
    const strange = serving(prover, { seals: { sealNow: async () => await prover.seal(undefined, testKey(9)) } });
    await expect(strange.prove(stored, { stream: personOf(1).stream })).rejects.toMatchObject(unavailable);
  });
});

test('reports an event that is not the sealed one, and proves nothing with it', async () => {
  const seal = await proving(log, (prover) => prover.seal());
  const altered = tampered(log, (db) => db.exec("update events set type = 'ContactUnsubscribed' where position = 6"));
  await proving(altered, async (prover) => {
    const reported: string[] = [];
    const onAltered = (message: string): void => void reported.push(message);
    const proofs = serving(prover, {
      seals: { newest: () => seal },
      onAltered,
    });
    await expect(proofs.proveEvent(await eventAt(prover, 6), [])).rejects.toMatchObject({ code: 'unavailable' });
    await expect(proofs.prove(prover.sources.stored, { stream: personOf(1).stream })).rejects.toMatchObject({
      code: 'unavailable',
    });
    const shown = { stream: personOf(1).stream, positions: new Set<string>() };
    await expect(proofs.pageSeals().demandInTree(shown)).rejects.toMatchObject({ code: 'unavailable' });
    expect(reported).toEqual(
      [0, 1, 2].map(() => expect.stringMatching(/^the events 1 to 256 .*were sealed/) as unknown),
    );
  });
});

test('a page can show an event that joins the tree after its size was read', async () => {
  await proving(log, async (prover) => {
    const count = await prover.log.tree.count();
    const tree = { ...prover.log.tree, count: async () => await Promise.resolve(count - 5) };
    const { demandInTree } = serving({ ...prover, log: { ...prover.log, tree } }).pageSeals();
    const shown = { stream: personOf(1).stream, positions: new Set([await prover.log.head()]) };
    expect(await demandInTree(shown)).toBe(count);
  });
});

test('a page names the newest seal and one that fails', async () => {
  await proving(log, async (prover) => {
    const [older, newer] = [await prover.seal(10), await prover.seal(20)];
    const reason = 'of the test';
    const proofs = serving(prover, {
      seals: {
        newest: () => newer,
        listed: () => [
          { files: ['/seals/older'], seal: older, state: 'fails', reason },
          { files: ['/seals/newer'], seal: newer, state: 'holds', reason: null },
        ],
      },
    });
    expect(proofs.pageSeals()).toMatchObject({ holding: [newer], failing: { count: 10, reason } });
    expect(serving(prover).pageSeals()).toMatchObject({ holding: [], failing: undefined });
  });
});

test('pages of seals have each file once, in the order of the list', async () => {
  await proving(log, async (prover) => {
    const made = await Promise.all([9, 8, 7, 6].map((count) => prover.seal(count)));
    const restored = { ...(await prover.seal(5)), restores: 1 };
    const listed = [
      { files: ['/seals/restored'], seal: restored, state: 'not_checked', reason: 'not yet' },
      ...made.map((seal) => ({ files: [`/seals/seal-${seal.count}`], seal, state: 'holds', reason: null }) as const),
      { files: ['/seals/b'], seal: null, state: 'ignored', reason: 'it is not a JSON object' },
      { files: ['/seals/a'], seal: null, state: 'ignored', reason: 'it is not a JSON object' },
    ] as const;
    const proofs = serving(prover, { seals: { listed: () => listed } });
    const found: string[] = [];
    let after: string | undefined;
    do {
      const { items, next_cursor, log: about } = await proofs.sealStates({ after, limit: 3 });
      found.push(...items.map(({ file }) => file));
      after = next_cursor;
      expect(about).toMatchObject({
        count: await prover.log.tree.count(),
        read_back_count: 7,
        read_back_at: '2026-07-01T00:00:00.000Z',
        fault: null,
      });
    } while (after !== undefined);
    expect(found).toEqual(['restored', 'seal-9', 'seal-8', 'seal-7', 'seal-6', 'b', 'a']);
    expect((await proofs.sealStates({ after: 'gone', limit: 3 })).items).toEqual([]);
    const [first] = (await proofs.sealStates({ after: 'restored', limit: 1 })).items;
    expect(first).toMatchObject({
      state: 'holds',
      reason: null,
      seal: made[0],
      key_fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
  });
});
