/** The vectors of docs/vectors: texts with what a verifier must say of them. Always the same ones, because ids, times and keys are. */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProof, type Proof } from '../../src/evidence/bundle.js';
import { proveConsistency } from '../../src/evidence/prove.js';
import { createTree } from '../../src/evidence/proofs.js';
import type { Seal } from '../../src/evidence/seal.js';
import { digestOf, firstLink, leafOf, linkAfter, toHex, type ChainedEvent } from '../../src/eventstore/chain.js';
import { createGrowingTree, eventsPerBlock } from '../../src/eventstore/tree.js';
import { proving, sealKey, testKey, writePast, type Prover } from './proofs.js';

/** A document and what must be said of it. `change`: in the text of the case named `of`, the first occurrence of one text is replaced by another. */
interface Case {
  readonly name: string;
  readonly valid: boolean;
  readonly text?: string;
  readonly of?: string;
  readonly change?: readonly [string, string];
  /** Given beside it, as a text. */
  readonly seal?: string;
}

/** By the name of the file in docs/vectors. */
export async function evidenceVectors(): Promise<Readonly<Record<string, object>>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vectors-'));
  try {
    return await proving(await writePast(folder, { people: 2, rounds: 3 }), async (prover) => ({
      leaves: leaves(),
      tree: await tree(),
      seals: await seals(prover),
      proofs: await proofs(prover),
      consistency: await consistency(prover),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function leaves(): object {
  const person = '{"salt":"00112233445566778899aabbccddeeff","email":"zoë@example.com"}';
  const metadata = '{"at":"2026-01-02T03:04:05.678Z","actor":"shop","schema":1}';
  const event = { stream: 'contact-1', id: '6f1e0f0a-8c1b-4b52-9d0e-3a7c5b2d1e4f', type: 'Noted', metadata };
  const texts = [
    '{"note":"naïve \u{1F600}"}',
    `{"contact_id":"c","person":${person}}`,
    `{"contact_id":"c","person":${digestOf(person)}}`,
    `{"message":{"subject":"}\\"{","tags":[{"person":1}]},"person":${person},"persons":2}`,
    `{ "person" :\t${person} , "other":{"person":1} }`,
    String.raw`{"p\u0065rson":{"salt":"00"},"n":1.5e3}`,
    '{}',
  ];
  let link = firstLink;
  const events = texts.map((data, index) => {
    const given: ChainedEvent = { ...event, revision: index, data };
    link = linkAfter(link, index + 1, given);
    return { ordinal: index + 1, ...event, revision: index, data, leaf: toHex(leafOf(index + 1, given)), link };
  });
  return { events: events.map(({ id, ...rest }) => ({ event_id: id, ...rest })) };
}

const treeSize = 600;

async function tree(): Promise<object> {
  const leaf = (ordinal: number): string => hash('sha256', `\0${ordinal}`, 'binary');
  const all = Array.from({ length: treeSize }, (_, index) => leaf(index + 1));
  const blocks: string[] = [];
  const growing = createGrowingTree();
  for (const one of all) blocks.push(...[growing.add(one) ?? []].flat());
  const made = createTree({
    count: async () => treeSize,
    blockRoots: async (count) => blocks.slice(0, count),
    leavesOf: async (block) => all.slice(block * eventsPerBlock, (block + 1) * eventsPerBlock),
    ordinalsAt: async () => [],
  });
  const counts = [1, 2, 3, 4, 7, 8, 255, 256, 257, 600];
  const places = [
    [1, 1],
    ...[1, 2, 3, 4, 5, 6, 7].map((ordinal) => [ordinal, 7] as const),
    ...([
      [256, 256],
      [257, 257],
      [1, 600],
      [513, 600],
      [600, 600],
    ] as const),
  ] as const;
  const pairs = [
    [1, 1],
    [1, 2],
    [2, 3],
    [3, 7],
    [4, 7],
    [6, 7],
    [7, 7],
    [256, 257],
    [255, 600],
    [512, 600],
  ] as const;
  const roots = new Map<number, string>();
  for (const count of [...counts, 5, 6, 512]) roots.set(count, await made.rootAt(count));
  const inclusion = [];
  for (const [ordinal, count] of places)
    inclusion.push({ ordinal, count, root: roots.get(count), path: await made.inclusion(ordinal, count) });
  const consistent = [];
  for (const [older, newer] of pairs)
    consistent.push({
      older: { count: older, root: roots.get(older) },
      newer: { count: newer, root: roots.get(newer) },
      path: await made.consistency(older, newer),
    });
  return {
    leaf: 'SHA-256 of a zero byte and the ordinal in decimal',
    roots: counts.map((count) => ({ count, root: roots.get(count) })),
    inclusion,
    consistency: consistent,
  };
}

async function seals({ seal }: Prover): Promise<object> {
  const good = JSON.stringify(await seal());
  return {
    cases: [
      { name: 'a seal', valid: true, text: good },
      ...changes('a seal', good, [
        ['count', '"count":', '"count":1'],
        ['head', '"head":"', '"head":"0'],
        ['root', '"root":"', '"root":"0'],
        ['time', '"sealed_at":"2026', '"sealed_at":"2025'],
        ['count as text', /"count":(\d+)/, '"count":"$1"'],
      ]),
    ],
  };
}

/** Cases in which one thing is changed in a good text. */
function changes(
  of: string,
  good: string,
  list: readonly (readonly [name: string, from: string | RegExp, to: string])[],
): readonly Case[] {
  return list.map(([name, from, to]) => {
    const [found = ''] = (typeof from === 'string' ? [from] : from.exec(good)) ?? [];
    const changed = found.replace(from, to);
    if (found === '' || !good.includes(found)) throw new Error(`nothing to change: ${name}`);
    return { name: `${of}: ${name}`, valid: false, of, change: [found, changed] };
  });
}

async function proofs({ seal, prove }: Prover): Promise<object> {
  const [all, early] = [await seal(), await seal(12)];
  const [second, atOnce, first] = [await prove(2, all), await prove(1, early), await prove(1, all)];
  const good = JSON.stringify(second);
  const unnamed = await unnamedDeletion(all, { prove });
  const withDigest = erased(second);
  const { events, deletions, ...statement } = second;
  const without = (ordinal: number | undefined) => events.filter((event) => event.ordinal !== ordinal);
  const wrong: Record<string, object> = {
    'an event is missing, and the rest signed so': createProof(
      { ...statement, deletions },
      without(events[1]?.ordinal),
      sealKey,
    ),
    'its last event is missing': { ...second, events: events.slice(0, -1) },
    'a deletion is missing': { ...second, events: without(deletions[0]) },
    'a deletion that nobody names': createProof(
      { ...statement, deletions: [...deletions, ...unnamed.map(({ ordinal }) => ordinal)].sort((a, b) => a - b) },
      [...events, ...unnamed].sort((a, b) => a.ordinal - b.ordinal),
      sealKey,
    ),
    'events of somebody else': { ...second, events: first.events },
    'signed by another key than it names': createProof({ ...statement, deletions }, events, testKey(9)),
    'events in another order': { ...second, events: events.toReversed() },
  };
  return {
    cases: [
      { name: 'a proof', valid: true, text: good },
      { name: 'with its seal', valid: true, text: good, seal: JSON.stringify(all) },
      { name: 'indented', valid: true, text: `${JSON.stringify(second, undefined, 2)}\n` },
      { name: 'against an early seal, no deletions', valid: true, text: JSON.stringify(atOnce) },
      { name: 'personal data replaced by their digest', valid: true, text: JSON.stringify(withDigest) },
      { name: 'with another seal', valid: false, of: 'a proof', seal: JSON.stringify(early) },
      ...Object.entries(wrong).map(([name, value]) => ({ name, valid: false, text: JSON.stringify(value) })),
      ...changes('a proof', good, [
        ['note', 'E-mails to the person are not', 'E-mails to the person are'],
        ['log', /"log_id":"./, '"log_id":"'],
        ['count', '"count":', '"count":1'],
        ['sealed_at', '"sealed_at":"2026', '"sealed_at":"2025'],
        ['last revision', /"last_revision":\d+/, '"last_revision":9'],
        ['personal data', 'person.2@', 'person.3@'],
        ['metadata', /actor\\":\\"shop/, String.raw`actor\":\"shqp`],
        ['type', '"type":"ContactUnsubscribed"', '"type":"ContactSubscribed"'],
        ['event id', /"event_id":"./, '"event_id":"0'],
        ['path', /"path":\["[0-9a-f]{64}"/, `"path":["${'0'.repeat(64)}"`],
        ['bits in the signature that do not count', /[AQgw]==","events"/, 'B==","events"'],
        ['a member twice', '"count":', '"count":1,"count":'],
        ['a member that it should not have', '"format":', '"verified":true,"format":'],
        ['a member missing', /"head":"[0-9a-f]{64}",/, ''],
      ]),
    ],
  };
}

/** With the digest in place of the personal data: the same leaf. */
const erased = (proof: Proof): Proof => ({
  ...proof,
  events: proof.events.map((event) => ({
    ...event,
    data: event.data.replace(/("person":)(\{[^}]*\})/, (_, name: string, value: string) => name + digestOf(value)),
  })),
});

/** List 3 was deleted, and nobody was ever in it. Proven as an event of the stream `lists`, so its path is right. */
async function unnamedDeletion(seal: Seal, { prove }: Pick<Prover, 'prove'>): Promise<Proof['events']> {
  const lists = await prove('lists', seal);
  return lists.events.filter(({ type, data }) => type === 'ListDeleted' && data.includes('00000003')).slice(0, 1);
}

async function consistency({ log, seal }: Prover): Promise<object> {
  const [older, newer] = [await seal(11), await seal()];
  const text = JSON.stringify(await proveConsistency(log.tree, older, newer));
  const same = JSON.stringify(await proveConsistency(log.tree, older, older));
  return {
    cases: [
      { name: 'a proof', valid: true, text },
      { name: 'of one and the same seal', valid: true, text: same },
      { name: 'with its older seal', valid: true, text, seal: JSON.stringify(older) },
      { name: 'with a seal that it is not of', valid: false, text, seal: JSON.stringify(await seal(12)) },
      ...changes('a proof', text, [
        ['path', /"path":\["[0-9a-f]{64}"/, `"path":["${'0'.repeat(64)}"`],
        ['path cut', /"path":\["[0-9a-f]{64}",/, '"path":['],
        ['root of a seal', '"root":"', '"root":"0'],
        ['a member twice', '"path":', '"path":[],"path":'],
      ]),
    ],
  };
}
