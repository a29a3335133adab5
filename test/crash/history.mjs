/** Replays the log request by request: what each wrote must be exactly what the contract demands in the state that it met, whole or not at all. */
import { isDeepStrictEqual } from 'node:util';
import { createCatalogueHistory, nameKey } from './catalogue-history.mjs';
import { createContactHistory, expectedContactEvents, tagsOf } from './contact-history.mjs';
import { nouns } from './world.mjs';

/** `keys` derives the stream names, as dist/events/streams.js does. */
export function replay(events, { journal, keys }) {
  const history = {
    catalogues: Object.fromEntries(nouns.map((noun) => [noun, createCatalogueHistory(noun)])),
    contacts: createContactHistory(),
    contactStream: (email) => `contact-${keys.contactKey(email)}`,
    emailStream: (source) => `email-${keys.emailKey(source)}`,
    requestHash: ({ from_email, to_email, subject, mail_template }, salt) =>
      keys.requestHash([from_email, to_email, subject, mail_template, {}], salt),
    recipientKey: keys.contactKey,
    /** Events by request id and stream. */
    written: new Map(),
    streamAt: new Map(),
    /** Events of e-mails by stream, and the same by e-mail id. */
    emails: new Map(),
    emailsById: new Map(),
    /** By list: who came into it, and when. */
    members: new Map(),
  };
  const problems = [];
  for (const append of appendsOf(events, history)) {
    const [first] = append;
    const operation = journal.byId.get(first.metadata.request_id);
    if (operation === undefined) problems.push(`nobody asked for ${first.type} at position ${first.position}`);
    else {
      const found = [...checkMetadata(append, history), ...checkAppend(append, operation, history)];
      problems.push(...found.map((text) => `${operation.kind} ${operation.id} at position ${first.position}: ${text}`));
    }
    for (const event of append) problems.push(...apply(event, history));
  }
  for (const ofStream of history.emails.values()) history.emailsById.set(ofStream[0].data.email_id, ofStream);
  return { history, problems };
}

/** What a request wrote to a stream, in log order. Events of the mailer and of the service itself have no request of ours. */
function appendsOf(events, { written, streamAt, emails }) {
  const appends = [];
  for (const event of events) {
    streamAt.set(event.position, event.stream);
    if (event.stream.startsWith('email-')) {
      if (!emails.has(event.stream)) emails.set(event.stream, []);
      emails.get(event.stream).push(event);
    }
    if (event.metadata.actor === 'mailer' || event.stream === 'service') continue;
    const ofRequest = written.get(event.metadata.request_id) ?? new Map();
    written.set(event.metadata.request_id, ofRequest);
    const append = ofRequest.get(event.stream);
    if (append !== undefined) append.push(event);
    else {
      ofRequest.set(event.stream, [event]);
      appends.push(ofRequest.get(event.stream));
    }
  }
  return appends;
}

function checkMetadata(append, { written }) {
  const [first] = append;
  const problems = [];
  append.forEach(({ position, revision, metadata }, index) => {
    if (position !== first.position + index || revision !== first.revision + index)
      problems.push('its events are torn apart');
    if (metadata.actor !== 'test') problems.push(`actor is ${metadata.actor}`);
    if (metadata.$causationId !== metadata.$correlationId) problems.push('not caused by its request');
  });
  const [[any]] = written.get(first.metadata.request_id).values();
  if (any.metadata.$correlationId !== first.metadata.$correlationId) problems.push('two correlation ids');
  return problems;
}

function checkAppend(append, operation, history) {
  const [{ stream }] = append;
  if (operation.kind === 'email.send') return checkRequested(append, operation, history);
  const noun = nouns.find((one) => stream === `${one}s`);
  if (noun === 'tag' && operation.tagNames !== undefined)
    return differences(append, history.catalogues.tag.expectedMissing(operation.tagNames));
  if (noun !== undefined && noun === operation.noun)
    return differences(append, history.catalogues[noun].expected(operation));
  if (operation.email !== undefined && stream === history.contactStream(operation.email))
    return checkContact(append, operation, history);
  return [`written to ${stream}, where it does not belong`];
}

function checkRequested(append, { mail, key }, history) {
  const [{ stream, revision, data, metadata }] = append;
  const { salt, ...message } = data.message ?? {};
  const source = key === undefined ? { emailId: data.email_id } : { idempotencyKey: key };
  const hash = key === undefined ? undefined : history.requestHash(mail, salt);
  const idempotency =
    key === undefined ? undefined : { key_hash: history.emailStream(source).slice(6), request_hash: hash };
  return [
    ...(stream === history.emailStream(source) && revision === 0 ? [] : ['not the first of its own stream']),
    ...(isDeepStrictEqual(message, mail) ? [] : ['another message']),
    ...(data.request_hash === hash ? [] : ['another request hash']),
    ...(data.recipient_key === history.recipientKey(mail.to_email) ? [] : ['another recipient key']),
    ...(isDeepStrictEqual(metadata.idempotency, idempotency) ? [] : ['another idempotency']),
    ...differences(append, [{ type: 'EmailRequested', data: {} }]),
  ];
}

function checkContact(append, operation, history) {
  const before = history.contacts.now(append[0].stream);
  const isTagging = ({ type }) => type.startsWith('Tags');
  const others = append.filter((event) => !isTagging(event));
  const window = [operation.lower, append[0].position];
  const problems = differences(others, expectedContactEvents(operation, before));
  const listNames = history.catalogues.list.names.during(operation.list, ...window);
  if (listNames.length === 0) problems.push('its list was deleted before');
  for (const { data } of others)
    if (data.list_name !== undefined && !listNames.includes(data.list_name)) problems.push('the list had another name');
  const ids = new Set(append.map(({ data }) => data.contact_id));
  if (ids.size !== 1 || (before.contactId !== null && !ids.has(before.contactId))) problems.push('another contact id');
  const tagging = append.filter(isTagging);
  if (tagging.length > 1 || (tagging.length === 1 && append.at(-1) !== tagging[0]))
    problems.push('tags not last, or twice');
  return [...problems, ...checkTags(tagging[0], operation, { before, window, history })];
}

function checkTags(event, { kind, list, tagNames = [] }, { before, window, history }) {
  const { names, holders } = history.catalogues.tag;
  const had = tagsOf(before, list);
  const candidates = (name) => holders.during(nameKey(name), ...window);
  const problems = [];
  const changed = new Set((event?.data.tags ?? []).map(({ tag_id: id }) => id));
  for (const { tag_id: id, tag_name: name } of event?.data.tags ?? []) {
    if (!tagNames.some((one) => candidates(one).includes(id))) problems.push(`tag ${id} was not asked for`);
    if (!names.during(id, ...window).includes(name)) problems.push(`tag ${id} had another name`);
    if (had.has(id) === (event.type === 'TagsAttached')) problems.push(`tag ${id} was so before`);
  }
  const isWrong = kind === 'contact.untag' ? event?.type === 'TagsAttached' : event?.type === 'TagsDetached';
  if (isWrong || (event !== undefined && event.data.list_id !== list)) problems.push('tags changed the wrong way');
  for (const name of tagNames)
    if (kind === 'contact.untag') {
      const id = holders.throughout(nameKey(name), ...window);
      if (id !== undefined && had.has(id) && !changed.has(id)) problems.push(`tag ${id} was left`);
    } else if (!candidates(name).some((id) => had.has(id) || changed.has(id)))
      problems.push(`a tag is missing: ${name}`);
  return problems;
}

/** Types in order, and the data as far as it is foreseen; salts and new ids are not. */
function differences(actual, expected) {
  if (expected === undefined) return [`${actual.map(({ type }) => type)} although it had to be refused`];
  const types = (list) => list.map(({ type }) => type).join(', ');
  if (types(actual) !== types(expected))
    return [`wrote ${types(actual) || 'nothing'} where ${types(expected) || 'nothing'} was due`];
  return expected.flatMap(({ type, data }, index) => {
    const given = actual[index].data;
    const wrong = Object.entries(data).filter(([field, value]) => !isDeepStrictEqual(withoutSalt(given[field]), value));
    return wrong.map(([field]) => `${type} has another ${field}`);
  });
}

const withoutSalt = (value) => {
  if (typeof value !== 'object' || value === null) return value;
  const { salt: _, ...rest } = value;
  return rest;
};

function apply(event, { catalogues, contacts, members }) {
  const noun = nouns.find((one) => event.stream === `${one}s`);
  if (noun !== undefined) return catalogues[noun].apply(event);
  if (!event.stream.startsWith('contact-')) return [];
  const { list_id: list, contact_id: contactId } = event.data;
  if (list !== undefined && !contacts.now(event.stream).lists.has(list)) {
    if (!members.has(list)) members.set(list, []);
    members.get(list).push({ contactId, from: event.position });
  }
  contacts.apply(event);
  return [];
}
