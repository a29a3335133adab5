/** The tables of docs/evidence.md against the code. The vectors cover leaves, roots and all other rules. */
import { expect, test } from 'vitest';
import { createProof } from '../../src/integrity/proofs.js';
import { createSeal } from '../../src/integrity/seal.js';
import { codes, document, rows, section } from '../support/markdown.js';
import { sealKey } from './vectors/log.js';

const page = document('docs/evidence.md');

const membersIn = (heading: string): readonly string[] =>
  rows(section(page, heading)).flatMap(([names = '']) => codes(names));

test('the page names the members of a seal in their order', () => {
  const state = { log_id: 'log', seq: 1, restores: 0, count: 1, root: '0'.repeat(64), final: false };
  expect(membersIn('## 6. Seals')).toEqual(Object.keys(createSeal(state, sealKey, 0)));
});

test('the page names the members of a proof of one person in their order, and its note', () => {
  const sealed = { log_id: 'log', count: 1, root: '', sealed_at: '', public_key: '' };
  const proof = createProof({ ...sealed, stream: '', last_revision: 0, deletions: [] }, [], sealKey);
  expect(membersIn('## 8. The proof of one person')).toEqual(Object.keys(proof));
  expect(page).toContain(`\`${proof.note}\``);
});
