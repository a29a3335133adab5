/** The view of what addresses refuse: by scope and reason, and without an address once the person is erased. */
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import type { SuppressionReason } from '../../src/events/suppressions.js';
import { suppressionStream } from '../../src/events/streams.js';
import { createSuppressionLookup, foundBy, suppressions } from '../../src/projections/suppressions.js';
import type { ReadModelReader } from '../../src/readmodels/read-models.js';
import { exampleSalt as salt } from '../support/examples.js';
import { folded } from '../support/folded.js';
import { queryViewsOf } from '../support/query-views.js';

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

describe('the look-up beside a contact', () => {
  const started = (documents: readonly object[], isBuilt = () => true) => {
    let reads = 0;
    let standing = 1;
    const page = { documents: documents.map((document) => ({ id: 'k1', position: '1', document })) };
    const views = queryViewsOf({
      find: () => Promise.resolve(page).finally(() => (reads += 1)),
      get: () => Promise.resolve(page.documents[0]).finally(() => (reads += 1)),
    } as unknown as ReadModelReader);
    const known = { isNobody: () => false, refusesNothing: () => false };
    const lookup = createSuppressionLookup(views, { known, standing: () => [standing], isBuilt });
    return { lookup, reads: () => reads, move: () => (standing += 1) };
  };

  it('costs nothing while nobody refuses mail and the views stand where they stood', async () => {
    const { lookup, reads, move } = started([]);
    for (let asked = 0; asked < 5; asked += 1) expect(await lookup.isAnybody()).toBe(false);
    expect(reads()).toBe(1);
    move();
    expect(await lookup.isAnybody()).toBe(false);
    expect(reads()).toBe(2);
    lookup.note();
    expect(await lookup.isAnybody()).toBe(true);
    expect(reads()).toBe(2);
  });

  it('is one read more once somebody does', async () => {
    const active = [{ scope: 'all', reason: 'manual', since: '' }];
    const { lookup, reads, move } = started([{ email: null, active, found_by: [] }]);
    expect(await lookup.isAnybody()).toBe(true);
    move();
    expect(await lookup.isAnybody()).toBe(true);
    expect(reads()).toBe(1);
    expect(await lookup.of('k1')).toEqual(active);
    expect(reads()).toBe(2);
  });

  it('is not made while the view is built for the first time', async () => {
    const { lookup, reads } = started([{ email: null, active: [], found_by: [] }], () => false);
    expect(await lookup.isAnybody()).toBe(false);
    expect(reads()).toBe(0);
  });
});
