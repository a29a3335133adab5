/** docs/evidence.md: its example computed from the page alone, and its members of a seal, against the code. */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createSeal } from '../../src/evidence/seal.js';
import type { Verification } from '../../src/evidence/verify.js';
import { digestOf, firstLink, leafOf, linkAfter, toHex } from '../../src/eventstore/chain.js';
import { createGrowingTree } from '../../src/eventstore/tree.js';
import { createProof } from '../../src/evidence/bundle.js';
import { memberTexts } from '../support/json-members.js';

const page = readFileSync(new URL('../../docs/evidence.md', import.meta.url), 'utf8');
const section = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

test('the example has the leaves, links and roots that the page says', () => {
  const text = section('An example');
  const [data = '', metadata = ''] = (/```text\n([^`]+)```/.exec(text)?.[1] ?? '').split('\n');
  const [stream = '', id = '', type = ''] = [...text.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word ?? '');
  const event = { stream, revision: 0, id, type, data, metadata };
  const noted = { ...event, revision: 1, type: 'Noted', data: '{"note":"naïve"}' };
  const leaves = [event, noted, { ...noted, revision: 2 }].map((one, at) => leafOf(at + 1, one));
  const link = linkAfter(firstLink, 1, event);
  const tree = createGrowingTree();
  const roots = leaves.map((leaf) => {
    tree.add(leaf);
    return toHex(tree.root() ?? '');
  });
  const digest = digestOf(memberTexts(data).get('person') ?? '').slice('"sha256:'.length, -1);
  expect([...text.matchAll(/`([0-9a-f]{64})`/g)].map(([, hex]) => hex)).toEqual([
    digest,
    toHex(leaves[0] ?? ''),
    link,
    linkAfter(link, 2, noted),
    ...roots.slice(1),
  ]);
});

test('a seal has the members of the page, in their order', () => {
  const verification: Verification = {
    intact: true,
    ...{ log_id: 'log', count: 1, head: '0'.repeat(64), root: '1'.repeat(64), position: '1', event_id: 'id' },
    ...{ redacted: 0, linked: true, sealed_head: null, holding: null, findings: [] },
  };
  const seal = createSeal({ verification, key: generateKeyPairSync('ed25519').privateKey, now: 0 });
  const members = [...section('6. Seals').matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(members).toEqual(Object.keys(seal));
});

test('a proof and its events have the members of the page, in their order', () => {
  const key = generateKeyPairSync('ed25519').privateKey;
  const sealed = { log_id: 'log', count: 1, head: '', root: '', sealed_at: '', public_key: '' };
  const place = { ordinal: 1, stream: '', revision: 0, event_id: '', type: '', data: '{}', metadata: '{}' };
  const event = { ...place, path: [] };
  const proof = createProof({ ...sealed, stream: '', last_revision: 0, deletions: [] }, [event], key);
  const text = section('8. The proof of one person');
  const members = [...text.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(members).toEqual([...Object.keys(proof), ...Object.keys(event)]);
  expect(text).toContain(`\`${proof.note}\``);
});
