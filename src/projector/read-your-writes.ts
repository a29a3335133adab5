/** Reading one's own writes: which documents this process has changed that the views do not show yet, and waiting for them. */
import { ServiceError } from '../errors.js';
import { codec, type DomainEvent } from '../events/codec.js';
import type { Appended, Recorded } from '../events/envelope.js';
import { handlersOf } from './fold.js';
import type { Projection } from '../projections/projection.js';

export interface OwnWrites {
  /** Notes what an append of this process changed. */
  record(append: Appended<DomainEvent>): void;
  /** An answer rested on the log up to this position without writing anything: no read may be older. */
  rest(position: string): void;
  /** The views show everything up to this position now. */
  advance(position: string): void;
  /** The views are folded anew and have come to this position: what they showed before counts as own write to everything. */
  retreat(position: string): void;
  /** What the views show everything up to, as far as is known. */
  shown(): string;
  /** Somebody waits for the views. */
  isAwaited(): boolean;
  /**
   * Resolves when the views show this process's own writes to these and, if given, everything up to `position`.
   * Each of `touched` is `view/id` for a document, `view` for a collection, `view/prefix/` for a part of one, or
   * `stream:name`. Returns undefined at once where nothing is to be waited for. Rejects with ServiceError `unavailable`
   * after 2 s.
   */
  visible(touched: readonly string[], position?: string): Promise<void> | undefined;
  /** Calls the listener whenever somebody begins to wait for the views. */
  onWaiting(listener: () => void): void;
  /** Whether the views have come to where the log stood at start, or to what they showed before they were folded anew. */
  reached(): boolean;
  /** Milliseconds since the oldest own write that the views do not show; 0 when they show all. */
  lag(): number;
  /** Resolves when the lag is below `milliseconds`, or after `patience` milliseconds. */
  relief(milliseconds: number, patience: number): Promise<void>;
  close(): void;
}

/** Own writes remembered one by one. */
const mostPending = 20_000;
/** How long a read waits before it answers that it cannot. */
const patienceMs = 2000;

const nothing: ReadonlySet<string> = new Set();

interface Waiter {
  readonly position: string;
  readonly resolve: () => void;
  readonly timer: NodeJS.Timeout;
}

/** What is kept of an append: texts, which cost the garbage collector less than objects. */
interface Texts extends Pick<Appended<DomainEvent>, 'stream' | 'revision' | 'position'> {
  readonly events: readonly Appended<DomainEvent>['events'][number]['encoded'][];
}

interface Write {
  /** Absent when `touched` has been worked out at once. */
  readonly texts: Texts | undefined;
  readonly position: string;
  readonly time: number;
  touched: ReadonlySet<string> | undefined;
}

export interface OwnWritesOptions {
  readonly projections: readonly Projection[];
  /** Head of the log at start: counts as this process's own last write to everything. */
  readonly head: string;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export function createOwnWrites({ projections, head, now }: OwnWritesOptions): OwnWrites {
  const byType = handlersOf(projections);

  /** Own writes that the views do not show yet, in log order, to be forgotten from the front. */
  let pending: Write[] = [];
  let first = 0;
  let visiblePosition = '';
  /** What every read waits for. */
  let floor = head;
  /** Once shown, the views have caught up with the start. */
  let goal = head;
  let waiters: Waiter[] = [];
  let whenWaiting = (): void => undefined;

  function forget(): void {
    while (first < pending.length && (pending[first]?.position ?? '') <= visiblePosition) first += 1;
    if (first === pending.length) {
      pending = [];
      first = 0;
    } else if (first > 10_000) {
      pending = pending.slice(first);
      first = 0;
    }
  }

  /** The views are far behind: from here on the last write counts as one to everything, so that memory stays bounded. */
  function collapse(): void {
    const oldest = pending[first];
    const position = pending.at(-1)?.position ?? '';
    if (position > floor) floor = position;
    pending = oldest === undefined ? [] : [{ ...oldest, texts: undefined, position, touched: nothing }];
    first = 0;
  }

  /** In the order of the log: appends to different streams may be answered in another one, and a repeat tells an old position. */
  function insert(write: Write): void {
    let at = pending.length;
    while (at > first && (pending[at - 1]?.position ?? '') > write.position) at -= 1;
    if (at === pending.length) pending.push(write);
    else pending.splice(at, 0, write);
  }

  /** Position of the last own write to one of these that is not shown yet. */
  function lastWrite(touched: readonly string[]): string {
    for (let index = pending.length - 1; index >= first; index -= 1) {
      const write = pending[index];
      if (write === undefined) continue;
      // Worked out only when somebody reads: most writes are shown before anybody asks.
      write.touched ??= write.texts === undefined ? nothing : touchedBy(recalled(write.texts), byType);
      for (const one of touched) if (write.touched.has(one)) return write.position;
    }
    return '';
  }

  function wait(position: string, patience: number): Promise<boolean> {
    if (position <= visiblePosition) return Promise.resolve(true);
    whenWaiting();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waiters = waiters.filter((waiter) => waiter.timer !== timer);
        resolve(false);
      }, patience);
      waiters.push({ position, timer, resolve: () => resolve(true) });
    });
  }

  function lag(): number {
    const oldest = pending[first];
    return oldest === undefined ? 0 : now() - oldest.time;
  }

  return {
    lag,
    shown: () => visiblePosition,
    isAwaited: () => waiters.length > 0,
    retreat(position) {
      if (visiblePosition > floor) floor = visiblePosition;
      goal = floor;
      visiblePosition = position;
    },
    onWaiting(listener) {
      whenWaiting = listener;
    },
    reached: () => goal <= visiblePosition,
    record(append) {
      const { position } = append;
      if (position <= visiblePosition) return;
      // An e-mail is large, and there may be many while the views are out of reach: what it touches is enough.
      const isLarge = append.events.some(({ event }) => event.type === 'EmailRequested');
      const touched = isLarge ? touchedBy(recorded(append), byType) : undefined;
      const texts = isLarge ? undefined : textsOf(append);
      insert({ texts, position, time: now(), touched });
      if (pending.length - first > mostPending) collapse();
    },
    rest(position) {
      if (position > visiblePosition && position > floor) floor = position;
    },
    advance(position) {
      if (position <= visiblePosition) return;
      visiblePosition = position;
      forget();
      if (waiters.length === 0) return;
      const reached = waiters.filter((waiter) => waiter.position <= position);
      waiters = waiters.filter((waiter) => waiter.position > position);
      for (const { timer, resolve } of reached) {
        clearTimeout(timer);
        resolve();
      }
    },
    visible(touched, position = '') {
      let needed = position > floor ? position : floor;
      const written = lastWrite(touched);
      if (written > needed) needed = written;
      if (needed <= visiblePosition) return undefined;
      return wait(needed, patienceMs).then((reached) => {
        if (!reached) throw new ServiceError('unavailable', {}, { retryAfter: 1 });
      });
    },
    async relief(milliseconds, patience) {
      const oldest = pending[first];
      if (oldest === undefined || lag() < milliseconds) return;
      await wait(oldest.position, patience);
    },
    close() {
      for (const { timer } of waiters) clearTimeout(timer);
      waiters = [];
    },
  };
}

/** Streams, collections, parts of collections and documents that these events change; see `visible`. */
function touchedBy(
  events: readonly Recorded<DomainEvent>[],
  byType: ReadonlyMap<string, readonly Projection[]>,
): ReadonlySet<string> {
  const touched = new Set<string>();
  for (const event of events) {
    touched.add(`stream:${event.stream}`);
    for (const projection of byType.get(event.event.type) ?? []) {
      touched.add(projection.name);
      for (const key of projection.keys(event)) {
        touched.add(`${projection.name}/${key}`);
        const slash = key.indexOf('/');
        if (slash >= 0) touched.add(`${projection.name}/${key.slice(0, slash + 1)}`);
      }
    }
  }
  return touched;
}

const textsOf = ({ stream, events, revision, position }: Appended<DomainEvent>): Texts => ({
  stream,
  events: events.map(({ encoded }) => encoded),
  revision,
  position,
});

/** Positions are those of the last event: nothing is told apart within one append. */
function recorded({ stream, events, revision, position }: Appended<DomainEvent>): Recorded<DomainEvent>[] {
  return events.map(({ id, event, metadata }, at) => ({
    stream,
    revision: revisionOf(at, { events, revision }),
    position,
    id,
    event,
    metadata,
  }));
}

function recalled({ stream, events, revision, position }: Texts): Recorded<DomainEvent>[] {
  return events.map((event, at) =>
    codec.recall({ ...event, stream, revision: revisionOf(at, { events, revision }), position }),
  );
}

const revisionOf = (at: number, append: { readonly events: readonly unknown[]; readonly revision: bigint }): bigint =>
  append.revision - BigInt(append.events.length - 1 - at);
