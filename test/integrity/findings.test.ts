/** Broken invariants that a verification finds. */
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { createFindings, createStreamChecks } from '../../src/integrity/findings.js';

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

test('the revisions of each of many interleaved streams are checked', () => {
  const streams = createStreamChecks();
  const check = (stream: string, revision: number) => {
    const metadata = '{"at":"2026-01-01T00:00:00.000Z"}';
    return streams.check(
      { stream, revision: BigInt(revision), position: '', id: '', type: 'Said', data: '{}', metadata },
      1,
    );
  };
  const names = Array.from({ length: 5_000 }, (_, number) => [
    `contact-${number}`,
    `é${number}`,
    `${number}-contact`,
  ]).flat();
  for (const revision of [0, 1, 2])
    for (const name of names) if (check(name, revision) !== undefined) expect.fail(`${name}, revision ${revision}`);
  expect(check('contact-4321', 2)?.message).toContain('should be revision 3');
  expect(check('é4321', 4)?.message).toContain('should be revision 3');
  expect(check('4321-contact', 3)).toBeUndefined();
});
