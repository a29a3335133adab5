/** Random histories of lists, tags and contacts with clocks that differ, as stored events; and the views that analysts read, folded from them. */
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DomainEvent } from '../../src/events/codec.js';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { emailOutcomes } from '../../src/projections/email-outcomes.js';
import { foldBatch, handlersOf } from '../../src/projector/fold.js';
import { listGrowth } from '../../src/projections/list-growth.js';
import { tagUse } from '../../src/projections/tag-use.js';
import type { Checkpoint, ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { examplePosition, toAppend } from '../support/examples.js';

type Step = { readonly wait: number } & (
  | { readonly kind: 'status'; readonly contact: number; readonly list: number; readonly first: boolean }
  | { readonly kind: 'tags'; readonly contact: number; readonly list: number; readonly tags: readonly number[] }
  | { readonly kind: 'delete_list'; readonly list: number }
  | { readonly kind: 'delete_tag'; readonly tag: number }
);

const lists = 3;
const tags = 3;
const contacts = 5;
const day = 86_400_000;

/** Up to months between what happens; often exactly to or across midnight. */
const wait = fc.oneof(
  fc.integer({ min: 0, max: day / 6 }),
  fc.integer({ min: 0, max: 3 * day }),
  fc.constantFrom(0, 1, day - 1, day, 40 * day),
);
const one = (count: number) => fc.integer({ min: 0, max: count - 1 });

export const anyHistory: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        kind: fc.constant('status' as const),
        contact: one(contacts),
        list: one(lists),
        first: fc.boolean(),
        wait,
      }),
    },
    {
      weight: 10,
      arbitrary: fc.record({
        kind: fc.constant('tags' as const),
        contact: one(contacts),
        list: one(lists),
        tags: fc.uniqueArray(one(tags), { minLength: 1 }),
        wait,
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete_list' as const), list: one(lists), wait }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete_tag' as const), tag: one(tags), wait }) },
  ),
  { minLength: 1, maxLength: 60 },
);

export interface History {
  readonly events: readonly StoredEvent[];
  readonly listIds: readonly string[];
  readonly tagIds: readonly string[];
}

let histories = 0;
let positions = 0;

/** Begins on a last millisecond of a day. Each contact's clock is some hours off, and so are those of lists and tags. */
export function historyOf(steps: readonly Step[]): History {
  const name = `h${(histories += 1)}`;
  const log = createLog();
  const listIds = Array.from({ length: lists }, (_, index) => `lst_${name}_${index}`);
  const tagIds = Array.from({ length: tags }, (_, index) => `tag_${name}_${index}`);
  for (const list_id of listIds) log.add('lists', 3, { type: 'ListCreated', data: { list_id, list_name: list_id } });
  for (const tag_id of tagIds) log.add('tags', -5, { type: 'TagCreated', data: { tag_id, tag_name: tag_id } });
  const statuses = new Map<string, 'Subscribed' | 'Unsubscribed'>();
  const attached = new Set<string>();
  const gone = new Set<string>();

  function setStatus(contact: number, list: number, first: boolean): void {
    const list_id = listIds[list] ?? '';
    const place = `${contact}/${list}`;
    const previous = statuses.get(place) ?? null;
    const subscribes = previous === null ? first : previous === 'Unsubscribed';
    statuses.set(place, subscribes ? 'Subscribed' : 'Unsubscribed');
    log.add(`contact-${name}-${contact}`, contact * 7 - 14, {
      type: subscribes ? 'ContactSubscribed' : 'ContactUnsubscribed',
      data: { contact_id: `con_${contact}`, list_id, list_name: list_id, previous_status: previous },
    });
  }

  function changeTags(contact: number, list: number, wanted: readonly number[]): void {
    if (!statuses.has(`${contact}/${list}`)) return;
    const placeOf = (tag: number): string => `${contact}/${list}/${tag}`;
    const off = wanted.filter((tag) => attached.has(placeOf(tag)));
    const on = wanted.filter((tag) => !attached.has(placeOf(tag)));
    for (const [type, some] of [['TagsAttached', on] as const, ['TagsDetached', off] as const]) {
      if (some.length === 0) continue;
      const named = some.map((tag) => ({ tag_id: tagIds[tag] ?? '', tag_name: 'then' }));
      const data = { contact_id: `con_${contact}`, list_id: listIds[list] ?? '', tags: named };
      log.add(`contact-${name}-${contact}`, contact * 7 - 14, { type, data });
    }
    for (const tag of on) attached.add(placeOf(tag));
    for (const tag of off) attached.delete(placeOf(tag));
  }

  function remove(id: string, event: DomainEvent): void {
    if (gone.has(id)) return;
    gone.add(id);
    log.add(event.type === 'ListDeleted' ? 'lists' : 'tags', event.type === 'ListDeleted' ? 3 : -5, event);
  }

  for (const step of steps) {
    log.wait(step.wait);
    if (step.kind === 'status') setStatus(step.contact, step.list, step.first);
    else if (step.kind === 'tags') changeTags(step.contact, step.list, step.tags);
    else if (step.kind === 'delete_list') {
      const list_id = listIds[step.list] ?? '';
      remove(list_id, { type: 'ListDeleted', data: { list_id, list_name: list_id } });
    } else {
      const tag_id = tagIds[step.tag] ?? '';
      remove(tag_id, { type: 'TagDeleted', data: { tag_id, tag_name: tag_id } });
    }
  }
  return { events: log.events, listIds, tagIds };
}

function createLog() {
  const events: StoredEvent[] = [];
  const heads = new Map<string, { revision: bigint; at: number }>();
  let now = Date.parse('2025-11-30T23:59:59.999Z');
  return {
    events,
    wait(milliseconds: number): void {
      now = Math.min(now + milliseconds, Date.parse('2026-12-31T12:00:00.000Z'));
    },
    /** As the service does: never earlier than the event before it in the stream. */
    add(stream: string, hoursOff: number, event: DomainEvent): void {
      const head = heads.get(stream) ?? { revision: -1n, at: 0 };
      const next = { revision: head.revision + 1n, at: Math.max(head.at, now + hoursOff * 3_600_000) };
      heads.set(stream, next);
      const stored = toAppend(event, { at: new Date(next.at).toISOString() });
      events.push({ ...stored, stream, revision: next.revision, position: examplePosition((positions += 1)) });
    },
  };
}

export interface FoldedViews {
  readonly models: ReadModels;
  /** In batches of so many. */
  fold(events: readonly StoredEvent[], batch: number): Promise<void>;
  close(): Promise<void>;
}

const projections = [listGrowth, tagUse, emailOutcomes];

export async function openFoldedViews(): Promise<FoldedViews> {
  const folder = mkdtempSync(path.join(tmpdir(), 'analytics-'));
  const models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
  for (const projection of projections) await models.prepare(projection);
  let previous: Checkpoint | null = null;
  return {
    models,
    async fold(events, batch) {
      for (let first = 0; first < events.length; first += batch) {
        const some = events.slice(first, first + batch);
        const input = { handlers: handlersOf(projections), readModels: models, parked: new Map(), park: false };
        const { writes } = await foldBatch({ events: some, ...input });
        const position = some.at(-1)?.position ?? '';
        const next: Checkpoint = { logId: 'log', position, eventId: randomUUID(), storages: {} };
        await models.commit({ writes, checkpoint: { name: 'views', previous, next } });
        previous = next;
      }
    },
    async close() {
      await models.close();
      rmSync(folder, { recursive: true });
    },
  };
}
