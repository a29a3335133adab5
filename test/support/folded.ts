/** Folds the events of one stream into a view, without a store. */
import type { DomainEvent } from '../../src/events/codec.js';
import type { Projection } from '../../src/projections/projection.js';
import type { Document } from '../../src/readmodels/read-models.js';
import { recorded } from './examples.js';

/** The documents of a view after the events of one stream, by id. */
export function folded<D extends Document>(projection: Projection<D>, stream: string, events: readonly DomainEvent[]) {
  const documents = new Map<string, D>();
  for (const event of recorded(stream, events)) {
    if (!projection.handles.includes(event.event.type)) continue;
    for (const key of projection.keys(event)) {
      const next = projection.evolve(documents.get(key), event, key);
      if (next === null) documents.delete(key);
      else documents.set(key, next);
    }
  }
  return Object.fromEntries(documents);
}
