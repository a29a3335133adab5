/** Asks the API and follows the answer: loading, there, failed. */
import { effect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { AudienceError, type AudienceClient, type Progress } from '../client/client.js';
import { endIfRefused, session } from './session.js';

/** Whether the API refused the request because the id is unknown. Some operations answer with 400. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof AudienceError && (error.statusCode === 404 || error.type === 'unknown_id');

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

/** How a long action reports its progress and is stopped. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface LongAction<Input extends readonly unknown[]> extends Action<Input> {
  /** Undefined while nothing runs, and before the first page has been read. */
  readonly progress: Progress | undefined;
  stop(): void;
}

/** An action that reads many pages: it shows its progress and can be stopped. */
export function useLongAction<Input extends readonly unknown[]>(
  act: (client: AudienceClient, watch: Watch, ...input: Input) => Promise<unknown>,
): LongAction<Input> {
  const [progress, setProgress] = useState<Progress>();
  const running = useRef<AbortController | undefined>(undefined);
  const action = useAction(async (client, ...input: Input) => {
    const abort = new AbortController();
    running.current = abort;
    try {
      await act(client, { signal: abort.signal, onProgress: setProgress }, ...input);
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      setProgress(undefined);
    }
  });
  const stop = (): void => running.current?.abort();
  useEffect(() => stop, []);
  return { ...action, progress, stop };
}

export interface PageOf<Item> {
  readonly data: readonly Item[];
  readonly next_cursor?: string;
  readonly incomplete?: boolean;
  /** Number of events that were read for the page, found or not. */
  readonly searched?: number;
  /** Number of events in the log. */
  readonly total?: number | null;
}

type ItemOf<Page> = Page extends PageOf<infer Item> ? Item : never;

/** The parameters of the request for the next answer of a page. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

/** A page of a table. `Page` has the fields beside the items. */
export interface Pages<Item, Page = PageOf<Item>> extends Answer<Page> {
  /** Counts from 1. */
  readonly number: number;
  /** Undefined on the last page, and while it is not known whether there is another. */
  readonly next: (() => void) | undefined;
  /** Undefined on the first page. */
  readonly previous: (() => void) | undefined;
  /** Whether `data` is the whole page: it is full, or everything was searched. Only then may a page say that it is empty. */
  readonly isWhole: boolean;
  readonly progress: Progress;
  /** Ends the search for the rest of the page. */
  stop(): void;
  /** Continues a search that was stopped. */
  resume(): void;
}

/** Where a page begins, and how many events were searched before it. */
interface Place {
  readonly cursor: string | undefined;
  readonly searched: number;
}

const firstPlace: Place = { cursor: undefined, searched: 0 };

/** Cursors may hold addresses of people, so they stay in memory: by what is asked, for those who come back. */
const visited = new Map<string, readonly Place[]>();
effect(() => {
  if (session.value === undefined) visited.clear();
});

interface Found<Page> {
  /** Everything that was found for this page so far. Undefined before the first answer. */
  readonly data: Page | undefined;
  readonly isWhole: boolean;
  readonly error: unknown;
  readonly isLoading: boolean;
}

const nothingFound = { data: undefined, isWhole: false, error: undefined, isLoading: true };

type AskForPage<Page> = (client: AudienceClient, request: PageRequest, signal: AbortSignal) => Promise<Page>;

interface Fill<Page> {
  readonly ask: AskForPage<Page>;
  readonly size: number;
  /** Where the page begins. */
  readonly cursor: string | undefined;
  readonly signal: AbortSignal;
}

/** Yields the page as it grows, until it is full or everything was searched. `begun` is what was found of it before. */
async function* filled<Page extends PageOf<unknown>>(
  client: AudienceClient,
  { ask, size, cursor, signal }: Fill<Page>,
  begun: Page | undefined,
): AsyncGenerator<Pick<Found<Page>, 'data' | 'isWhole'>> {
  let page = begun;
  for (let isWhole = false; !isWhole;) {
    const next = page === undefined ? cursor : page.next_cursor;
    const limit = size - (page?.data.length ?? 0);
    page = joined(page, await ask(client, { limit, ...(next !== undefined && { cursor: next }) }, signal));
    isWhole = page.data.length >= size || page.next_cursor === undefined;
    yield { data: page, isWhole };
  }
}

interface Filling<Page> extends Found<Page>, Pick<Pages<unknown>, 'reload' | 'stop' | 'resume'> {}

function useFilled<Page extends PageOf<unknown>>(
  name: string,
  cursor: string | undefined,
  how: Pick<Fill<Page>, 'ask' | 'size'>,
): Filling<Page> {
  const [state, setState] = useState<Found<Page>>(nothingFound);
  const [round, setRound] = useState(0);
  const begun = useRef<Page | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  const client = session.value?.client;

  useEffect(() => {
    begun.current = undefined;
    setState(nothingFound);
  }, [name, cursor]);
  useEffect(() => {
    if (client === undefined) return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    running.current = abort;
    setState((before) => ({ ...before, isLoading: true }));
    const read = async (): Promise<void> => {
      const before = begun.current;
      begun.current = undefined;
      for await (const found of filled(client, { ...how, cursor, signal }, before)) {
        if (signal.aborted) return;
        setState({ ...found, error: undefined, isLoading: !found.isWhole });
      }
    };
    read().catch((error: unknown) => {
      if (signal.aborted) return;
      endIfRefused(error);
      setState((before) => ({ ...before, error, isLoading: false }));
    });
    return () => abort.abort();
  }, [name, cursor, client, round]);

  const { data, error, isWhole } = state;
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const resume = (): void => {
    begun.current = data;
    reload();
  };
  return {
    ...state,
    // After a failure in the middle of a search, what was found is kept.
    reload: error !== undefined && !isWhole ? resume : reload,
    stop() {
      running.current?.abort();
      setState((before) => ({ ...before, isLoading: false }));
    },
    resume,
  };
}

/**
 * Reads a page of `size` items. An answer may have fewer, or none, although more follow, so the search continues until
 * the page is full or everything was searched. `name` says what is asked, filters included.
 */
export function usePages<Page extends PageOf<unknown>>(
  name: string,
  ask: AskForPage<Page>,
  size = 50,
): Pages<ItemOf<Page>, Page> {
  const [, setTurn] = useState(0);
  const places = visited.get(name) ?? [firstPlace];
  const place = places.at(-1) ?? firstPlace;
  const found = useFilled(name, place.cursor, { ask, size });
  const go = (next: readonly Place[]) => () => {
    visited.set(name, next);
    setTurn((before) => before + 1);
  };
  const progress = progressOf(found.data, place);
  const following = found.isWhole ? found.data?.next_cursor : undefined;
  const nextPlace = { cursor: following, searched: progress.searched ?? 0 };
  return {
    ...found,
    number: places.length,
    next: following === undefined ? undefined : go([...places, nextPlace]),
    previous: places.length === 1 ? undefined : go(places.slice(0, -1)),
    progress,
  };
}

const progressOf = (page: PageOf<unknown> | undefined, place: Place): Progress => ({
  found: page?.data.length ?? 0,
  searched: page?.searched === undefined ? undefined : place.searched + page.searched,
  total: page?.total ?? undefined,
});

/** Adds the next answer to what was found of a page before. */
function joined<Page extends PageOf<unknown>>(before: Page | undefined, answer: Page): Page {
  if (before === undefined) return answer;
  const { incomplete = false, searched } = before;
  return {
    ...answer,
    data: [...before.data, ...answer.data],
    ...(incomplete && { incomplete }),
    ...(searched !== undefined && { searched: searched + (answer.searched ?? 0) }),
  };
}
