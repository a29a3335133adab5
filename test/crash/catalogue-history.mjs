/** The history of the groups, lists or tags as the log tells it: which name and which id held when. Its rules are written independently of the service's. */
import { createSpans } from './spans.mjs';

export const nameKey = (name) => name.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();

export function createCatalogueHistory(noun) {
  /** Name by id, id by name key. */
  const names = createSpans();
  const holders = createSpans();
  const title = noun[0].toUpperCase() + noun.slice(1);
  const id = `${noun}_id`;
  const name = `${noun}_name`;

  function change(event, { from, to }) {
    const { position } = event;
    if (from !== undefined) {
      names.close(event.data[id], position);
      holders.close(nameKey(from), position);
    }
    if (to === undefined) return [];
    const isTaken = holders.now(nameKey(to)) !== undefined;
    names.open(event.data[id], to, position);
    holders.open(nameKey(to), event.data[id], position);
    return isTaken ? [`${noun} name taken twice at position ${position}`] : [];
  }

  return {
    names,
    holders,
    /** Problems of the event against the state before it. */
    apply(event) {
      const known = names.now(event.data[id]);
      const now = event.data[name];
      if (event.type === `${title}Created`) {
        const isOld = names.everHeld(event.data[id]) ? [`${noun} id used again at position ${event.position}`] : [];
        return [...isOld, ...change(event, { to: now })];
      }
      if (known === undefined) return [`${event.type} of an unknown ${noun} at position ${event.position}`];
      if (event.type === `${title}Deleted`) return change(event, { from: known });
      return change(event, { from: known, to: now });
    },
    /** The events that a request must lead to in the state of now; undefined where it must be refused. */
    expected({ kind, target, name: wanted }) {
      const holder = wanted === undefined ? undefined : holders.now(nameKey(wanted));
      const before = names.now(target);
      if (kind === 'create')
        return holder === undefined ? [{ type: `${title}Created`, data: { [name]: wanted.trim() } }] : undefined;
      if (before === undefined) return undefined;
      if (kind === 'delete') return [{ type: `${title}Deleted`, data: { [id]: target, [name]: before } }];
      if (holder !== undefined && holder !== target) return undefined;
      const data = { [id]: target, [name]: wanted.trim(), previous_name: before };
      return before === wanted.trim() ? [] : [{ type: `${title}Renamed`, data }];
    },
    /** Tags that must be created for these names in the state of now. */
    expectedMissing(wanted) {
      const missing = new Map();
      for (const one of wanted)
        if (holders.now(nameKey(one)) === undefined && !missing.has(nameKey(one)))
          missing.set(nameKey(one), one.trim());
      return [...missing.values()].map((one) => ({ type: `${title}Created`, data: { [name]: one } }));
    },
  };
}
