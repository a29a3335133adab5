/** The history of a contact, all of it, page by page. */
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
