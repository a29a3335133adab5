/** What a projection is: data and pure functions. Adding a view means adding one file and a line in views.ts. */
import type { DomainEvent, EventType } from '../events/codec.js';
import type { RecordedEvent } from '../events/envelope.js';
import type { Scope } from '../events/keys.js';
import type { Document, View } from '../readmodels/read-models.js';

/**
 * Folds events into documents. Pure: no clock, no I/O, no randomness. No event writes more documents than it names:
 * documents hold ids, and the names of lists and tags are joined when read.
 */
export interface Projection<D extends Document = Document> extends View {
  /**
   * Whether documents hold something of what stands under `person` or `message`. An erasure then leaves no remains of
   * them in the file. Nothing of it may be left after an erasure: test/contract/projection.ts holds every view to that.
   */
  readonly personal: boolean;
  /** Event types it folds. A change of what these yield, or of the indexes, needs a new version, hence a rebuild. */
  readonly handles: readonly EventType[];
  /** Its documents are not read one by one: a write of this process to one counts as a write to all. */
  readonly readAsWhole?: boolean;
  /** Its documents are not answered at `/v1/views`: what they would be asked for must stand in no address. */
  readonly unlisted?: true;
  /** What a key needs to read the documents over HTTP. Default: to read what the events are about. */
  readonly scopes?: readonly Scope[];
  /** Ids of the documents that the event changes. Must not throw, nor look at revision or position: it also runs for each write, on the HTTP thread. */
  keys(event: RecordedEvent<DomainEvent>): readonly string[];
  /**
   * The document after the event; `null` deletes it; the same object = unchanged. Throws when the event cannot be
   * folded (it is then a poison event).
   */
  evolve(document: D | undefined, event: RecordedEvent<DomainEvent>, key: string): D | null;
}

/** What a key needs to read the documents of a view. */
export const scopesOf = ({ scopes, handles }: Pick<Projection, 'scopes' | 'handles'>): readonly Scope[] =>
  scopes ?? [...new Set(handles.map(scopeOf))];

const scopesByKind = [
  [/^Group/, 'groups:read'],
  [/^List/, 'lists:read'],
  [/^Tag(?!s)/, 'tags:read'],
  [/^(Contact|Consent|Tags)/, 'contacts:read'],
  [/^Email/, 'email:read'],
  [/^(Address|Suppression)/, 'suppressions:read'],
] as const;

/** Whatever else there is concerns the service itself. */
const scopeOf = (type: EventType): Scope => scopesByKind.find(([kind]) => kind.test(type))?.[1] ?? 'keys';

/** The event cannot be folded into its document: a poison event. The message is stored and shown: it names types and states, never personal data. */
export class CannotFoldError extends Error {
  override readonly name = 'CannotFoldError';
}

/** The document that an event presupposes. @throws CannotFoldError */
export function existing<D extends Document>(document: D | undefined, type: string): D {
  if (document === undefined) throw new CannotFoldError(`${type} without its document`);
  return document;
}

/** Makes sure that an event which begins a document is the first of it. @throws CannotFoldError */
export function absent(document: Document | undefined, type: string): void {
  if (document !== undefined) throw new CannotFoldError(`${type} on an existing document`);
}
