/** All vectors of docs/vectors: texts, and what a verifier has to say of them. */
import { hash } from 'node:crypto';
import { digestOf, leafOf, toHex } from '../../../src/eventstore/leaf.js';
import { changes, texts, written, type Case } from './case.js';
import { exportVectors } from './exports.js';
import * as logs from './log.js';
import { consistencyOf, otherKey, past, proven, publicKeyOf, resigned, sealOf, type Seal } from './log.js';
import { consistency, inclusion, rootOf } from './merkle.js';
import { proofVectors } from './proofs.js';

/** Returns the vectors by the names of their files. */
export const allVectors = (): Readonly<Record<string, object>> => ({
  leaves: leaves(),
  tree: tree(),
  seals: seals(),
  exports: exportVectors(),
  proofs: proofVectors(),
  consistency: consistencies(),
  events: events(),
});

function leaves(): object {
  const person = '{"salt":"00112233445566778899aabbccddeeff","email":"zoë@example.com"}';
  const metadata = '{"at":"2026-01-02T03:04:05.678Z","actor":"shop","schema":1}';
  const event = { stream: 'contact-1', event_id: '6f1e0f0a-8c1b-4b52-9d0e-3a7c5b2d1e4f', type: 'Noted', metadata };
  const data = [
    '{"note":"naïve \u{1F600}"}',
    `{"contact_id":"c","person":${person}}`,
    `{"contact_id":"c","person":${digestOf(person)}}`,
    `{"message":{"subject":"}\\"{","tags":[{"person":1}]},"person":${person},"persons":2}`,
    `{ "person" :\t${person} , "other":{"person":1} }`,
    String.raw`{"p\u0065rson":{"salt":"00"},"n":1.5e3}`,
    '{}',
    `{"person":${digestOf(person).toUpperCase().replace('SHA', 'sha')}}`,
  ];
  return {
    events: data.map((text, index) => {
      const { event_id, stream, type } = event;
      const leaf = leafOf(index + 1, { id: event_id, stream, type, metadata, revision: index, data: text });
      return { event_id, ordinal: index + 1, stream, type, metadata, revision: index, data: text, leaf: toHex(leaf) };
    }),
  };
}

function tree(): object {
  const all = Array.from({ length: 600 }, (_, index) => hash('sha256', `\0${index + 1}`));
  const first = (count: number): readonly string[] => all.slice(0, count);
  const places = [
    ...[1, 2, 3, 4, 5, 6, 7].map((ordinal) => [ordinal, 7] as const),
    ...([
      [1, 1],
      [256, 256],
      [257, 257],
      [1, 600],
      [513, 600],
      [600, 600],
    ] as const),
  ];
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
  const reached = (count: number) => ({ count, root: rootOf(first(count)) });
  return {
    leaf: 'SHA-256 of a zero byte and the ordinal in decimal',
    roots: [1, 2, 3, 4, 7, 8, 255, 256, 257, 512, 600].map(reached),
    inclusion: places.map(([ordinal, count]) => ({
      ...{ ordinal, ...reached(count), path: inclusion(ordinal - 1, first(count)) },
    })),
    consistency: pairs.map(([older, newer]) => ({
      ...{ older: reached(older), newer: reached(newer), path: consistency(older, first(newer)) },
    })),
  };
}

const upper = (text: string): string => text.toUpperCase();

/** Changes of a seal before it is signed. */
const wrongSeals: Readonly<Record<string, (seal: Seal) => object>> = {
  'no events': () => ({ count: 0 }),
  'more events than a whole number can say': () => ({ count: 2 ** 53 }),
  'a count that is not whole': () => ({ count: 1.5 }),
  'a seq of 0': () => ({ seq: 0 }),
  'a seq as a text': () => ({ seq: '20' }),
  'restores below 0': () => ({ restores: -1 }),
  'restores as a text': () => ({ restores: '0' }),
  'no restores': () => ({ restores: null }),
  'a final that is a text': () => ({ final: 'false' }),
  'a final that is a number': () => ({ final: 0 }),
  'upper case in its root': ({ root }) => ({ root: upper(root) }),
  'a time without milliseconds': () => ({ sealed_at: '2026-06-01T00:00:00Z' }),
  'a time with an offset': () => ({ sealed_at: '2026-06-01T00:00:00.000+00:00' }),
  'a blank in its log_id': () => ({ log_id: 'the log' }),
  'a letter in its log_id that is not ASCII': () => ({ log_id: 'zoë' }),
  'a log_id of 65 characters': () => ({ log_id: 'l'.repeat(65) }),
  'a key with a bit that is not part of it': ({ public_key }) => ({ public_key: logs.withLooseBit(public_key) }),
  'a key of another kind': () => ({ public_key: logs.x25519Key() }),
  'a key in hex': () => ({ public_key: logs.spkiOf(logs.sealKey).toString('hex') }),
};

/** Each seal is of the log of the first case of exports.json. */
function seals(): { readonly cases: readonly Case[] } {
  const seal = sealOf(past);
  const text = JSON.stringify(seal);
  const signedRight = Object.entries(wrongSeals).map(
    ([name, change]) => [`signed right: ${name}`, resigned(seal, change(seal))] as const,
  );
  const indented = `${JSON.stringify(seal, undefined, '\t')}\r\n`.replace('seal/2', String.raw`seal\/2`);
  return {
    cases: [
      { name: 'a seal', valid: true, text },
      { name: 'indented, with an escape', valid: true, text: indented },
      ...written(true, { 'a final seal': resigned(seal, { final: true }) }),
      ...changes('a seal', text, [
        ['seq', '"seq":', '"seq":1'],
        ['restores', '"restores":0', '"restores":1'],
        ['count', '"count":', '"count":1'],
        ['root', '"root":"', '"root":"0'],
        ['final', '"final":false', '"final":true'],
        ['time', '"sealed_at":"2026', '"sealed_at":"2025'],
        ['count as a text', /"count":(\d+)/, '"count":"$1"'],
        ['a count that is not in digits', /"count":(\d+)/, '"count":$1.0'],
        ['restores that is not in digits', '"restores":0', '"restores":-0'],
        ['a member twice', '"count":', String.raw`"c\u006funt":20,"count":`],
        ['a member that it should not have', '"format":', '"verified":true,"format":'],
        ['a member of format 1', '"root":', `"head":"${'0'.repeat(64)}","root":`],
        ['a member missing', /"seq":\d+,/, ''],
        ['S of the signature is too large', seal.signature, logs.otherSignature(seal.signature)],
        ['a signature with a bit that is not part of it', /[AQgw]=="/, 'B=="'],
      ]),
      ...written(false, Object.fromEntries(signedRight)),
    ],
  };
}

function consistencies(): { readonly cases: readonly Case[] } {
  const [older, newer, between] = [sealOf(past, 11), sealOf(past), sealOf(past, 12)];
  const proof = consistencyOf(past, older, newer);
  const text = JSON.stringify(proof);
  const rooted = resigned(older, { root: newer.root });
  const beside = (name: string, valid: boolean, ...given: readonly object[]): Case => ({
    ...{ name, valid, of: 'a proof', seals: texts(...given) },
  });
  return {
    cases: [
      { name: 'a proof', valid: true, text },
      ...written(true, {
        'of one seal': consistencyOf(past, older, older),
        'by two keys': { ...proof, newer: resigned(newer, {}, otherKey) },
        'of two seals of one count': { ...proof, older: resigned(newer, { seq: 1 }), path: [] },
      }),
      beside('with its older seal', true, older),
      beside('with both seals', true, newer, older),
      beside('with a seal that is not in it', false, between),
      beside('with its older seal, signed by another key', false, resigned(older, {}, otherKey)),
      beside('with its older seal, but final', false, resigned(older, { final: true })),
      { name: 'with the key of one of its seals', valid: false, of: 'by two keys', publicKey: older.public_key },
      { name: 'with the key of both', valid: true, of: 'a proof', publicKey: older.public_key },
      ...written(false, {
        'signed right: the seals are of two logs': { ...proof, newer: resigned(newer, { log_id: 'another-log' }) },
        'signed right: the newer seal is the older one': { ...proof, older: newer, newer: older },
        'signed right: the older seal has more events, no path': { ...proof, older: newer, newer: older, path: [] },
        'signed right: one count with two roots': { ...proof, newer: rooted, path: [] },
        'signed right: one seal with a path': { ...proof, newer: older, path: [older.root] },
        'signed right: another root': { ...proof, older: rooted },
        'signed right: a path that is too long': { ...proof, path: [...proof.path, '0'.repeat(64)] },
        'signed right: upper case in a path': { ...proof, path: proof.path.map(upper) },
        'signed right: null in place of a seal': { ...proof, older: null },
        'signed right: a member that a seal should not have': { ...proof, older: { ...older, verified: true } },
        'signed right: upper case in the root of a seal': {
          ...proof,
          older: resigned(older, { root: upper(older.root) }),
        },
        'signed right: a seal whose restores are a text': { ...proof, older: resigned(older, { restores: '0' }) },
        'signed right: a seal of format 1': { ...proof, older: resigned(older, { format: 'audience-ledger-seal/1' }) },
      }),
      ...changes('a proof', text, [
        ['path', /"path":\["[0-9a-f]{64}"/, `"path":["${'0'.repeat(64)}"`],
        ['path cut', /"path":\["[0-9a-f]{64}",/, '"path":['],
        ['root of a seal', '"root":"', '"root":"0'],
        ['a member twice', '"path":', '"path":[],"path":'],
        ['a member of a seal twice', '"root":', String.raw`"r\u006fot":"0","root":`],
        ['a count that is not in digits', '"count":11', '"count":11.0'],
      ]),
      { ...changes('a proof', text, [['an earlier format', 'consistency/2', 'consistency/1']])[0], exit: 2 } as Case,
    ],
  };
}

/** An event with personal data. */
const withPerson = 10;

function events(): { readonly cases: readonly Case[] } {
  const [early, all] = [sealOf(past, 12), sealOf(past)];
  const proofOf = (ordinal: number, seal: Seal) => ({
    ...{ format: 'audience-ledger-event/2', seal, event: proven(past, ordinal, seal.count) },
  });
  const proof = proofOf(withPerson, all);
  const text = JSON.stringify(proof);
  const changed = (change: object): object => ({ ...proof, event: { ...proof.event, ...change } });
  return {
    cases: [
      { name: 'a proof', valid: true, text },
      ...written(true, {
        'of the last event': proofOf(past.length, all),
        'against an early seal': proofOf(withPerson, early),
        'with a digest in place of personal data': changed({ data: logs.erased(proof.event.data) }),
        'against a final seal': { ...proof, seal: resigned(all, { final: true }) },
      }),
      { name: 'indented', valid: true, text: `${JSON.stringify(proof, undefined, 2)}\n` },
      { name: 'with its seal and its key', valid: true, of: 'a proof', seals: texts(all), publicKey: all.public_key },
      { name: 'with another seal', valid: false, of: 'a proof', seals: texts(early) },
      { name: 'with its seal, but final', valid: false, of: 'a proof', seals: texts(resigned(all, { final: true })) },
      { name: 'with another key', valid: false, of: 'a proof', publicKey: publicKeyOf(otherKey) },
      ...written(false, {
        'the seal of fewer events': { ...proof, seal: early },
        'another event of the same log': changed({ ...proven(past, withPerson + 1), path: proof.event.path }),
        'a seal signed by another key than it names': {
          ...{ ...proof, seal: { ...all, signature: sealOf(past, all.count, otherKey).signature } },
        },
        'a seal whose restores are null': { ...proof, seal: resigned(all, { restores: null }) },
        'a seal whose final is a text': { ...proof, seal: resigned(all, { final: 'false' }) },
        'an event after the seal': { ...proofOf(past.length, all), seal: early },
        'data that is not an object': changed({ data: '[]' }),
        'data with a name twice': changed({ data: proof.event.data.replace('{', '{"person":1,') }),
      }),
      ...changes('a proof', text, [
        ['its number', /"ordinal":(\d)/, '"ordinal":1$1'],
        ['its revision', '"revision":0', '"revision":1'],
        ['its type', '"type":"', '"type":"X'],
        ['personal data', 'person.2@', 'person.3@'],
        ['its metadata', /actor\\":\\"shop/, String.raw`actor\":\"shqp`],
        ['path', /"path":\["[0-9a-f]{64}"/, `"path":["${'0'.repeat(64)}"`],
        ['path cut', /"path":\["[0-9a-f]{64}",/, '"path":['],
        ['the count of the seal', '"count":', '"count":1'],
        ['a member twice', '"event":', '"event":{},"event":'],
        ['a member that it should not have', '"seal":', '"verified":true,"seal":'],
        ['a member missing', /,"seal":\{[^}]*\}/, ''],
        ['an ordinal that is not in digits', /"ordinal":(\d+)/, '"ordinal":$1.0'],
      ]),
      { ...changes('a proof', text, [['an earlier format', 'event/2', 'event/1']])[0], exit: 2 } as Case,
    ],
  };
}
