/** The erasure of a contact with more lists and tags than one append takes: several ContactErased, which together name everything once. */
import { describe, expect, it } from 'vitest';
import type { ContactState } from '../../src/commands/contact-state.js';
import { contactDecider } from '../../src/commands/contact.js';
import type { ContactEvent } from '../../src/events/contact.js';
import { apply } from './given.js';

type Erased = Extract<ContactEvent, { type: 'ContactErased' }>;
const at = { at: '2026-03-01T09:00:00.000Z' };
const erase = { type: 'Erase', erasure_id: 'ers_1' } as const;

const created = (contact_id: string): ContactEvent => ({
  type: 'ContactCreated',
  data: { contact_id, person: { email: 'ann@example.com' } },
});
const fold = (events: readonly ContactEvent[], state: ContactState = contactDecider.initial): ContactState =>
  events.reduce((folded, event) => contactDecider.evolve(folded, event, at), state);

/** Ids as long as the real ones; every second list is left. */
function life(lists: number, tags: number): ContactEvent[] {
  const events = [created('con_1')];
  for (let list = 0; list < lists; list += 1) {
    const [contact_id, list_id] = ['con_1', `lst_${String(list).padStart(26, '0')}`];
    const of = { contact_id, list_id, list_name: 'A list' };
    events.push({ type: 'ContactSubscribed', data: { ...of, previous_status: null } });
    const named = Array.from({ length: tags }, (_, tag) => ({ tag_id: `tag_${String(tag).padStart(26, '0')}` }));
    const attached = named.map(({ tag_id }) => ({ tag_id, tag_name: tag_id }));
    events.push({ type: 'TagsAttached', data: { contact_id, list_id, tags: attached } });
    if (list % 2 === 1) events.push({ type: 'ContactUnsubscribed', data: { ...of, previous_status: 'Subscribed' } });
  }
  return events;
}

/** Every part until nothing is left, and the state then. `between`: what happens after the first one. */
function erased(history: readonly ContactEvent[], between: readonly ContactEvent[] = []) {
  let state = fold(history);
  const whole = state.subscriptions;
  let revision = BigInt(history.length - 1);
  const parts: Erased['data'][] = [];
  for (;;) {
    const decision = contactDecider.decide(erase, state, { revision, at: '2026-03-01T09:00:00.000Z' });
    const [event] = Array.isArray(decision) ? (decision as ContactEvent[]) : [];
    if (event?.type !== 'ContactErased') return { parts, state, whole };
    state = apply(contactDecider, state, [event]);
    if (parts.push(event.data) === 1) state = fold(between, state);
    revision += 1n;
  }
}

const uses = (parts: readonly Pick<Erased['data'], 'attached'>[]): string[] =>
  parts.flatMap(({ attached }) => attached.flatMap((one) => one.tag_ids.map((id) => `${one.list_id}/${id}`)));

describe.each([
  { lists: 1, tags: 35_000 },
  { lists: 300, tags: 200 },
  { lists: 2_000, tags: 0 },
  { lists: 2_500, tags: 1 },
])('$lists lists of $tags tags', ({ lists, tags }) => {
  const history = life(lists, tags);
  const { parts, state, whole } = erased(history);

  it('are named in parts that fit an append, each list and tag once, with one `through`', () => {
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(300 * 1024);
    expect(new Set(parts.map(({ through }) => through))).toEqual(new Set([history.length - 1]));
    expect(parts.flatMap(({ list_ids }) => list_ids)).toEqual([...whole.keys()]);
    const subscribed = [...whole].flatMap(([id, { status }]) => (status === 'Subscribed' ? [id] : []));
    expect(parts.flatMap((part) => part.subscribed_list_ids)).toEqual(subscribed);
    const all = [...whole].map(([list_id, one]) => ({ list_id, tag_ids: [...one.tags] }));
    expect(uses(parts)).toEqual(uses([{ attached: all }]));
    expect(state).toMatchObject({ contactId: null, erasure: { erasure_id: 'ers_1' }, unnamed: new Map() });
  });
});

describe('who comes between two parts', () => {
  const news = { contact_id: 'con_2', list_id: 'lst_1', list_name: 'News', previous_status: null };
  const back: ContactEvent[] = [created('con_2'), { type: 'ContactSubscribed', data: news }];
  const history = life(1, 35_000);

  it('is somebody new, and stays', () => {
    const { parts, state } = erased(history, back);
    expect(uses(parts)).toHaveLength(35_000);
    expect(new Set(parts.map(({ contact_id }) => contact_id))).toEqual(new Set(['con_1']));
    expect(state).toMatchObject({ contactId: 'con_2', unnamed: new Map() });
    expect([...state.subscriptions.keys()]).toEqual(['lst_1']);
  });

  it('may be erased too, before all of the first is named', () => {
    const second: ContactEvent = {
      type: 'ContactErased',
      data: {
        erasure_id: 'ers_2',
        contact_id: 'con_2',
        through: 99_999,
        list_ids: ['lst_1'],
        subscribed_list_ids: ['lst_1'],
        attached: [],
      },
    };
    const { parts, state } = erased(history, [...back, second]);
    expect(uses(parts)).toHaveLength(35_000);
    expect(state).toMatchObject({ contactId: null, erasure: { erasure_id: 'ers_2' }, unnamed: new Map() });
  });
});
