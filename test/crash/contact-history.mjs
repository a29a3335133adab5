/** The history of the contacts as the log tells it: the state of each after each of its events. Its rules are written independently of the service's. */

const nobody = { contactId: null, email: null, createdAt: null, profile: {}, lists: new Map() };
export const profileFields = [
  'firstName',
  'lastName',
  'phone',
  'dateOfBirth',
  'address',
  'city',
  'state',
  'country',
  'zipcode',
];

export function createContactHistory() {
  /** By stream: states with the position from which they held. */
  const timelines = new Map();
  const now = (stream) => timelines.get(stream)?.at(-1)?.state ?? nobody;
  return {
    now,
    streams: () => timelines.keys(),
    apply(event) {
      const states = timelines.get(event.stream) ?? [];
      states.push({ from: event.position, state: evolve(states.at(-1)?.state ?? nobody, event) });
      timelines.set(event.stream, states);
    },
    /** States that held after some event from `from` to `to`. */
    during(stream, from, to = Infinity) {
      const states = timelines.get(stream) ?? [];
      const first = states.findLastIndex((one) => one.from <= from);
      const found = states.slice(Math.max(0, first)).filter((one) => one.from <= to || one.from <= from);
      return [...(first < 0 ? [nobody] : []), ...found.map(({ state }) => state)];
    },
  };
}

function evolve(state, { type, data, metadata }) {
  switch (type) {
    case 'ContactCreated': {
      const { email, ...profile } = data.person;
      return { ...nobody, contactId: data.contact_id, email, createdAt: metadata.at, profile: changed({}, profile) };
    }
    case 'ContactProfileChanged':
      return { ...state, profile: changed(state.profile, data.person) };
    case 'ContactSubscribed':
      return withList(state, data.list_id, { status: 'Subscribed' });
    case 'ContactUnsubscribed':
      return withList(state, data.list_id, { status: 'Unsubscribed' });
    case 'TagsAttached':
      return withList(state, data.list_id, { tags: new Set([...tagsOf(state, data.list_id), ...idsOf(data)]) });
    case 'TagsDetached': {
      const gone = new Set(idsOf(data));
      return withList(state, data.list_id, {
        tags: new Set([...tagsOf(state, data.list_id)].filter((id) => !gone.has(id))),
      });
    }
    default:
      throw new Error(`no contact has ${type}`);
  }
}

const idsOf = ({ tags }) => tags.map(({ tag_id: id }) => id);
export const tagsOf = (state, list) => state.lists.get(list)?.tags ?? new Set();

function changed(profile, change) {
  const result = { ...profile };
  for (const field of profileFields)
    if (change[field] === null) delete result[field];
    else if (change[field] !== undefined) result[field] = change[field];
  return result;
}

const withList = (state, list, change) => ({
  ...state,
  lists: new Map(state.lists).set(list, { tags: new Set(), ...state.lists.get(list), ...change }),
});

/** A cleared field and an empty one are the same. */
export function wantedChanges({ profile }, before) {
  const changes = {};
  for (const [field, value] of Object.entries(profile)) {
    const wanted = value === '' ? null : value;
    if (wanted !== (before[field] ?? null)) changes[field] = wanted;
  }
  return changes;
}

/** What a request must lead to besides tags, in this state; undefined where it must be refused. */
export function expectedContactEvents(operation, state) {
  const { kind, list, contactStatus } = operation;
  const status = () => {
    const previous = state.lists.get(list)?.status ?? null;
    if (previous === contactStatus) return [];
    const type = contactStatus === 'Subscribed' ? 'ContactSubscribed' : 'ContactUnsubscribed';
    return [{ type, data: { list_id: list, previous_status: previous } }];
  };
  if (kind === 'contact.create' || (kind === 'contact.upsert' && state.contactId === null)) {
    if (state.contactId !== null) return undefined;
    const given = Object.fromEntries(
      Object.entries(wantedChanges(operation, {})).filter(([, value]) => value !== null),
    );
    return [{ type: 'ContactCreated', data: { person: { email: operation.email, ...given } } }, ...status()];
  }
  if (kind === 'contact.upsert') {
    const person = wantedChanges(operation, state.profile);
    const profile = Object.keys(person).length === 0 ? [] : [{ type: 'ContactProfileChanged', data: { person } }];
    return [...profile, ...status()];
  }
  if (!state.lists.has(list)) return undefined;
  return kind === 'contact.status' ? status() : [];
}
