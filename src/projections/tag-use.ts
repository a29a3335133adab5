/** The view `tag_use`: per tag, list and day how often the tag was attached and detached. tag-use-rows.ts makes rows of it. */
import type { DomainEvent } from '../events/codec.js';
import type { ContactEvent } from '../events/contact.js';
import type { RecordedEvent } from '../events/envelope.js';
import { dayOf } from './calendar.js';
import { absent, CannotFoldError, existing, type Projection } from './projection.js';

/** What happened to one tag in one list on one day, by the times of the events. */
export type TagDay = {
  readonly kind: 'day';
  readonly tag_id: string;
  readonly list_id: string;
  readonly day: string;
  readonly attached: number;
  readonly detached: number;
  /** Borne by a person who was erased. */
  readonly erased: number;
};

export type Deletion = { readonly at: string; readonly position: string };

/** What the days have counted, but the log has after a deletion: it does not count. `position`: of the last of these events. */
export type VoidUse = Counts & { readonly position: string };

export type TagLifeDocument = {
  readonly kind: 'tag';
  readonly tag_id: string;
  readonly tag_name: string;
  readonly created_at: string;
  readonly deleted: Deletion | null;
  readonly void: { readonly [listAndDay: string]: VoidUse };
};

/** That a list was deleted: its contacts bear no tag there any more. */
export type ListEnd = {
  readonly kind: 'list_end';
  readonly list_id: string;
  readonly deleted: Deletion;
  readonly void: { readonly [tagAndDay: string]: VoidUse };
};

type TagUseDocument = TagDay | TagLifeDocument | ListEnd;

type Counts = Pick<TagDay, 'attached' | 'detached' | 'erased'>;
type TagsEvent = Extract<ContactEvent, { type: 'TagsAttached' | 'TagsDetached' | 'ContactErased' }>;

export const useDayPrefix = (tagId: string): string => `${tagId}/`;
export const tagLifeId = (tagId: string): string => `tag/${tagId}`;
export const listEndId = (listId: string): string => `list/${listId}`;

export const tagUse: Projection<TagUseDocument> = {
  name: 'tag_use',
  version: 2,
  personal: false,
  indexes: [],
  readAsWhole: true,
  scopes: ['analytics:read'],
  handles: ['TagCreated', 'TagRenamed', 'TagDeleted', 'ListDeleted', 'TagsAttached', 'TagsDetached', 'ContactErased'],

  keys({ event, metadata }) {
    switch (event.type) {
      case 'TagCreated':
      case 'TagRenamed':
      case 'TagDeleted':
        return [tagLifeId(event.data.tag_id)];
      case 'ListDeleted':
        return [listEndId(event.data.list_id)];
      case 'TagsAttached':
      case 'TagsDetached':
      case 'ContactErased': {
        // The documents of tag and list are only read until these are deleted: to know whether they are.
        const ids = usesIn(event).flatMap(({ list_id, tag_ids }) => [
          ...[...tag_ids].flatMap((id) => [useDayId(id, list_id, dayOf(metadata.at)), tagLifeId(id)]),
          listEndId(list_id),
        ]);
        return event.type === 'ContactErased' ? [...new Set(ids)] : ids;
      }
      default:
        return [];
    }
  },

  evolve(document, recorded, key) {
    const { event, metadata, position } = recorded;
    switch (event.type) {
      case 'TagCreated':
      case 'TagRenamed':
      case 'TagDeleted':
        return lived(document, event, recorded);
      case 'ListDeleted': {
        absent(document, event.type);
        const { list_id } = event.data;
        return { kind: 'list_end', list_id, deleted: { at: metadata.at, position }, void: {} };
      }
      case 'TagsAttached':
      case 'TagsDetached':
      case 'ContactErased':
        return used(document, { event, recorded, key });
      default:
        throw new CannotFoldError(`tag_use does not fold ${event.type}`);
    }
  },
};

const useDayId = (tagId: string, listId: string, day: string): string => `${useDayPrefix(tagId)}${listId}/${day}`;

interface UseIn {
  readonly list_id: string;
  readonly tag_ids: ReadonlySet<string>;
}

/** An event is folded into a document for each of its tags. */
const known = new WeakMap<TagsEvent, readonly UseIn[]>();

function usesIn(event: TagsEvent): readonly UseIn[] {
  let uses = known.get(event);
  if (uses === undefined) known.set(event, (uses = collectUses(event)));
  return uses;
}

function collectUses({ type, data }: TagsEvent): readonly UseIn[] {
  if (type === 'ContactErased') return data.attached.map((one) => ({ ...one, tag_ids: new Set(one.tag_ids) }));
  return [{ list_id: data.list_id, tag_ids: new Set(data.tags.map(({ tag_id }) => tag_id)) }];
}

type TagEvent = Extract<DomainEvent, { type: 'TagCreated' | 'TagRenamed' | 'TagDeleted' }>;

function lived(
  document: TagUseDocument | undefined,
  event: TagEvent,
  { metadata: { at }, position }: RecordedEvent<DomainEvent>,
): TagLifeDocument {
  const { tag_id, tag_name } = event.data;
  if (event.type === 'TagCreated') {
    absent(document, event.type);
    return { kind: 'tag', tag_id, tag_name, created_at: at, deleted: null, void: {} };
  }
  const life = existing(document?.kind === 'tag' ? document : undefined, event.type);
  if (event.type === 'TagRenamed') return { ...life, tag_name };
  return { ...life, deleted: { at, position } };
}

interface Use {
  readonly event: TagsEvent;
  readonly recorded: RecordedEvent<DomainEvent>;
  readonly key: string;
}

function used(document: TagUseDocument | undefined, { event, recorded, key }: Use): TagUseDocument | null {
  const day = dayOf(recorded.metadata.at);
  const [kind = '', id = ''] = key.split('/');
  if (key === listEndId(id) || key === tagLifeId(id)) {
    // The tag or list is not deleted, which is nearly always so.
    if (document === undefined) return null;
    if (document.kind === 'day' || document.deleted === null) return document;
    const places = usesIn(event).flatMap(({ list_id, tag_ids }) => {
      if (key === listEndId(list_id)) return [...tag_ids];
      return key === tagLifeId(id) && tag_ids.has(id) ? [list_id] : [];
    });
    const voids = places.map((place) => voided(document.void, `${place}/${day}`, { event, recorded }));
    return { ...document, void: { ...document.void, ...Object.fromEntries(voids) } };
  }
  return {
    ...(document?.kind === 'day' ? document : { kind: 'day', tag_id: kind, list_id: id, day }),
    ...counted(document, event),
  };
}

const none: Counts = { attached: 0, detached: 0, erased: 0 };
const countOf = { TagsAttached: 'attached', TagsDetached: 'detached', ContactErased: 'erased' } as const;

function counted(before: TagUseDocument | VoidUse | undefined, { type }: TagsEvent): Counts {
  const { attached, detached, erased } = before !== undefined && 'attached' in before ? before : none;
  const counts = { attached, detached, erased };
  return { ...counts, [countOf[type]]: counts[countOf[type]] + 1 };
}

type Voids = { readonly [place: string]: VoidUse };

function voided(voids: Voids, place: string, { event, recorded }: Omit<Use, 'key'>): readonly [string, VoidUse] {
  const before = Object.hasOwn(voids, place) ? voids[place] : undefined;
  return [place, { ...counted(before, event), position: recorded.position }];
}
