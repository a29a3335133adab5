/** docs/evidence.md: its example computed from the page alone, and its members of a seal, against the code. */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createSeal } from '../../src/evidence/seal.js';
import type { Verification } from '../../src/evidence/verify.js';
import { digestOf, firstLink, linkAfter } from '../../src/eventstore/chain.js';
import { memberTexts } from '../support/json-members.js';

const page = readFileSync(new URL('../../docs/evidence.md', import.meta.url), 'utf8');
const section = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

test('the example has the links that the page says', () => {
  const text = section('An example');
  const [data = '', metadata = ''] = (/```text\n([^`]+)```/.exec(text)?.[1] ?? '').split('\n');
  const [stream = '', id = '', type = ''] = [...text.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word ?? '');
  const [digest, first, second] = [...text.matchAll(/`([0-9a-f]{64})`/g)].map(([, hex]) => hex);
  expect(digestOf(memberTexts(data).get('person') ?? '')).toBe(`"sha256:${digest}"`);
  const event = { stream, revision: 0, id, type, data, metadata };
  const link = linkAfter(firstLink, 1, event);
  expect(link).toBe(first);
  const noted = { ...event, revision: 1, type: 'Noted', data: '{"note":"naïve"}' };
  expect(linkAfter(link, 2, noted)).toBe(second);
});

test('a seal has the members of the page, in their order', () => {
  const verification: Verification = {
    intact: true,
    ...{ log_id: 'log', count: 1, head: '0'.repeat(64), position: '1', event_id: 'id' },
    ...{ redacted: 0, linked: true, findings: [] },
  };
  const seal = createSeal({ verification, key: generateKeyPairSync('ed25519').privateKey, now: 0 });
  const members = [...section('5. Seals').matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(members).toEqual(Object.keys(seal));
});
