/** docs/evidence.md: the members of a seal and of a proof, against the code. Leaves, links and roots are held by the vectors. */
import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSeal } from '../../src/evidence/seal.js';
import type { Verification } from '../../src/evidence/verify.js';
import { createProof } from '../../src/evidence/bundle.js';
import { codes, document, rows, section } from '../support/markdown.js';

const page = document('docs/evidence.md');

const membersIn = (heading: string): readonly string[] =>
  rows(section(page, heading)).flatMap(([names = '']) => (/^`\w+`/.test(names) ? codes(names) : []));

test('a seal has the members of the page, in their order', () => {
  const verification: Verification = {
    intact: true,
    ...{ log_id: 'log', count: 1, head: '0'.repeat(64), root: '1'.repeat(64), position: '1', event_id: 'id' },
    ...{ redacted: 0, linked: true, sealed_head: null, holding: null, findings: [] },
  };
  const seal = createSeal({ verification, key: generateKeyPairSync('ed25519').privateKey, now: 0 });
  expect(membersIn('## 6. Seals')).toEqual(Object.keys(seal));
});

test('a proof and its events have the members of the page, in their order', () => {
  const key = generateKeyPairSync('ed25519').privateKey;
  const sealed = { log_id: 'log', count: 1, head: '', root: '', sealed_at: '', public_key: '' };
  const place = { ordinal: 1, stream: '', revision: 0, event_id: '', type: '', data: '{}', metadata: '{}' };
  const event = { ...place, path: [] };
  const proof = createProof({ ...sealed, stream: '', last_revision: 0, deletions: [] }, [event], key);
  expect(membersIn('## 8. The proof of one person')).toEqual([...Object.keys(proof), ...Object.keys(event)]);
  expect(page).toContain(`\`${proof.note}\``);
});
