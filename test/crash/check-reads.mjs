/** Holds every read against the log: what it showed must have been true at some time after the last write that was answered before it. */
import { profileFields, tagsOf } from './contact-history.mjs';
import { emailStates } from './email-history.mjs';

/** Of the last round; what was true once is not asked again. */
export function checkReads(journal, history) {
  const problems = [];
  for (const entry of journal.byId.values()) {
    if (entry.round !== journal.round || !entry.kind.startsWith('get') || entry.status === 0 || entry.status === 503)
      continue;
    const found = checks[entry.kind](entry, history);
    problems.push(...found.map((text) => `${entry.kind} ${entry.path} ${entry.id} (${entry.status}): ${text}`));
  }
  return problems;
}

const unexpected = ({ message }) => [`unexpected: ${message}`];

const checks = {
  'get.named'(entry, { catalogues }) {
    const { noun, target, status, data, lower } = entry;
    const { names } = catalogues[noun];
    if (status === (noun === 'group' ? 404 : 400)) return names.hadGap(target, lower) ? [] : ['it was there'];
    if (status !== 200) return unexpected(entry);
    return names.during(target, lower).includes(data[`${noun}_name`]) ? [] : ['it had another name'];
  },

  /** Checked as part of the whole. */
  'get.part': (entry) => (entry.status === 200 ? [] : unexpected(entry)),

  /** All of a kind, in pages that were read one after the other. */
  'get.all'({ noun, status, items, lower }, { catalogues }) {
    if (status !== 200) return ['a page was not to be had'];
    const { names } = catalogues[noun];
    const shown = new Map(items.map((item) => [item[`${noun}_id`], item[`${noun}_name`]]));
    const problems = shown.size === items.length ? [] : ['something is shown twice'];
    for (const [id, name] of shown)
      if (!names.during(id, lower).includes(name)) problems.push(`${id} had another name, or none`);
    for (const id of names.keys())
      if (names.throughout(id, lower) !== undefined && !shown.has(id)) problems.push(`${id} is missing`);
    return problems;
  },

  'get.contact'(entry, history) {
    const { status, data, lower } = entry;
    const states = history.contacts.during(history.contactStream(entry.email), lower);
    if (status === 404) return states.some(({ contactId }) => contactId === null) ? [] : ['the contact was there'];
    if (status !== 200) return unexpected(entry);
    const isTrue = states.some(
      (state) => showsProfile(data, state) && showsLists(data.subscriptions, state, { lower, history }),
    );
    return isTrue ? [] : ['the contact was never like that'];
  },

  'get.page'(entry, history) {
    const { list, status, data, lower, isWhole = false } = entry;
    if (status === 404) return history.catalogues.list.names.hadGap(list, lower) ? [] : ['the list was there'];
    if (status !== 200) return unexpected(entry);
    const problems = data
      .filter((item) => !showsMember(item, entry, history))
      .map((item) => `${item.contact_id} was never like that`);
    const ids = data.map((item) => item.contact_id);
    if (ids.some((id, index) => index > 0 && id <= ids[index - 1])) problems.push('not in order');
    const shown = new Set(ids);
    // Everything up to the last item must be there; a page that is not full shows all that is left.
    const end = isWhole || ids.length < 200 ? '~' : ids.at(-1);
    for (const { contactId, from } of history.members.get(list) ?? [])
      if (from <= lower && contactId <= end && !shown.has(contactId)) problems.push(`${contactId} is missing`);
    return problems;
  },

  'get.email'(entry, history) {
    if (entry.status !== 200) return unexpected(entry);
    const { data, lower } = entry;
    const states = emailStates(history.emailsById.get(entry.target) ?? []);
    const first = Math.max(
      0,
      states.findLastIndex(({ from }) => from <= lower),
    );
    const isTrue = states
      .slice(first)
      .some(
        ({ state, attempts, sentAt }) => state === data.state && attempts === data.attempts && sentAt === data.sent_at,
      );
    return isTrue ? [] : [`the e-mail was never ${data.state}`];
  },
};

function showsProfile(item, state) {
  const { contactId, email, createdAt, profile } = state;
  if (item.contact_id !== contactId || item.email !== email || item.created_at !== createdAt) return false;
  return profileFields.every((field) => item[field] === (profile[field] ?? null));
}

/** Deleted lists and tags are not shown; whatever else the contact has, is. */
function showsLists(subscriptions, state, { lower, history }) {
  const { list: lists } = history.catalogues;
  const shown = new Map(subscriptions.map((one) => [one.list_id, one]));
  for (const id of shown.keys()) if (!state.lists.has(id)) return false;
  for (const [id, { status }] of state.lists) {
    const one = shown.get(id);
    if (one === undefined && lists.names.throughout(id, lower) !== undefined) return false;
    if (one === undefined) continue;
    if (one.status !== status || !lists.names.during(id, lower).includes(one.list_name)) return false;
    if (!showsTags(one.tags, tagsOf(state, id), { lower, history })) return false;
  }
  return true;
}

function showsTags(tags, had, { lower, history }) {
  const { names } = history.catalogues.tag;
  const shown = new Map(tags.map(({ tag_id: id, tag_name: name }) => [id, name]));
  for (const [id, name] of shown) if (!had.has(id) || !names.during(id, lower).includes(name)) return false;
  return [...had].every((id) => shown.has(id) || names.throughout(id, lower) === undefined);
}

/** Membership and profile are two documents, read one after the other. */
function showsMember(item, { list, lower }, history) {
  const states = history.contacts.during(history.contactStream(item.email), lower);
  return (
    states.some((state) => showsProfile(item, state)) &&
    states.some(
      (state) =>
        state.lists.get(list)?.status === item.status && showsTags(item.tags, tagsOf(state, list), { lower, history }),
    )
  );
}
