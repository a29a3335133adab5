/** The whole history of a contact, read page by page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { endIfRefused, session } from '../../session.js';
import type { Item } from './moments.js';

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
    setState((before) => ({ ...before, isLoading: true, error: undefined }));
    const load = async (): Promise<void> => {
      const items: Item[] = [];
      const query = { limit: pageSize };
      const onProgress = (): void => {
        // Called before the items of a page arrive. After a reload, the earlier items stay until then.
        if (!signal.aborted && items.length > 0) setState((before) => ({ ...before, items: [...items] }));
      };
      const history = client.all('getContactHistory', { path: { contact }, query, signal, onProgress });
      for await (const item of history) items.push(item);
      if (!signal.aborted) setState({ items, isLoading: false, isWhole: true, error: undefined });
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

/** When a person was erased, and by which key. */
export interface Erasure {
  readonly at?: string | undefined;
  readonly actor?: string | undefined;
}

/** Returns the erasure of the contact, or undefined if the history has none. A stream may have other contacts after it. */
export function erasureIn(items: readonly Item[], contact: string): Erasure | undefined {
  const found = items.findLast(({ type, contact_id: id }) => type === 'ContactErased' && id === contact);
  return found && { at: found.at, actor: found.actor };
}
