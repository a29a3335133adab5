/** Every view forgets who is erased, and can be rebuilt afterwards. */
import { describe, expect, it } from 'vitest';
import type { Projection } from '../../src/projections/projection.js';
import { liveProjections, personalProjections } from '../../src/projections/views.js';
import { faultsOf } from '../contract/projection.js';

/** An own view that knows nothing of erasures. */
const names: Projection = {
  name: 'names',
  version: 1,
  personal: true,
  indexes: [],
  handles: ['ContactCreated'],
  keys: ({ event: { data } }) => ('contact_id' in data ? [data.contact_id] : []),
  evolve(_, { event }) {
    if (event.type !== 'ContactCreated') return null;
    return { name: (event.data.person as { firstName: string }).firstName.toUpperCase(), person: event.data.person };
  },
};

describe('of who is erased', () => {
  it.each(liveProjections)('the view $name holds nothing, whenever it is built', (view) => {
    expect(faultsOf(view)).toEqual([]);
  });

  it('a view that knows nothing of erasures is told what is wrong with it', () => {
    expect(faultsOf(names)).toEqual([
      expect.stringMatching(/^still holds what the person told/),
      expect.stringMatching(/^cannot be rebuilt after an erasure: TypeError/),
    ]);
    expect(faultsOf({ ...names, personal: false })[0]).toBe('holds what a person told: personal is true');
    const deletes: Projection = {
      ...names,
      handles: ['ContactCreated', 'ContactErased'],
      evolve: (_, { event }) => (event.type === 'ContactCreated' ? { person: event.data.person } : null),
    };
    expect(faultsOf(deletes)).toEqual([]);
  });

  it('remains are taken from the files of the views that say that they are personal', () => {
    expect(personalProjections.map(({ name }) => name)).toEqual(['contacts', 'suppressions', 'contact_search']);
  });
});
