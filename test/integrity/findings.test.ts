/** Broken invariants that a verification finds. */
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { createFindings } from '../../src/integrity/findings.js';

test('a digest is a finding until an erasure explains it, and who comes back is no second contact', () => {
  const digest = `{"person":"sha256:${'0'.repeat(64)}"}`;
  const event = (revision: number, type: string, data = '{}'): StoredEvent => ({
    ...{ stream: 'contact-a', revision: BigInt(revision), position: String(revision), id: '', type, data },
    metadata: '{}',
  });
  const findings = createFindings();
  findings.take(event(0, 'ContactCreated', digest), true);
  findings.take(event(1, 'ContactProfileChanged', digest), true);
  expect(findings.all()).toMatchObject([{ kind: 'digest', position: '1' }]);
  findings.take(event(2, 'ContactErased', '{"through":0}'), false);
  expect(findings.all()).toHaveLength(1);
  findings.take(event(3, 'ContactErased', '{"through":2}'), false);
  findings.take(event(4, 'ContactCreated'), false);
  expect(findings.all()).toEqual([]);
  findings.take(event(5, 'ContactCreated'), false);
  expect(findings.all()).toMatchObject([{ kind: 'second_contact' }]);
});
