/** Views of persons who are erased: the documents go, others stay, and growth and use agree with what is left. */
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import { contacts } from '../../src/projections/contacts.js';
import { listGrowth } from '../../src/projections/list-growth.js';
import { memberships } from '../../src/projections/memberships.js';
import { tagUse } from '../../src/projections/tag-use.js';
import { exampleEvents as e, examples } from '../support/examples.js';
import { folded } from '../support/folded.js';

const erased: DomainEvent = {
  type: 'ContactErased',
  data: {
    erasure_id: 'ers_1',
    contact_id: examples.contact_id,
    through: 3,
    list_ids: ['lst_01', 'lst_02'],
    subscribed_list_ids: ['lst_01'],
    attached: [{ list_id: 'lst_01', tag_ids: ['tag_01'] }],
  },
};
const life = [e.contactCreated, e.subscribed, e.tagsAttached];
const day = '2026-03-01';

describe('an erasure', () => {
  it('deletes the contact and its memberships', () => {
    expect(folded(contacts, examples.contactStream, [...life, erased])).toEqual({});
    expect(folded(memberships, examples.contactStream, [...life, erased])).toEqual({});
  });

  it('is counted where the contact was subscribed, and where it bore a tag', () => {
    const growth = folded(listGrowth, examples.contactStream, [e.listCreated, ...life, erased]);
    expect(growth[`lst_01/${day}`]).toMatchObject({ joined: 1, unsubscribed: 0, erased: 1 });
    expect(growth[`lst_02/${day}`]).toBeUndefined();
    const use = folded(tagUse, examples.contactStream, [e.tagCreated, ...life, erased]);
    expect(use[`tag_01/lst_01/${day}`]).toMatchObject({ attached: 1, detached: 0, erased: 1 });
  });

  it('is void after the deletion of the list', () => {
    const growth = folded(listGrowth, examples.contactStream, [e.listCreated, ...life, e.listDeleted, erased]);
    expect(growth['list/lst_01']).toMatchObject({ void: { [day]: { erased: 1 } } });
    const use = folded(tagUse, examples.contactStream, [e.tagCreated, ...life, e.listDeleted, erased]);
    expect(use['list/lst_01']).toMatchObject({ void: { [`tag_01/${day}`]: { erased: 1 } } });
  });

  it('shows nothing of a contact whose events are erased already', () => {
    const created: DomainEvent = { type: 'ContactCreated', data: { contact_id: 'con_01', person: null } };
    const changed: DomainEvent = { type: 'ContactProfileChanged', data: { contact_id: 'con_01', person: null } };
    const view = folded(contacts, examples.contactStream, [created, changed, e.subscribed]);
    expect(view['con_01']).toMatchObject({ email: null, firstName: null });
  });
});
