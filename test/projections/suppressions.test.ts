/** The view of what addresses refuse: by scope and reason, and without an address once the person is erased. */
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import type { SuppressionReason } from '../../src/events/suppressions.js';
import { suppressionStream } from '../../src/events/streams.js';
import { foundBy, suppressions } from '../../src/projections/suppressions.js';
import { exampleSalt as salt } from '../support/examples.js';
import { folded } from '../support/folded.js';

const suppressed = (scope: string, reason: SuppressionReason, email = 'ada@example.com'): DomainEvent => ({
  type: 'AddressSuppressed',
  data: { scope, reason, email_id: 'eml_01', person: { salt, email } },
});
const released = (scope: string, reason = 'by_phone'): DomainEvent => ({
  type: 'AddressReleased',
  data: { scope, reason },
});
const erased: DomainEvent = { type: 'SuppressionErased', data: { through: 0 } };

const after = (...events: DomainEvent[]) => folded(suppressions, suppressionStream('k1'), events)['k1'];

describe('a document', () => {
  it('holds each reason of each scope, by which it is found', () => {
    const both = after(suppressed('all', 'manual'), suppressed('lst_01', 'unsubscribe', 'Ada@example.com'));
    expect(both).toMatchObject({
      email: 'Ada@example.com',
      active: [
        { scope: 'all', reason: 'manual', email_id: 'eml_01' },
        { scope: 'lst_01', reason: 'unsubscribe' },
      ],
      found_by: ['all', 'manual', 'all/manual', 'lst_01', 'unsubscribe', 'lst_01/unsubscribe'],
    });
    expect(foundBy({ scope: 'lst_01', reason: 'unsubscribe' })).toBe('lst_01/unsubscribe');
    expect(foundBy({ reason: 'manual' })).toBe('manual');
    expect(foundBy({})).toBeUndefined();
    expect(after(suppressed('all', 'manual'), suppressed('lst_01', 'manual'))?.found_by).toEqual([
      'all',
      'manual',
      'all/manual',
      'lst_01',
      'lst_01/manual',
    ]);
  });

  it('goes with the last release', () => {
    const all = [suppressed('all', 'manual'), suppressed('all', 'complaint'), suppressed('lst_01', 'unsubscribe')];
    expect(after(...all, released('all'))?.active).toMatchObject([{ scope: 'lst_01' }]);
    expect(after(...all, released('all'), released('lst_01'))).toBeUndefined();
    expect(after(...all, released('all', 'forgotten'))).toBeUndefined();
    expect(after(released('all'))).toBeUndefined();
  });

  it('stays without the address of an erased person, who may be known again', () => {
    expect(after(suppressed('all', 'manual'), erased)).toMatchObject({ email: null, active: [{ scope: 'all' }] });
    expect(after(suppressed('all', 'manual'), erased, suppressed('lst_01', 'manual'))?.email).toBe('ada@example.com');
    expect(after(erased)).toBeUndefined();
  });
});
