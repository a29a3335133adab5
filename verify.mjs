#!/usr/bin/env node
// Verifies what audience-ledger hands out of its events, with nothing but Node: no package, and none of the service's own code.
//
//   node verify.mjs export.ndjson    [seal.json ...] [--public-key FILE]
//   node verify.mjs proof.json       [seal.json ...] [--public-key FILE] [--at TIME]    the events of one person
//   node verify.mjs event.json       [seal.json ...] [--public-key FILE]    one event
//   node verify.mjs consistency.json [seal.json ...] [--public-key FILE]    a newer log holds an older one unchanged
//
// Of an export it computes the evidence chain anew from the first line to the last and compares it with the links in the export, and with
// the seals. Exit code 0: intact. 1: something differs: what is known of where, is said. 2: nothing was verified: wrong usage,
// a file that cannot be read, or an empty one. All of it is written down in docs/evidence.md, whose sections the numbers below are.
import { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/** 32 bytes. */
const hash = (...parts) => {
  const sha256 = createHash('sha256');
  for (const part of parts) sha256.update(part);
  return sha256.digest();
};
const hex = (bytes) => bytes.toString('hex');

/** Section 1: a text with its length in bytes before it, so that no two lists of texts look the same. */
const field = (text) => `${Buffer.byteLength(text)}:${text},`;

/** Section 2: an event by itself, and its link to all events before it. */
function leafOf({ ordinal, stream, revision, id, type, data, metadata }) {
  const fields = [String(ordinal), stream, String(revision), id, type, withDigests(data), metadata];
  return hash('\0', fields.map(field).join(''));
}
const linkOf = (previous, leaf) => hash(previous, leaf);

/** Section 5: the tree over the leaves (RFC 9162), as the roots of its complete parts, the largest first. */
function addLeaf(parts, leaf, count) {
  let node = leaf;
  for (let size = 1; count % (2 * size) === 0; size *= 2) node = hash('\x01', parts.pop(), node);
  parts.push(node);
}
const rootOf = (parts) => parts.reduceRight((right, left) => hash('\x01', left, right));

/** Section 3: personal data count by their digest. One that was replaced by its digest already is kept. */
function withDigests(data) {
  let text = '';
  let copied = 0;
  for (const { name, start, end } of membersOf(data)) {
    if (name !== 'person' && name !== 'message') continue;
    const value = data.slice(start, end);
    text +=
      data.slice(copied, start) + (/^"sha256:[0-9a-f]{64}"$/.test(value) ? value : `"sha256:${hex(hash(value))}"`);
    copied = end;
  }
  return text + data.slice(copied);
}

/** Of JSON, all but blanks and colons. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^\s"{}[\]:,]+/g;

/** Where the members of a JSON object stand in its text: the chain is over texts as they are, not over what they mean. */
function membersOf(object) {
  const members = [];
  let depth = 0;
  let name;
  let start;
  for (const { 0: token, index } of object.matchAll(tokens)) {
    if (token === '}' || token === ']') depth -= 1;
    const opens = token === '{' || token === '[';
    if (depth === 1 && token === ',') name = undefined;
    else if (depth === 1 && name === undefined) [name, start] = [token.slice(1, -1), undefined];
    else if (depth === 1) {
      start ??= index;
      if (!opens) members.push({ name, start, end: index + token.length });
    }
    if (opens) depth += 1;
  }
  return members;
}

class Different extends Error {}

/** Nothing can be said of the export. */
class NotVerified extends Error {}

/** What the members of an object are for any reader of JSON: of two with one name, some read the first and some the last. */
function textsOf(object, what) {
  const texts = new Map();
  for (const { name, start, end } of membersOf(object)) {
    const plain = name.includes('\\') ? JSON.parse(`"${name}"`) : name;
    if (texts.has(plain)) throw new Different(`${what} has a member twice`);
    texts.set(plain, object.slice(start, end));
  }
  return texts;
}

const matches = (shape) => (value) => typeof value === 'string' && value.isWellFormed() && shape.test(value);
const isText = matches(/./s);
const isHash = matches(/^[0-9a-f]{64}$/);
const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;
const isCount = (value) => isNumber(value) && value > 0;
const isList = (isOne) => (value) => Array.isArray(value) && value.every(isOne);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** These members and no others: what else stood there would look as if it had been verified. */
function demandMembers(object, shapes, what) {
  const altered = (how) => new Different(`${how}: ${what} was altered`);
  for (const name of Object.keys(Object(object)))
    if (!Object.hasOwn(shapes, name)) throw altered(`${what} has a member that it should not have`);
  for (const [name, isRight] of Object.entries(shapes))
    if (!isRight(Object(object)[name])) throw altered(`the ${name} of ${what} is not as it should be`);
}

const lineShapes = {
  ordinal: isCount,
  position: isText,
  stream: isText,
  revision: isNumber,
  event_id: isText,
  type: isText,
  data: isObject,
  metadata: isObject,
};

/** Section 7: one line. Nothing stands in it that the links say nothing of, or that could be read in two ways. */
function eventIn(bytes, ordinal) {
  const line = `line ${ordinal}`;
  if (!isUtf8(bytes)) throw new Different(`${line} is not UTF-8`);
  const value = jsonIn(bytes);
  if (!isObject(value)) throw new Different(`${line} is not a JSON object`);
  if (Object.hasOwn(value, 'cut_at'))
    throw new Different(`${line} says that the export was cut at a time: it is no whole log`);
  demandMembers(value, Object.hasOwn(value, 'chain') ? { ...lineShapes, chain: isHash } : lineShapes, line);
  const texts = textsOf(String(bytes), line);
  // As they stand in the line.
  const [data, metadata] = [texts.get('data'), texts.get('metadata')];
  for (const name of ['ordinal', 'revision'])
    if (texts.get(name) !== String(value[name])) throw new Different(`the ${name} of ${line} is not in digits`);
  textsOf(data, `the data of ${line}`);
  const at = textsOf(metadata, `the metadata of ${line}`).get('at');
  return { ...value, id: value.event_id, data, metadata, at };
}

/** Section 4: beyond the links, each stream runs on by one, and never backwards in time. */
function assertRunsOn(event, ends) {
  const { stream, revision } = event;
  const before = ends.get(stream) ?? { revision: -1, at: '' };
  const at = /^"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"$/.exec(event.at)?.[1];
  if (revision !== before.revision + 1)
    throw new Different(`it should be revision ${before.revision + 1} of its stream`);
  if (at === undefined) throw new Different('it has no time that can be read');
  if (at < before.at) throw new Different('it says that it happened before the event before it in its stream');
  ends.set(stream, { revision, at });
}

async function* linesOf(file) {
  let parts = [];
  for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    let start = 0;
    for (let feed = piece.indexOf(10); feed >= 0; feed = piece.indexOf(10, start)) {
      yield Buffer.concat([...parts, piece.subarray(start, feed)]);
      parts = [];
      start = feed + 1;
    }
    if (start < piece.length) parts.push(piece.subarray(start));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

async function verifyExport(file, seals) {
  const ends = new Map();
  const parts = [];
  const checks = createSealChecks(seals);
  let count = 0;
  let head = Buffer.alloc(32);
  let isLinked;
  for await (const line of linesOf(file)) {
    const ordinal = count + 1;
    let event;
    try {
      event = eventIn(line, ordinal);
      if (event.ordinal !== ordinal) throw new Different(`event ${event.ordinal} stands there`);
      // Else an alteration could be hidden by taking away the links that tell of it.
      isLinked ??= event.chain !== undefined;
      if (isLinked !== (event.chain !== undefined))
        throw new Different(isLinked ? 'its link was taken away' : 'it has a link, and the lines before it have none');
      const leaf = leafOf(event);
      head = linkOf(head, leaf);
      if (isLinked && event.chain !== hex(head))
        throw new Different('it does not fit its link: it, its link or something before it was altered');
      assertRunsOn(event, ends);
      addLeaf(parts, leaf, ordinal);
    } catch (error) {
      // Of two differences the one that may lie further back.
      if (error instanceof Different) checks.demandAll();
      if (!(error instanceof Different) || event === undefined) throw error;
      const { type, revision, stream } = event;
      throw new Different(`at event ${ordinal} (${type}, revision ${revision} of ${stream}): ${error.message}`);
    }
    count = ordinal;
    checks.take({ event, count, head: hex(head), root: () => hex(rootOf(parts)) });
  }
  checks.demandAll(count);
  if (count === 0) throw new NotVerified(`${file} holds no events: there is nothing to verify`);
  return { count, head: hex(head), linked: isLinked ? count : 0 };
}

/** Section 6: after a seal that does not match, nothing is known of the events before it but what an older seal says. */
function createSealChecks(seals) {
  const waiting = seals.toSorted((one, other) => one.count - other.count);
  const restores = [];
  let holding;
  let failing;
  /** Before anything else is compared: a seal of another log tells nothing of this one. */
  function demandOfLog({ type, data }) {
    const logId = type === 'ServiceInitialised' ? JSON.parse(data).log_id : undefined;
    for (const { sealed_at, log_id } of seals)
      if (log_id !== logId)
        throw new Different(
          `the seal of ${sealed_at} is of the log ${log_id}, the export of ${logId ?? 'one without a name'}: it tells nothing of this export`,
        );
  }
  return {
    take({ event, count, head, root }) {
      if (count === 1) demandOfLog(event);
      if (event.type === 'LogRestored') restores.push(restoreIn(event));
      for (; waiting[0]?.count === count; waiting.shift()) {
        const [seal] = waiting;
        if (failing !== undefined) continue;
        if (seal.head === head && seal.root === root()) holding = seal;
        else failing = seal;
      }
    },
    /** `count`: where the export ends; undefined: it was not read to its end. */
    demandAll(count = Infinity) {
      const held = holding && `the seal of ${holding.sealed_at} holds, up to event ${holding.count}`;
      if (failing !== undefined) throw new Different(missingSealed(failing, restores) ?? whyFailing(failing, held));
      const longest = waiting.at(-1);
      if (longest?.count > count)
        throw new Different(
          missingSealed(longest, restores) ??
            `the export ends after event ${count}, the seal of ${longest.sealed_at} is of ${longest.count} events: ` +
              `it was shortened${held ? `; ${held}` : ''}`,
        );
    },
  };
}

/** What a log says of itself, as of any other event: it is not proven by it. */
function restoreIn({ data, metadata }) {
  try {
    return { count: JSON.parse(data).count, at: JSON.parse(metadata).at };
  } catch {
    return {};
  }
}

/** Of a seal that does not hold: it is of events that a restore from a backup took away. */
function missingSealed({ count, sealed_at }, restores) {
  const restore = restores.find((one) => one.count < count && sealed_at <= one.at);
  return (
    restore &&
    `sealed events are missing: ${count - restore.count}. The log says that it was restored at ${restore.at} from a backup of ${restore.count} events, after the seal of ${sealed_at}`
  );
}

function whyFailing({ count, sealed_at }, held) {
  return (
    `the history up to event ${count} is not the one that was sealed at ${sealed_at}. ` +
    `The difference lies at or before event ${count}; ${held ?? 'where, cannot be said without an older seal'}`
  );
}

const sealFormat = 'audience-ledger-seal/1';
/** In the order in which the fields of all but the signature are signed. */
const sealShapes = {
  format: (value) => value === sealFormat,
  log_id: matches(/^[!-~]{1,64}$/),
  count: isCount,
  position: matches(/^[!-~]{1,64}$/),
  event_id: matches(/^[0-9a-f-]{36}$/),
  head: isHash,
  root: isHash,
  sealed_at: matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  // The twelve bytes that say Ed25519, and 32 more.
  public_key: matches(/^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/),
  signature: matches(/^[A-Za-z0-9+/]{85}[AQgw]==$/),
};

/** Sections 6 and 8: signed with Ed25519 are the fields of the members before the signature, in order. The key is worth what one knows of it. */
function demandSigned(object, shapes, what) {
  demandMembers(object, shapes, what);
  const names = Object.keys(shapes);
  const signed = names.slice(0, names.indexOf('signature')).map((name) => field(String(object[name])));
  const key = keyOf(object.public_key, what);
  if (!verify(null, Buffer.from(signed.join('')), key, Buffer.from(object.signature, 'base64')))
    throw new Different(`the signature of ${what} is wrong: it was altered`);
  if (expectedKey && !expectedKey.equals(key))
    throw new Different(`${what} is signed by another key than the expected one`);
}

async function readSeal(file) {
  const document = await documentIn(file);
  if (document?.value.format !== sealFormat)
    throw new NotVerified(`${file} is not a seal. The export or proof comes first, the seals after it`);
  demandPlain(document, 'the seal');
  demandSigned(document.value, sealShapes, 'the seal');
  return document.value;
}

/** A file that is one JSON object with a `format`. Undefined: an export, which may be larger than what can be read at once. */
async function documentIn(file) {
  // What comes through a pipe can be read once only.
  if (!statSync(file).isFile() || statSync(file).size > 268_435_456) return undefined;
  const first = (await linesOf(file).next()).value ?? Buffer.of();
  demandSaved(first.toString('latin1'), file);
  const line = jsonIn(first);
  if (line !== undefined && line?.format === undefined && line?.statusCode === undefined) return undefined;
  const bytes = readFileSync(file);
  const value = jsonIn(bytes);
  const text = String(bytes);
  if (value === undefined && /^\s*\{\s*"(format|statusCode)"/.test(text) && !text.trimEnd().endsWith('}'))
    throw new NotVerified(`${file} was cut off: it does not end as it should`);
  if (value?.format !== undefined) return { text, value };
  if (value?.statusCode === undefined) return undefined;
  const what =
    value.data?.format === undefined ? 'and there is no proof in it' : 'the proof is its member data (jq .data)';
  throw new NotVerified(`${file} is a whole answer of the service: ${what}`);
}

/** Ways to save a file in which nothing of what was sent can be verified. */
function demandSaved(start, file) {
  if (/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.test(start))
    throw new NotVerified(`${file} begins with a byte order mark: save it as UTF-8 without one`);
  if (/^\s*</.test(start)) throw new NotVerified(`${file} is a page of HTML or XML`);
}

/** Undefined: it is none. */
function jsonIn(bytes = Buffer.of()) {
  try {
    return isUtf8(bytes) ? JSON.parse(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** PEM, or SPKI in DER as base64. */
function keyOf(text, file) {
  if (text.includes('PRIVATE KEY'))
    throw new NotVerified(
      `${file} holds a private key, to be kept secret. Its public key: openssl pkey -in FILE -pubout`,
    );
  try {
    const key = createPublicKey(
      text.includes('-----BEGIN') ? text : { key: Buffer.from(text.trim(), 'base64'), type: 'spki', format: 'der' },
    );
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Said below.
  }
  throw new NotVerified(`the public key in ${file} is not an Ed25519 key, in PEM or as base64 of SPKI in DER`);
}

/** Written again it is the same, but for blanks and escapes: no member stands twice in an object, and numbers are in digits. */
function demandPlain({ text, value }, what) {
  const plain = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : '',
  );
  if (plain !== JSON.stringify(value))
    throw new Different(`${what} has a member twice, or a number that is not in digits`);
}

/** Section 5: where the tree over so many leaves is cut in two. */
function halfOf(leaves) {
  let half = 1;
  while (half * 2 < leaves) half *= 2;
  return half;
}

/** RFC 9162, 2.1.3.2: the root over `count` leaves by the path of one, from the top down. What is missing makes it another root. */
function rootByPath(leaf, index, count, path) {
  if (count === 1) return path.length === 0 ? leaf : hash('too long');
  const half = halfOf(count);
  const below = path.slice(0, -1);
  const sibling = Buffer.from(path.at(-1) ?? '', 'hex');
  return index < half
    ? hash('\x01', rootByPath(leaf, index, half, below), sibling)
    : hash('\x01', sibling, rootByPath(leaf, index - half, count - half, below));
}

/** RFC 9162, 2.1.4.2: the roots of the older and of the newer log. `isWhole`: all leaves here are those of the older log, whose root is known. */
function rootsByPath({ older, count, newer, path, isWhole = true }) {
  if (count === newer) {
    const [node = older.root, ...more] = path;
    const isRight = more.length === 0 && isWhole === (path.length === 0);
    return isRight ? [Buffer.from(node, 'hex'), Buffer.from(node, 'hex')] : [hash('none'), hash('none')];
  }
  const half = halfOf(newer);
  const sibling = Buffer.from(path.at(-1) ?? '', 'hex');
  const inLeft = count <= half;
  const part = inLeft ? { count, newer: half, isWhole } : { count: count - half, newer: newer - half, isWhole: false };
  const [before, after] = rootsByPath({ older, ...part, path: path.slice(0, -1) });
  return inLeft
    ? [before, hash('\x01', after, sibling)]
    : [hash('\x01', sibling, before), hash('\x01', sibling, after)];
}

const proofFormat = 'audience-ledger-proof/1';
const note =
  'The events of one contact, and the deletions of the lists and tags that these name. E-mails to the person are not in it.';
const isObjectText = (text) => matches(/^\{.*\}$/s)(text) && jsonIn(Buffer.from(text)) !== undefined;
const { log_id, sealed_at, public_key, signature } = sealShapes;

/** In the order in which the fields of those before the signature are signed. */
const proofShapes = {
  format: (value) => value === proofFormat,
  note: (value) => value === note,
  log_id,
  count: isCount,
  head: isHash,
  root: isHash,
  sealed_at,
  stream: matches(/^contact-[0-9a-f]{32}$/),
  last_revision: isNumber,
  deletions: isList(isCount),
  public_key,
  signature,
  events: Array.isArray,
};
const provenShapes = {
  ordinal: isCount,
  stream: isText,
  revision: isNumber,
  event_id: isText,
  type: isText,
  data: isObjectText,
  metadata: isObjectText,
  path: isList(isHash),
};

/** One event of it, which comes after that with the ordinal `last`. */
function demandProven(event, { proof, last, ends, named }) {
  const what = 'the event';
  demandMembers(event, provenShapes, what);
  const { ordinal, stream, data, metadata, path } = event;
  textsOf(data, `the data of ${what}`);
  const at = textsOf(metadata, `the metadata of ${what}`).get('at');
  if (ordinal <= last || ordinal > proof.count) throw new Different('it is not in its place');
  const leaf = leafOf({ ...event, id: event.event_id });
  if (hex(rootByPath(leaf, ordinal - 1, proof.count, path)) !== proof.root)
    throw new Different('it is not what was sealed, or is not in the sealed log');
  if (stream !== proof.stream) return;
  assertRunsOn({ ...event, at }, ends);
  const { list_id, tags } = JSON.parse(data);
  named.lists.add(list_id);
  if (Array.isArray(tags)) for (const tag of tags) named.tags.add(tag?.tag_id);
}

/** Section 8: the events of one person, each proven to be in the sealed log. Returns those of the contact and the deletions. */
function verifyProof(proof) {
  demandSigned(proof, proofShapes, 'the proof');
  const ends = new Map();
  const named = { lists: new Set(), tags: new Set() };
  const deletions = [];
  let last = 0;
  for (const event of proof.events) {
    const { ordinal, type, revision, stream } = Object(event);
    try {
      demandProven(event, { proof, last, ends, named });
    } catch (error) {
      if (!(error instanceof Different)) throw error;
      throw new Different(`at event ${ordinal} (${type}, revision ${revision} of ${stream}): ${error.message}`);
    }
    last = ordinal;
    if (stream !== proof.stream) deletions.push(event);
  }
  if (ends.get(proof.stream)?.revision !== proof.last_revision)
    throw new Different(`events of ${proof.stream} are missing: its last revision was ${proof.last_revision}`);
  for (const { ordinal, stream, type, data } of deletions) {
    const { list_id, tag_id } = JSON.parse(data);
    const id = { 'lists ListDeleted': list_id, 'tags TagDeleted': tag_id }[`${stream} ${type}`];
    if (typeof id !== 'string' || !named[stream].has(id))
      throw new Different(`event ${ordinal} of the proof is neither of its stream nor the deletion of what that names`);
  }
  if (String(deletions.map(({ ordinal }) => ordinal)) !== String(proof.deletions))
    throw new Different(`the deletions in it are not those that were signed: ${proof.deletions}`);
  return deletions.length;
}

/** Without what would act on a terminal, or turn the order of what is read. */
const printable = (text) =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);

const isString = (value) => typeof value === 'string';
const known =
  /^(Contact(Created|ProfileChanged|Subscribed|Unsubscribed|Erased)|Tags(Attached|Detached)|ConsentRecorded|ListDeleted|TagDeleted)$/;

/** Whether an earlier event of the same erasure has ended the contact. Another contact may have followed since. */
const isLaterPart = ({ type, revision, data }) =>
  type === 'ContactErased' && Number(revision) > Number(JSON.parse(data).through) + 1;

/** Returns the contacts that the stream has held, each from its creation to its erasure. */
function contactsIn(events) {
  const contacts = [];
  for (const event of events) {
    const { at } = JSON.parse(event.metadata);
    if (event.type === 'ContactCreated') contacts.push({ id: JSON.parse(event.data).contact_id, from: at });
    const last = contacts.at(-1);
    if (event.type === 'ContactErased' && !isLaterPart(event) && last !== undefined) last.erased ??= at;
  }
  return contacts;
}

/** What the events say of the person in each list, in the order of the log: for how long which status. */
function spansIn(events) {
  const lists = new Map();
  const end = (list, at, why) => {
    const last = list?.spans.at(-1);
    if (last !== undefined) last.to ??= `to ${at}${why}`;
  };
  const begin = ({ list_id, list_name }, status, at) => {
    const list = lists.get(list_id) ?? { spans: [] };
    lists.set(list_id, list);
    // What was written after the deletion of its list counted for nothing.
    if (list.isDeleted) return;
    list.name = isString(list_name) ? list_name : list.name;
    const last = list.spans.at(-1);
    if (last !== undefined && last.to === undefined && last.status === status) return;
    end(list, at, '');
    list.spans.push({ list, list_id, status, from: at });
  };
  const takes = {
    ContactSubscribed: (data, at) => begin(data, 'Subscribed', at),
    ContactUnsubscribed: (data, at) => begin(data, 'Unsubscribed', at),
    ContactErased: (_, at) => lists.forEach((list) => end(list, at, ', when the person was erased')),
    ListDeleted({ list_id }, at) {
      const list = lists.get(list_id) ?? { spans: [] };
      end(list, at, ', when the list was deleted');
      lists.set(list_id, Object.assign(list, { isDeleted: true }));
    },
  };
  for (const event of events)
    if (Object.hasOwn(takes, event.type) && !isLaterPart(event))
      takes[event.type](JSON.parse(event.data), JSON.parse(event.metadata).at);
  return [...lists.values()].flatMap(({ spans }) => spans);
}

/** In words, so that nobody has to put the events together: addresses, statuses, and how it was at a time. */
function* inWords({ events, sealed_at }, at) {
  const nameOf = ({ list, list_id }) => `${list.name === undefined ? 'a list' : `"${list.name}"`} (${list_id})`;
  for (const { type, data, metadata } of events) {
    const { email } = (type === 'ContactCreated' && Object(JSON.parse(data).person)) || {};
    if (isString(email)) yield `the address ${email}, since ${JSON.parse(metadata).at}`;
  }
  for (const { id, from, erased } of contactsIn(events))
    yield `the contact ${id} from ${from} ${erased === undefined ? `to the seal of ${sealed_at}` : `to ${erased}, when the person was erased`}`;
  for (const span of spansIn(events))
    yield `${span.status} in the list ${nameOf(span)} from ${span.from} ${span.to ?? `to the seal of ${sealed_at}`}`;
  for (const { ordinal, type } of events)
    if (!known.test(type)) yield `event ${ordinal} has a type that is not known here: these words are without it`;
  if (at === undefined) return;
  const before = events.filter(({ metadata }) => JSON.parse(metadata).at <= at);
  const last = contactsIn(before).at(-1);
  const isNobody = last === undefined || last.erased !== undefined;
  const open = spansIn(before).filter(({ to }) => to === undefined);
  for (const span of open) yield `at ${at}: ${span.status} in the list ${nameOf(span)}, since ${span.from}`;
  if (open.length === 0) yield `at ${at}: in no list${isNobody ? ', because there was no contact then' : ''}`;
}
/** What stands in the files is shown as text, whatever it is. */
const print = (texts, ...values) =>
  console.log(String.raw({ raw: texts }, ...values.map((value) => printable(String(value)))));

const counted = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;

function sayProof(proof, seals, at) {
  const deletions = verifyProof(proof);
  for (const seal of seals)
    for (const name of ['log_id', 'count', 'head', 'root', 'sealed_at', 'public_key'])
      if (seal[name] !== proof[name]) throw new Different(`the proof is against another seal: its ${name} differs`);
  const { events, stream, count, log_id, sealed_at, last_revision, head } = proof;
  if (at > sealed_at) throw new NotVerified(`the proof was sealed at ${sealed_at}: it says nothing of --at ${at}`);
  print`proven: ${counted(events.length - deletions, 'event')} of ${stream}, and ${counted(deletions, 'deletion')} of lists and tags that they name,
  are among the first ${count} events of the log ${log_id}, as sealed at ${sealed_at} with the head ${head}
stated by the sealer: revision ${last_revision} was the last of the stream then, and no others of these lists and tags were deleted`;
  saySigner(proof);
  if (seals.length === 0) print`compare the seal with the one that you keep: node verify.mjs proof.json seal.json`;
  print`what the events say, by the times in them:`;
  for (const line of inWords(proof, at)) print`  ${line}`;
  print`the events themselves:`;
  for (const { ordinal, type, data, metadata } of events)
    print`  ${ordinal}  ${JSON.parse(metadata).at}  ${type}  ${data}`;
  print`This does not prove
- what e-mails were sent to the person: they are not in it
- that the stream is all there is of the person, who may have other addresses; nor that the address is theirs
- that no event and no deletion is missing: that is stated by the sealer, whose word it is
- that what was recorded is true, or that the clocks were right, of service and sealer
- that the log was not written anew before it was sealed: a key in the hands of its owner proves nothing against the owner,
  but a seal that another person has kept since then does
- anything of what came after the seal`;
}

const consistencyFormat = 'audience-ledger-consistency/1';
const consistencyShapes = {
  format: (value) => value === consistencyFormat,
  older: Boolean,
  newer: Boolean,
  path: isList(isHash),
};

/** Section 9: the log of the newer seal begins with that of the older one. */
function sayConsistency(proof, seals) {
  demandMembers(proof, consistencyShapes, 'the proof');
  const { older, newer, path } = proof;
  demandSigned(older, sealShapes, 'the older seal');
  demandSigned(newer, sealShapes, 'the newer seal');
  for (const seal of seals)
    if (![older, newer].some((one) => isDeepStrictEqual(one, seal))) throw new Different('the proof is of other seals');
  if (older.log_id !== newer.log_id) throw new Different('the seals are of two logs');
  if (older.count > newer.count) throw new Different('the older seal is of more events than the newer one');
  const [before, after] = rootsByPath({ older, count: older.count, newer: newer.count, path }).map(hex);
  if (before !== older.root || after !== newer.root)
    throw new Different('the log of the newer seal does not begin with that of the older one, or the path was altered');
  print`consistent: the first ${older.count} events of the log ${newer.log_id}, as sealed at ${older.sealed_at},
  are unchanged among the first ${newer.count}, as sealed at ${newer.sealed_at}`;
  for (const seal of older.public_key === newer.public_key ? [newer] : [older, newer]) saySigner(seal);
  if (seals.length === 0) print`compare the older seal with the one that you keep: give it, too`;
  print`This does not prove that the seals were made when they say, what the events are, nor anything after them.`;
}

const eventFormat = 'audience-ledger-event/1';
const eventShapes = { format: (value) => value === eventFormat, seal: Boolean, event: Boolean };

/** Section 10: one event is in the log of a seal. */
function sayEvent(proof, seals) {
  demandMembers(proof, eventShapes, 'the proof');
  const { seal, event } = proof;
  demandSigned(seal, sealShapes, 'the seal in it');
  for (const one of seals) if (!isDeepStrictEqual(one, seal)) throw new Different('the proof is against another seal');
  demandProven(event, { proof: seal, last: 0 });
  const { ordinal, stream, revision, type, data, metadata } = event;
  print`proven: ${type}, revision ${revision} of ${stream}, is event ${ordinal} of the first ${seal.count} of the log ${seal.log_id},
  as sealed at ${seal.sealed_at} with the head ${seal.head}`;
  saySigner(seal);
  if (seals.length === 0) print`compare the seal with the one that you keep: node verify.mjs event.json seal.json`;
  print`the event itself, of ${JSON.parse(metadata).at}:`;
  print`  ${data}`;
  print`This does not prove what came before it or after it, that what was recorded is true, or that the clocks were right;
nor that the log was not written anew before it was sealed: a seal that another person has kept since then does.`;
}

function saySigner({ public_key }) {
  print`signed by the key with fingerprint ${hex(hash(Buffer.from(public_key, 'base64')))}`;
  if (!expectedKey) print`compare it with the one that the sealer made known, or give --public-key`;
}

async function sayExport(file, seals) {
  const { count, head, linked } = await verifyExport(file, seals);
  print`intact: ${count} events, head ${head}, ${linked} of them compared with their links`;
  for (const seal of seals) {
    print`sealed: the first ${seal.count} events are those of the seal of ${seal.sealed_at}, log ${seal.log_id}`;
    saySigner(seal);
  }
  // What neither links nor order can tell.
  const sealed = Math.max(0, ...seals.map((seal) => seal.count));
  if (sealed === 0)
    print`${
      linked === 0
        ? 'without links and without a seal this says nothing of the past: any event may have been changed, dropped or put in.'
        : 'without a seal this does not say that the export is whole: events may have been cut off at its end, or all of it rewritten, links included.'
    }`;
  else if (sealed < count)
    print`of the last ${count - sealed} events no seal says anything: they may have been changed or put in, or others cut off after them.`;
  if (sealed === 0) print`compare count and head with ones that you know, or give a seal`;
}

const usage = `usage: node verify.mjs export.ndjson|proof.json|event.json|consistency.json [seal.json ...] [--public-key FILE]
  with a proof also --at TIME: how it was then, in UTC (2026-03-01 or 2026-03-01T12:00:00.000Z)`;
const files = process.argv.slice(2);
/** The value after it; an empty one is wrong. */
function optionOf(name) {
  const place = files.indexOf(name);
  return place < 0 ? undefined : (files.splice(place, 2)[1] ?? '');
}
const publicKeyFile = optionOf('--public-key');
const asked = optionOf('--at');
/** A day alone is its last millisecond. */
const at = asked?.length === 10 ? `${asked}T23:59:59.999Z` : asked;
let expectedKey;
const isTime = (text) => matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)(text) && Date.parse(text) > 0;
if (files.length < 1 || files[0].startsWith('-') || publicKeyFile === '' || (asked !== undefined && !isTime(at))) {
  console.error(usage);
  process.exit(2);
}
try {
  const document = await documentIn(files[0]);
  const say = { [proofFormat]: sayProof, [eventFormat]: sayEvent, [consistencyFormat]: sayConsistency }[
    document?.value.format
  ];
  if (document?.value.format === sealFormat)
    throw new NotVerified(`${files[0]} is a seal. The export or proof comes first, the seals after it`);
  if (document && say === undefined) throw new NotVerified(`${files[0]} has a format that is not known here`);
  if (at && say !== sayProof) throw new NotVerified('--at goes with a proof');
  if (document === undefined && publicKeyFile && files.length < 2)
    throw new NotVerified('--public-key goes with a seal, or with a proof');
  if (publicKeyFile) expectedKey = keyOf(readFileSync(publicKeyFile, 'utf8'), publicKeyFile);
  const seals = await Promise.all(files.slice(1).map(readSeal));
  if (document === undefined) await sayExport(files[0], seals);
  else {
    demandPlain(document, 'the proof');
    say(document.value, seals, at);
  }
} catch (error) {
  console.error(printable(`${error instanceof Different ? 'DIFFERENT' : 'cannot verify'}: ${error.message}`));
  process.exitCode = error instanceof Different ? 1 : 2;
}
