/** The view `tag_use`: per tag, list and day how often the tag was attached and detached. tag-use-rows.ts makes rows of it. */
import type { DomainEvent } from '../events/codec.js';
import type { ContactEvent } from '../events/contact.js';
import type { Recorded } from '../events/envelope.js';
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
};

export type Deletion = { readonly at: string; readonly position: string };

/** What the days have counted, but the log has after a deletion: it does not count. `position`: of the last of these events. */
export type VoidUse = Pick<TagDay, 'attached' | 'detached'> & { readonly position: string };

export type TagLife = {
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

export type TagUseDocument = TagDay | TagLife | ListEnd;

type TagsEvent = Extract<ContactEvent, { type: 'TagsAttached' | 'TagsDetached' }>;

export const useDayPrefix = (tagId: string): string => `${tagId}/`;
export const tagLifeId = (tagId: string): string => `tag/${tagId}`;
export const listEndId = (listId: string): string => `list/${listId}`;

export const tagUse: Projection<TagUseDocument> = {
  name: 'tag_use',
  version: 1,
  indexes: [],
  readAsWhole: true,
  scopes: ['analytics:read'],
  handles: ['TagCreated', 'TagRenamed', 'TagDeleted', 'ListDeleted', 'TagsAttached', 'TagsDetached'],

  keys({ event, metadata }) {
    switch (event.type) {
      case 'TagCreated':
      case 'TagRenamed':
      case 'TagDeleted':
        return [tagLifeId(event.data.tag_id)];
      case 'ListDeleted':
        return [listEndId(event.data.list_id)];
      case 'TagsAttached':
      case 'TagsDetached': {
        const { list_id, tags } = event.data;
        const ids = new Set(tags.map(({ tag_id }) => tag_id));
        // The documents of tag and list are only read until these are deleted: to know whether they are.
        const ofTags = [...ids].flatMap((id) => [useDayId(id, list_id, dayOf(metadata.at)), tagLifeId(id)]);
        return [...ofTags, listEndId(list_id)];
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
        return used(document, { event, recorded, key });
      default:
        throw new CannotFoldError(`tag_use does not fold ${event.type}`);
    }
  },
};

const useDayId = (tagId: string, listId: string, day: string): string => `${useDayPrefix(tagId)}${listId}/${day}`;

type TagEvent = Extract<DomainEvent, { type: 'TagCreated' | 'TagRenamed' | 'TagDeleted' }>;

function lived(
  document: TagUseDocument | undefined,
  event: TagEvent,
  { metadata: { at }, position }: Recorded<DomainEvent>,
): TagLife {
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
  readonly recorded: Recorded<DomainEvent>;
  readonly key: string;
}

function used(document: TagUseDocument | undefined, { event, recorded, key }: Use): TagUseDocument | null {
  const { list_id, tags } = event.data;
  const isEnd = key === listEndId(list_id);
  if (isEnd || key.startsWith(tagLifeId(''))) {
    // The tag or list is not deleted, which is nearly always so.
    if (document === undefined) return null;
    if (document.kind === 'day' || document.deleted === null) return document;
    const day = dayOf(recorded.metadata.at);
    const first = isEnd ? [...new Set(tags.map(({ tag_id }) => tag_id))] : [list_id];
    const places = first.map((id) => `${id}/${day}`);
    return {
      ...document,
      void: places.reduce((voids, place) => voided(voids, place, { event, recorded }), document.void),
    };
  }
  const tag_id = key.slice(0, key.indexOf('/'));
  const day = dayOf(recorded.metadata.at);
  return {
    ...(document?.kind === 'day' ? document : { kind: 'day', tag_id, list_id, day }),
    ...counted(document, event),
  };
}

type Counts = Pick<TagDay, 'attached' | 'detached'>;
const none: Counts = { attached: 0, detached: 0 };

function counted(before: TagUseDocument | VoidUse | undefined, { type }: TagsEvent): Counts {
  const { attached, detached } = before !== undefined && 'attached' in before ? before : none;
  return type === 'TagsAttached' ? { attached: attached + 1, detached } : { attached, detached: detached + 1 };
}

type Voids = { readonly [place: string]: VoidUse };

function voided(voids: Voids, place: string, { event, recorded }: Omit<Use, 'key'>): Voids {
  const before = Object.hasOwn(voids, place) ? voids[place] : undefined;
  return { ...voids, [place]: { ...counted(before, event), position: recorded.position } };
}
