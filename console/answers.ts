/** Asks the API and follows the answer: loading, there, failed. */
import { effect } from '@preact/signals';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { AudienceClient } from '../client/client.js';
import { endIfRefused, session } from './session.js';

export interface Answer<Data> {
  /** Of the last question that was answered; stays while the same is asked again. */
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Asks again. */
  reload(): void;
}

type Ask<Data> = (client: AudienceClient, signal: AbortSignal) => Promise<Data>;
type State<Data> = Omit<Answer<Data>, 'reload'>;

const nothing = { data: undefined, error: undefined, isLoading: true };

/** Asks again when one of `about` changes; what was asked before is aborted. */
export function useAnswer<Data>(ask: Ask<Data>, about: readonly unknown[]): Answer<Data> {
  const [state, setState] = useState<State<Data>>(nothing);
  const [round, setRound] = useState(0);
  const client = session.value?.client;

  useEffect(() => setState(nothing), about);
  useEffect(() => {
    if (client === undefined) return undefined;
    const abort = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    ask(client, abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setState({ data, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        endIfRefused(error);
        setState((before) => ({ ...before, error, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [...about, client, round]);

  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, reload };
}

/** Asks again now and then, while the page is seen. `pause` in milliseconds. */
export function useReloads({ reload }: Pick<Answer<unknown>, 'reload'>, pause: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, pause);
    return () => clearInterval(timer);
  }, [reload, pause]);
}

export interface Action<Input extends readonly unknown[]> {
  readonly error: unknown;
  readonly isRunning: boolean;
  /** Resolves to whether it was done. */
  run(...input: Input): Promise<boolean>;
}

/** A change that the user asks for: one at a time. */
export function useAction<Input extends readonly unknown[]>(
  act: (client: AudienceClient, ...input: Input) => Promise<unknown>,
): Action<Input> {
  const [state, setState] = useState<{ error: unknown; isRunning: boolean }>({ error: undefined, isRunning: false });
  async function run(...input: Input): Promise<boolean> {
    const client = session.value?.client;
    if (client === undefined || state.isRunning) return false;
    setState({ error: undefined, isRunning: true });
    try {
      await act(client, ...input);
      setState({ error: undefined, isRunning: false });
      return true;
    } catch (error) {
      endIfRefused(error);
      setState({ error, isRunning: false });
      return false;
    }
  }
  return { ...state, run };
}

export interface PageOf<Item> {
  readonly data: readonly Item[];
  readonly next_cursor?: string;
}

type ItemOf<Page> = Page extends PageOf<infer Item> ? Item : never;

/** `Page`: with what stands beside the items. */
export interface Pages<Item, Page = PageOf<Item>> extends Answer<Page> {
  /** From 1. */
  readonly number: number;
  /** Undefined: there is none. */
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
}

/** Cursors may hold addresses of people, so they stay in memory: by what is asked, for those who come back. */
const visited = new Map<string, readonly (string | undefined)[]>();
effect(() => {
  if (session.value === undefined) visited.clear();
});

/** A page at a time. `name` says what is asked, filters included. */
export function usePages<Page extends PageOf<unknown>>(
  name: string,
  ask: (client: AudienceClient, cursor: string | undefined, signal: AbortSignal) => Promise<Page>,
): Pages<ItemOf<Page>, Page> {
  const [, setRound] = useState(0);
  const cursors = visited.get(name) ?? [undefined];
  const cursor = cursors.at(-1);
  const answer = useAnswer((client, signal) => ask(client, cursor, signal), [name, cursor]);
  const go = (next: readonly (string | undefined)[]) => () => {
    visited.set(name, next);
    setRound((before) => before + 1);
  };
  const { next_cursor: following } = answer.data ?? {};
  return {
    ...answer,
    number: cursors.length,
    next: following === undefined ? undefined : go([...cursors, following]),
    previous: cursors.length === 1 ? undefined : go(cursors.slice(0, -1)),
  };
}
