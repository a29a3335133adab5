/** The vectors of docs/vectors: texts with what a verifier must say of them. Always the same ones, because ids, times and keys are. */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProof, type Proof } from '../../../src/evidence/bundle.js';
import { proveConsistency } from '../../../src/evidence/prove.js';
import { createTree } from '../../../src/evidence/proofs.js';
import type { Seal } from '../../../src/evidence/seal.js';
import { digestOf, firstLink, leafOf, linkAfter, toHex, type ChainedEvent } from '../../../src/eventstore/chain.js';
import { createGrowingTree, eventsPerBlock } from '../../../src/eventstore/tree.js';
import { eventVectors } from './events.js';
import { exportVectors } from './exports.js';
import { proving, sealKey, testKey, writePast, type Prover } from '../../support/proofs.js';
import { otherSignature, proofWith, resigned, wrongProofs, wrongSeals } from './signed.js';
import { changes } from './case.js';

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
      events: await eventVectors(prover),
      exports: await exportVectors(prover),
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
    `{"person":${digestOf(person).toUpperCase().replace('SHA', 'sha')}}`,
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
    blockRoots: async (count) => blocks.slice(0, count),
    leavesOf: async (block) => all.slice(block * eventsPerBlock, (block + 1) * eventsPerBlock),
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
  const made = await seal();
  const good = JSON.stringify(made);
  const wrong = Object.entries(wrongSeals).map(([name, change]) => [name, resigned(made, change(made))] as const);
  return {
    cases: [
      { name: 'a seal', valid: true, text: good },
      ...changes('a seal', good, [
        ['count', '"count":', '"count":1'],
        ['head', '"head":"', '"head":"0'],
        ['root', '"root":"', '"root":"0'],
        ['time', '"sealed_at":"2026', '"sealed_at":"2025'],
        ['count as text', /"count":(\d+)/, '"count":"$1"'],
        ['a count that is not in digits', /"count":(\d+)/, '"count":$1.0'],
        ['a member twice', '"count":', String.raw`"c\u006funt":20,"count":`],
        ['a member that it should not have', '"format":', '"verified":true,"format":'],
        ['a member missing', /"position":"[^"]+",/, ''],
        ['S of the signature is too large', made.signature, otherSignature(made.signature)],
        ['a signature with a bit that does not count', /[AQgw]=="/, 'B=="'],
      ]),
      ...wrong.map(([name, value]) => ({ name: `signed right: ${name}`, valid: false, text: JSON.stringify(value) })),
      { name: 'indented, with an escape', valid: true, text: indented(made) },
    ],
  };
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
  const byHand = await proofWith();
  const handMade = JSON.stringify(byHand);
  const differing: Record<string, object> = {
    log_id: { log_id: 'another-log' },
    head: { head: early.head },
    root: { root: early.root },
    sealed_at: { sealed_at: early.sealed_at },
  };
  const sealsOfTheSame = [
    ...Object.entries(differing).map(([name, change]) => [`with another ${name}`, resigned(all, change)] as const),
    ['by another key', resigned(all, {}, testKey(9))] as const,
  ];
  const signedRight = [];
  for (const [name, change] of Object.entries(wrongProofs))
    signedRight.push({ name: `signed right: ${name}`, valid: false, text: JSON.stringify(await proofWith(change)) });
  return {
    cases: [
      { name: 'a proof', valid: true, text: good },
      { name: 'with its seal', valid: true, text: good, seal: JSON.stringify(all) },
      {
        name: 'with its seal and another',
        valid: false,
        of: 'a proof',
        seals: [all, early].map((one) => JSON.stringify(one)),
      },
      { name: 'indented', valid: true, text: `${JSON.stringify(second, undefined, 2)}\n` },
      { name: 'against an early seal, no deletions', valid: true, text: JSON.stringify(atOnce) },
      { name: 'personal data replaced by their digest', valid: true, text: JSON.stringify(withDigest) },
      { name: 'with another seal', valid: false, of: 'a proof', seal: JSON.stringify(early) },
      ...sealsOfTheSame.map(([name, one]) => ({
        ...{ name: `with a seal of its count, ${name}`, valid: false, of: 'a proof', seal: JSON.stringify(one) },
      })),
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
      { name: 'by hand', valid: true, text: handMade },
      ...signedRight,
      ...changes('by hand', handMade, [
        ['a count that is not in digits', '"count":7', '"count":7.0'],
        ['an ordinal that is not in digits', '"ordinal":2', '"ordinal":2e0'],
        ['a revision that is not in digits', '"revision":0', '"revision":-0'],
        ['a last revision that is not in digits', '"last_revision":3', '"last_revision":3.0'],
        ['a deletion that is not in digits', '[5,6]', '[5,6.0]'],
        ['an ordinal as a text', '"ordinal":2', '"ordinal":"2"'],
        ['a member twice in an event', '"revision":0', String.raw`"r\u0065vision":1,"revision":0`],
        ['a member that an event should not have', '"revision":0', '"position":"2","revision":0'],
        ['S of the signature is too large', byHand.signature, otherSignature(byHand.signature)],
        ['a second object after it', ']}]}', ']}]}\n{}'],
      ]),
      ...changes('by hand', handMade, [['a byte order mark', '{"format"', '\ufeff{"format"']]).map((one) => ({
        ...one,
        exit: 2,
      })),
      { name: 'by hand: its end cut off', valid: false, text: handMade.slice(0, 1_000), exit: 2 },
      {
        name: 'by hand: the whole answer of the service',
        valid: false,
        text: `{"statusCode":200,"data":${handMade}}`,
        exit: 2,
      },
      { name: 'a page in its place', valid: false, text: '<!doctype html>\n', exit: 2 },
      ...changes('by hand', handMade, [
        ['an escape', 'proof/1', String.raw`proof\/1`],
        ['a name with an escape', '"count"', String.raw`"c\u006funt"`],
      ]).map((one) => ({ ...one, valid: true })),
    ],
  };
}

const indented = (value: object): string =>
  `${JSON.stringify(value, undefined, '\t')}\r\n`.replace('seal/1', String.raw`seal\/1`);

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
  const stranger = await seal(12);
  const proof = await proveConsistency(log.tree, older, newer);
  const rooted = resigned(older, { root: newer.root });
  const wrong: Record<string, object> = {
    'the seals are of two logs': { ...proof, newer: resigned(newer, { log_id: 'another-log' }) },
    'the newer seal is the older one': { ...proof, older: newer, newer: older },
    'the older seal with more events, and no path': { ...proof, older: newer, newer: older, path: [] },
    'of one number of events with two roots': { ...proof, newer: rooted, path: [] },
    'of one seal with a path': { ...proof, newer: older, path: [older.root] },
    'another root': { ...proof, older: rooted },
    'a path that is too long': { ...proof, path: [...proof.path, '0'.repeat(64)] },
    'upper case in a path': { ...proof, path: proof.path.map((hash) => hash.toUpperCase()) },
    'a seal that is none': { ...proof, older: null },
    'a member that a seal should not have': { ...proof, older: { ...older, verified: true } },
    'upper case in the root of a seal': { ...proof, older: resigned(older, { root: older.root.toUpperCase() }) },
  };
  const anotherKey = testKey(9);
  return {
    cases: [
      { name: 'a proof', valid: true, text },
      { name: 'of one and the same seal', valid: true, text: same },
      { name: 'with its older seal', valid: true, text, seal: JSON.stringify(older) },
      { name: 'with a seal that it is not of', valid: false, text, seal: JSON.stringify(stranger) },
      { name: 'with both seals', valid: true, of: 'a proof', seals: [newer, older].map((one) => JSON.stringify(one)) },
      {
        name: 'with a seal of the same, signed anew',
        valid: false,
        of: 'a proof',
        seals: [JSON.stringify(resigned(older, {}, anotherKey))],
      },
      { name: 'by two keys', valid: true, text: JSON.stringify({ ...proof, newer: resigned(newer, {}, anotherKey) }) },
      { name: 'the key of one of its two', valid: false, of: 'by two keys', publicKey: older.public_key },
      { name: 'the key of both', valid: true, of: 'a proof', publicKey: older.public_key },
      ...Object.entries(wrong).map(([name, value]) => ({
        ...{ name: `signed right: ${name}`, valid: false, text: JSON.stringify(value) },
      })),
      ...changes('a proof', text, [
        ['path', /"path":\["[0-9a-f]{64}"/, `"path":["${'0'.repeat(64)}"`],
        ['path cut', /"path":\["[0-9a-f]{64}",/, '"path":['],
        ['root of a seal', '"root":"', '"root":"0'],
        ['a member twice', '"path":', '"path":[],"path":'],
        ['a member of a seal twice', '"root":', String.raw`"r\u006fot":"0","root":`],
        ['a count that is not in digits', '"count":11', '"count":11.0'],
      ]),
    ],
  };
}
