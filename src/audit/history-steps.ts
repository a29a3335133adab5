/** The steps of a contact's history in log order: its own events, with the renames and deletions of its lists and tags where they happened. */
import type { StoredEvent } from '../eventstore/event-store.js';
import type { EmailStep } from './emails.js';
import { firstAfter, versionBefore, type CataloguesAsOf, type NamedKind, type NameVersion } from './names.js';
import { streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';
import { stepOf, withoutDeleted, type StreamStep, type TimelineState } from './timeline.js';

export interface NameChange {
  readonly kind: NamedKind;
  readonly id: string;
  readonly version: NameVersion;
  readonly previousName: string;
}

export type HistoryStep =
  | StreamStep
  | (Pick<StreamStep, 'before' | 'after'> &
      ({ readonly type: 'catalogue'; readonly change: NameChange } | ({ readonly type: 'email' } & EmailStep)));

interface StepsRequest {
  readonly reader: AuditReader;
  readonly moment: CataloguesAsOf;
  readonly stream: string;
  /** Every stream is cut after its last event at or before this time. Default: uncut. */
  readonly to: string | undefined;
  readonly size: number;
  readonly signal: AbortSignal | undefined;
  readonly pace: ReplayPace;
}

/** Those after the state, some at a time: to be gone through before more are asked for. E-mails are not among them. @throws StoreUnavailableError */
export async function* stepsAfter(from: TimelineState, request: StepsRequest): AsyncGenerator<Iterable<HistoryStep>> {
  const { reader, moment, stream, to, size, signal, pace } = request;
  const changeAfter = createChangeFinder(request);
  let state = from;
  let due = changeAfter(state);
  let isCut = false;

  function* changesUntil(position: string): Generator<HistoryStep> {
    while (due !== undefined && due.version.position <= position) {
      const before = state;
      state = changed(before, due);
      yield { type: 'catalogue', change: due, after: state, before };
      due = changeAfter(state);
    }
  }

  function* through(page: readonly StoredEvent[]): Generator<HistoryStep> {
    for (const stored of page) {
      yield* changesUntil(stored.position);
      const step = stepOf(stored, state, moment);
      isCut = to !== undefined && step.at !== undefined && step.at > to;
      if (isCut) return;
      state = step.after;
      if (step.before.memberships !== state.memberships) due = changeAfter(state);
      yield step;
    }
  }

  const reading = { stream, from: from.nextRevision, horizon: moment.horizon, size, signal, pace };
  for await (const page of streamPages(reader, reading)) {
    yield through(page);
    if (isCut) break;
  }
  yield changesUntil(moment.horizon);
}

function changed(state: TimelineState, { kind, id, version }: NameChange): TimelineState {
  const { position } = version;
  const { memberships } = state;
  return {
    ...state,
    position,
    memberships: version.isDeletion ? withoutDeleted(memberships, [kind, id]) : memberships,
  };
}

/** Finds the first rename or deletion of a list or tag of the contact after the state. */
function createChangeFinder({ moment, to }: Pick<StepsRequest, 'moment' | 'to'>) {
  return ({ memberships, position }: TimelineState): NameChange | undefined => {
    let first: NameChange | undefined;
    const look = (kind: NamedKind, id: string): void => {
      const versions = moment.versions(kind, id);
      const version = versions?.[firstAfter(versions, position)];
      if (versions === undefined || version === undefined || (to !== undefined && version.at > to)) return;
      if (first !== undefined && first.version.position <= version.position) return;
      first = { kind, id, version, previousName: versionBefore(versions, position)?.name ?? version.name };
    };
    for (const [listId, { tags }] of memberships) {
      look('list', listId);
      for (const id of tags.keys()) look('tag', id);
    }
    return first;
  };
}
