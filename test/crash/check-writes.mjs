/** Holds every answer to a write against the log: a 200 is there with all it said, a refusal wrote nothing and had its reason. */
import { nameKey } from './catalogue-history.mjs';
import { expectedContactEvents, tagsOf, wantedChanges } from './contact-history.mjs';
import { isRefusal } from './journal.mjs';

/** Writes of every round: what was acknowledged once stays. */
export function checkWrites(journal, history) {
  const problems = [];
  for (const entry of journal.byId.values()) {
    if (entry.kind.startsWith('get')) continue;
    const found = checkAnswer(entry, history);
    const isMute = entry.status === 0 && journal.orderly.has(entry.round) && history.written.has(entry.id);
    if (isMute) found.push('written and not answered, although the service stopped in good order');
    problems.push(...found.map((text) => `${entry.kind} ${entry.id} (${entry.status}): ${text}`));
  }
  return problems;
}

function checkAnswer(entry, history) {
  const written = history.written.get(entry.id) ?? new Map();
  if (entry.status === 200) return checkAccepted(entry, written, history);
  if (isRefusal(entry)) return written.size > 0 ? ['refused, yet it wrote'] : checkRefusal(entry, history);
  // Unanswered, or told to try again: the replay has checked that it is there whole, if it is there.
  return entry.status === 0 || entry.status === 503 ? [] : [`unexpected: ${entry.message}`];
}

function checkAccepted(entry, written, history) {
  const stream = streamOf(entry, history);
  const events = written.get(stream);
  const problems = [];
  if (history.streamAt.get(entry.position) !== stream)
    problems.push(`X-Position ${entry.position} is not of ${stream}`);
  if (events !== undefined && entry.position < events.at(-1).position) problems.push('X-Position is before its events');
  if (events !== undefined && events[0].position <= entry.lower) problems.push('its events are older than its request');
  if (entry.kind === 'email.send') return [...problems, ...checkEmail(entry, events, history)];
  if (events === undefined && !hadNothingToDo(entry, history))
    problems.push('lost: no event, and there was something to do');
  return [...problems, ...checkData(entry, events, history)];
}

function streamOf({ kind, noun, email, key, location }, history) {
  if (noun !== undefined) return `${noun}s`;
  if (kind !== 'email.send') return history.contactStream(email);
  return history.emailStream(key === undefined ? { emailId: location.split('/').at(-1) } : { idempotencyKey: key });
}

/** Whether the state was as wanted at some time between what was known when it was sent and its X-Position. */
function hadNothingToDo(entry, history) {
  const { kind, noun, target, name, list } = entry;
  const window = [entry.lower, Math.max(entry.lower, entry.position)];
  if (kind === 'create' || kind === 'delete' || kind === 'contact.create') return false;
  if (kind === 'rename') return history.catalogues[noun].names.during(target, ...window).includes(name.trim());
  if (history.catalogues.list.names.during(list, ...window).length === 0) return false;
  const states = history.contacts.during(history.contactStream(entry.email), ...window);
  return states.some((state) => isAsWanted(entry, state, { window, tags: history.catalogues.tag }));
}

function isAsWanted(entry, state, { window, tags }) {
  const { kind, list, contactStatus, tagNames = [] } = entry;
  const subscription = state.lists.get(list);
  if (subscription === undefined) return false;
  const had = tagsOf(state, list);
  if (kind === 'contact.untag')
    return tagNames.every((name) => !had.has(tags.holders.throughout(nameKey(name), ...window)));
  if (!tagNames.every((name) => tags.holders.during(nameKey(name), ...window).some((id) => had.has(id)))) return false;
  if (contactStatus !== undefined && subscription.status !== contactStatus) return false;
  return kind !== 'contact.upsert' || Object.keys(wantedChanges(entry, state.profile)).length === 0;
}

function checkData({ kind, noun, name, target, list, email, tagNames, contactStatus, data, lower }, events, history) {
  const wrong = [];
  const expect = (field, value) => data[field] === value || wrong.push(`answered another ${field}`);
  if (noun !== undefined) {
    expect(`${noun}_id`, kind === 'create' ? events?.[0].data[`${noun}_id`] : target);
    if (kind !== 'delete') expect(`${noun}_name`, name.trim());
    return wrong;
  }
  if (kind === 'contact.tag' || kind === 'contact.untag') {
    const { names, holders } = history.catalogues.tag;
    const items = kind === 'contact.tag' ? data.tags : data;
    const wanted = new Set(tagNames.map(nameKey));
    for (const { tag_id: id, tag_name: spelled } of items) {
      if (!names.during(id, lower).includes(spelled)) wrong.push(`tag ${id} had another name`);
      if (![...wanted].some((key) => holders.during(key, lower).includes(id))) wrong.push(`answered tag ${id}`);
    }
    if (kind === 'contact.tag' && items.length !== wanted.size) wrong.push('answered too few tags, or too many');
    return wrong;
  }
  expect('contact_id', history.contacts.now(history.contactStream(email)).contactId);
  expect('status', contactStatus);
  if (kind === 'contact.status') expect('list_id', list);
  else expect('email', email);
  return wrong;
}

function checkEmail({ key, mail, location, replayed, data }, events, history) {
  const id = location.split('/').at(-1);
  const [requested] = events ?? history.emailsById.get(id) ?? [];
  if (requested?.data.email_id !== id) return ['lost: there is no such EmailRequested'];
  const problems = [];
  if ((events === undefined) !== replayed) problems.push('said to be replayed and was not, or the other way round');
  const hash = key === undefined ? undefined : history.requestHash(mail, requested.data.message.salt);
  if (requested.data.request_hash !== hash) problems.push('the stored request is another one');
  if (Object.entries(mail).some(([field, value]) => data[field] !== value)) problems.push('the echo is another one');
  return problems;
}

/** A refusal must be true of a state that the log had: one that was decided on events that a crash took back is not. */
function checkRefusal(entry, history) {
  const { kind, type, noun, target, list, lower } = entry;
  const { catalogues, contacts } = history;
  const states = () => contacts.during(history.contactStream(entry.email), lower);
  const isUnknown = (one, id) => catalogues[one].names.hadGap(id, lower);
  if (type === 'duplicate' && noun !== undefined) {
    const holders = catalogues[noun].holders.during(nameKey(entry.name), lower);
    return holders.some((id) => id !== target) ? [] : ['nobody else had the name'];
  }
  if (type === 'duplicate')
    return states().some(({ contactId }) => contactId !== null) ? [] : ['there was no such contact'];
  if (type === 'unknown_id' && noun !== undefined) return isUnknown(noun, target) ? [] : ['the id was there'];
  if (type === 'unknown_id' && isUnknown('list', list)) return [];
  if (type === 'unknown_id' || type === 'not_in_list') {
    const isTrue = states().some((state) => expectedContactEvents(entry, state) === undefined);
    return isTrue && kind !== 'contact.upsert' ? [] : ['contact and list were there'];
  }
  if (type === 'idempotency_conflict') {
    const [first] = history.emails.get(history.emailStream({ idempotencyKey: entry.key })) ?? [];
    const isTrue =
      first !== undefined && first.data.request_hash !== history.requestHash(entry.mail, first.data.message.salt);
    return isTrue ? [] : ['the key had not been used with another request'];
  }
  return [`unexpected: ${entry.message}`];
}
