/** The history of a contact, all of it, page by page; and the moments at which something of the contact changed. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { components } from '../../../client/client.js';
import { endIfRefused, session } from '../../session.js';

export type Item = components['schemas']['HistoryItem'];

interface Loaded {
  /** Oldest first. */
  readonly items: readonly Item[];
  readonly isLoading: boolean;
  /** False: stopped before the end. */
  readonly isWhole: boolean;
  readonly error: unknown;
}

export interface History extends Loaded {
  stop(): void;
  reload(): void;
}

const nothing: Loaded = { items: [], isLoading: true, isWhole: false, error: undefined };
const pageSize = 200;

export function useHistory(contact: string): History {
  const [state, setState] = useState<Loaded>(nothing);
  const [round, setRound] = useState(0);
  const running = useRef<AbortController | undefined>(undefined);
  const client = session.value?.client;

  useEffect(() => setState(nothing), [contact]);
  useEffect(() => {
    if (client === undefined) return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    running.current = abort;
    const load = async (): Promise<void> => {
      const items: Item[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
        const page = await client.getContactHistory({ path: { contact }, query, signal });
        items.push(...page.data);
        cursor = page.next_cursor;
        const isWhole = cursor === undefined;
        if (!signal.aborted) setState({ items: [...items], isLoading: !isWhole, isWhole, error: undefined });
      } while (cursor !== undefined && !signal.aborted);
    };
    load().catch((error: unknown) => {
      if (signal.aborted) return;
      endIfRefused(error);
      setState((before) => ({ ...before, isLoading: false, error }));
    });
    return () => abort.abort();
  }, [client, contact, round]);

  return {
    ...state,
    stop() {
      running.current?.abort();
      setState((before) => ({ ...before, isLoading: false }));
    },
    reload: () => setRound((before) => before + 1),
  };
}

/** All that changed in one millisecond: the API cannot tell apart what happened then. */
export interface Moment {
  readonly at: string;
  readonly items: readonly Item[];
}

/** In the order of time. E-mails change nothing of the contact. */
export function momentsOf(items: readonly Item[]): readonly Moment[] {
  const moments = new Map<string, Item[]>();
  for (const item of items) {
    if (item.email !== undefined || item.at === undefined) continue;
    const there = moments.get(item.at);
    if (there === undefined) moments.set(item.at, [item]);
    else there.push(item);
  }
  return [...moments]
    .map(([at, changes]) => ({ at, items: changes }))
    .sort((one, other) => (one.at < other.at ? -1 : 1));
}

/** How many moments are at the time or before it. */
export const countUntil = (moments: readonly Moment[], time: string): number =>
  moments.filter(({ at }) => at <= time).length;

export const kindTexts = {
  person: 'Person',
  status: 'Subscriptions',
  consent: 'Consent',
  tags: 'Tags',
  names: 'Lists and tags renamed or deleted',
  email: 'E-mails',
  erasure: 'Erasure',
  unreadable: 'Unreadable',
} as const;
export type ItemKind = keyof typeof kindTexts;

const kindsOfTypes: Readonly<Record<string, ItemKind>> = {
  ContactCreated: 'person',
  ContactProfileChanged: 'person',
  ContactSubscribed: 'status',
  ContactUnsubscribed: 'status',
  ConsentRecorded: 'consent',
  TagsAttached: 'tags',
  TagsDetached: 'tags',
  ContactErased: 'erasure',
};

export function kindOf(item: Item): ItemKind {
  if (item.kind === 'unreadable') return 'unreadable';
  if (item.email !== undefined) return 'email';
  return kindsOfTypes[item.type] ?? 'names';
}

/** Lists that the item is about. */
export function listsOf(item: Item): readonly string[] {
  if (item.kind === 'unreadable') return [];
  return item.list === undefined ? (item.list_ids ?? []) : [item.list.list_id];
}
