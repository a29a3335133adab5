#!/usr/bin/env node
// Verifies what audience-ledger hands out of its events. Needs Node and nothing else: no package, and no code of the service.
//
//   node verify.mjs export.ndjson    [seal.json ...] [--public-key FILE]
//   node verify.mjs proof.json       [seal.json ...] [--public-key FILE] [--at TIME]    the events of one person
//   node verify.mjs event.json       [seal.json ...] [--public-key FILE]                one event
//   node verify.mjs consistency.json [seal.json ...] [--public-key FILE]                a newer log begins with an older one
//
// Exit code 0: everything that was checked is right. 1: something differs, and the message says what and where. 2: nothing was
// verified, because of wrong usage, or because a file cannot be read, is empty or has another format. docs/evidence.md specifies
// all rules. The numbers of sections below are those of that document.
import { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

const hashBytes = 32;

/** Returns the SHA-256 of the parts, 32 bytes. */
function hash(...parts) {
  const sha256 = createHash('sha256');
  for (const part of parts) sha256.update(part);
  return sha256.digest();
}
const hex = (bytes) => bytes.toString('hex');

/** Returns a text with its length in bytes before it, so that no two lists of texts have the same bytes (section 1). */
const field = (text) => `${Buffer.byteLength(text)}:${text},`;

/** Returns the leaf of an event (section 2). */
function leafOf({ ordinal, stream, revision, event_id, type, data, metadata }) {
  const fields = [String(ordinal), stream, String(revision), event_id, type, withDigests(data), metadata];
  return hash('\0', fields.map(field).join(''));
}
const nodeOf = (left, right) => hash('\x01', left, right);

/** Returns data with the digests of personal data in place of the data (section 3). Keeps a value that is a digest already. */
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

/** Creates a list of hashes in one piece of memory, because a million Buffers would take ten times as much. */
function createHashList() {
  let bytes = Buffer.alloc(1024 * hashBytes);
  let length = 0;
  return {
    length: () => length,
    at: (index) => bytes.subarray(index * hashBytes, (index + 1) * hashBytes),
    push(node) {
      if (length * hashBytes === bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)]);
      node.copy(bytes, length * hashBytes);
      length += 1;
    },
  };
}

/** Creates the tree of RFC 9162 over leaves that are added one by one (section 5). Knows its root at every earlier count. */
function createTree() {
  // The nodes over complete subtrees of 2^level leaves, from left to right.
  const levels = [];
  return {
    count: () => levels[0]?.length() ?? 0,
    add(leaf) {
      let node = leaf;
      for (let level = 0; ; level += 1) {
        const nodes = (levels[level] ??= createHashList());
        nodes.push(node);
        if (nodes.length() % 2 === 1) return;
        node = nodeOf(nodes.at(nodes.length() - 2), nodes.at(nodes.length() - 1));
      }
    },
    rootAt(count) {
      let root;
      for (const [level, nodes] of levels.entries()) {
        const complete = Math.floor(count / 2 ** level);
        if (complete % 2 === 0) continue;
        const node = nodes.at(complete - 1);
        root = root === undefined ? node : nodeOf(node, root);
      }
      return hex(root);
    },
  };
}

/** Matches the tokens of JSON, except blanks and colons. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^\s"{}[\]:,]+/g;

/** Returns where the members of a JSON object are in its text, because leaves are made of texts as they are written. */
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

/** A rule that does not hold: exit code 1. */
class Different extends Error {}

/** A reason why nothing was verified: exit code 2. */
class NotVerified extends Error {}

/** Returns the texts of the members by name. Refuses a name that comes twice, because some programs read the first and some the last. */
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
const isString = (value) => typeof value === 'string';
const isText = matches(/./s);
const isHash = matches(/^[0-9a-f]{64}$/);
const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;
const isCount = (value) => isNumber(value) && value > 0;
const isBoolean = (value) => typeof value === 'boolean';
const isList = (isOne) => (value) => Array.isArray(value) && value.every(isOne);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Demands exactly these members, because any other member would look as if it had been verified. */
function demandMembers(object, shapes, what) {
  const altered = (how) => new Different(`${how}: ${what} was altered`);
  for (const name of Object.keys(Object(object)))
    if (!Object.hasOwn(shapes, name)) throw altered(`${what} has a member that it should not have`);
  for (const [name, isRight] of Object.entries(shapes))
    if (!isRight(Object(object)[name])) throw altered(`the ${name} of ${what} has a wrong form`);
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

/** Returns the event in a line of an export (section 7). */
function eventIn(bytes, ordinal) {
  const line = `line ${ordinal}`;
  if (!isUtf8(bytes)) throw new Different(`${line} is not UTF-8`);
  const value = jsonIn(bytes);
  if (!isObject(value)) throw new Different(`${line} is not a JSON object`);
  if (ordinal === 1 && Object.hasOwn(value, 'chain'))
    throw new NotVerified(
      'the export is of an earlier development version: its events have a member chain. ' +
        'Import it with "audience import events", then export the events again',
    );
  if (Object.hasOwn(value, 'cut_at'))
    throw new Different(`${line} says that the export ends at a time, so it is not a whole log`);
  demandMembers(value, lineShapes, line);
  const texts = textsOf(String(bytes), line);
  // The texts as they are written in the line.
  const [data, metadata] = [texts.get('data'), texts.get('metadata')];
  for (const name of ['ordinal', 'revision'])
    if (texts.get(name) !== String(value[name])) throw new Different(`the ${name} of ${line} is not written in digits`);
  textsOf(data, `the data of ${line}`);
  const at = textsOf(metadata, `the metadata of ${line}`).get('at');
  return { ...value, data, metadata, at };
}

/** Demands that the event follows the last event of its stream: the next revision, and no earlier time (section 4). */
function assertFollows(event, ends) {
  const { stream, revision } = event;
  const before = ends.get(stream) ?? { revision: -1, at: '' };
  const at = /^"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"$/.exec(event.at)?.[1];
  if (revision !== before.revision + 1)
    throw new Different(`it should be revision ${before.revision + 1} of its stream`);
  if (at === undefined) throw new Different('its metadata has no time that can be read');
  if (at < before.at) throw new Different('its time is earlier than that of the event before it in its stream');
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

/** Verifies a whole export (section 7). Returns its root, its restores, and which seals hold or are excused. */
async function verifyExport(file, seals) {
  const ends = new Map();
  const tree = createTree();
  const restores = [];
  const comparison = compareSeals(seals, { tree, restores });
  for await (const line of linesOf(file)) {
    const ordinal = tree.count() + 1;
    let event;
    try {
      event = eventIn(line, ordinal);
      if (event.ordinal !== ordinal) throw new Different(`it has the ordinal ${event.ordinal}`);
      if (ordinal === 1) demandLogOf(event, seals);
      tree.add(leafOf(event));
      assertFollows(event, ends);
      if (event.stream === 'service' && event.type === 'LogRestored') restores.push(restoreIn(event, tree));
    } catch (error) {
      if (!(error instanceof Different) || error instanceof AnotherLog || event === undefined) throw error;
      const { type, revision, stream } = event;
      const place = `at event ${ordinal} (${type}, revision ${revision} of ${stream})`;
      throw new Different(`${place}: ${error.message}${comparison.unlikeSoFar()}`);
    }
    comparison.take();
  }
  const count = tree.count();
  const states = comparison.states();
  if (count === 0) throw new NotVerified(`${file} holds no events: there is nothing to verify`);
  return { count, root: tree.rootAt(count), restores, ...states };
}

/** Not an alteration: the seal is of another log. */
class AnotherLog extends Different {}

/** Demands that all seals are of the log of the export, because a seal of another log says nothing about this log. */
function demandLogOf({ type, data }, seals) {
  const logId = type === 'ServiceInitialised' ? JSON.parse(data).log_id : undefined;
  for (const { sealed_at, log_id } of seals)
    if (log_id !== logId)
      throw new AnotherLog(
        `the seal of ${sealed_at} is of the log ${log_id}, and the export is of ${logId ?? 'a log without a name'}: it says nothing about this export`,
      );
}

const isSuperseded = (value) => value === null || (isObject(value) && isCount(value.count) && isHash(value.root));

/**
 * Returns what an event says of a restore (section 6). A record without the members of version 2 has no count here and
 * excuses no seal: version 1 had no root and no MAC.
 */
function restoreIn({ ordinal, data, at }, tree) {
  const { count, root, superseded, mac } = JSON.parse(data);
  const restore = { ordinal, at: JSON.parse(at) };
  if (!isCount(count) || !isHash(root) || !isSuperseded(superseded) || !isHash(mac)) return restore;
  if (count >= ordinal) throw new Different(`it records a restore of ${count} events, and fewer come before it`);
  if (tree.rootAt(count) !== root)
    throw new Different(`the root in it is not that of the first ${count} events: it was forged, or they were altered`);
  return { ...restore, count, root };
}

/** Compares seals with a tree while it grows (section 6). */
function compareSeals(seals, { tree, restores }) {
  const waiting = seals.toSorted((one, other) => one.count - other.count);
  const holding = [];
  const unlike = [];
  return {
    /** Compares the seals that end with the last event of the tree. */
    take() {
      for (; waiting[0]?.count === tree.count(); waiting.shift()) {
        const [seal] = waiting;
        const isRight = seal.root === tree.rootAt(seal.count) && seal.restores === restores.length;
        (isRight ? holding : unlike).push(seal);
      }
    },
    /** Returns what to add to an error: a seal that does not match shows that there is a difference further back, too. */
    unlikeSoFar: () =>
      unlike
        .slice(0, 1)
        .map(({ sealed_at, count }) => `; before it, the seal of ${sealed_at} does not match the first ${count} events`)
        .join(''),
    /** Says which seals hold and which are excused, after the last event. @throws Different if one does neither */
    states() {
      const excused = [];
      let failing;
      for (const seal of [...unlike, ...waiting]) {
        const restore = excuseOf(seal, restores);
        if (restore !== undefined) excused.push({ seal, restore });
        else failing ??= seal;
      }
      if (failing !== undefined) throw new Different(whyFailing(failing, { holding, count: tree.count() }));
      return { holding, excused };
    },
  };
}

/**
 * Returns the restore that excuses the seal, or undefined. It is the restore that followed the seal. The backup has fewer
 * events than the seal, or fewer restores: then several records of the same count and root follow one another, and the seal is
 * of events that are not in this log at all. The MAC cannot be checked without the secret.
 */
function excuseOf(seal, restores) {
  const restore = restores[seal.restores];
  if (restore?.count === undefined) return undefined;
  const last = restores[seal.restores - 1];
  const isSameRestore = last !== undefined && last.count === restore.count && last.root === restore.root;
  return seal.count > restore.count || isSameRestore ? restore : undefined;
}

function whyFailing(seal, { holding, count }) {
  const before = holding.filter((one) => one.count <= seal.count).at(-1);
  const known = before && `the seal of ${before.sealed_at} holds, up to event ${before.count}`;
  if (seal.count > count)
    return `the export ends after event ${count}, and the seal of ${seal.sealed_at} is of ${seal.count} events: the log was shortened${known ? `; ${known}` : ''}`;
  return (
    `the first ${seal.count} events are not those that were sealed at ${seal.sealed_at}. ` +
    `The difference is at or before event ${seal.count}; ${known ?? 'an older seal would tell more'}`
  );
}

const sealFormat = 'audience-ledger-seal/2';
const logId = matches(/^[!-~]{1,64}$/);
const isTimeText = matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
// The twelve bytes that say Ed25519, and 32 more.
const isKey = matches(/^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/);
const isSignature = matches(/^[A-Za-z0-9+/]{85}[AQgw]==$/);

/** The members of a seal, in the order in which the fields of all but the signature are signed (section 6). */
const sealShapes = {
  format: (value) => value === sealFormat,
  log_id: logId,
  seq: isCount,
  restores: isNumber,
  count: isCount,
  root: isHash,
  final: isBoolean,
  sealed_at: isTimeText,
  public_key: isKey,
  signature: isSignature,
};

/** Demands the members and the signature over the fields of those before it. Says nothing of whose key it is. */
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
  demandPresentFormat(document, file);
  if (document?.value.format !== sealFormat)
    throw new NotVerified(`${file} is not a seal. The export or proof comes first, the seals after it`);
  demandPlain(document, 'the seal');
  demandSigned(document.value, sealShapes, 'the seal');
  return document.value;
}

/** Refuses seals and proofs of earlier development versions. */
function demandPresentFormat(document, file) {
  const [, name] = /^audience-ledger-(seal|proof|event|consistency)\/1$/.exec(String(document?.value.format)) ?? [];
  if (name !== undefined)
    throw new NotVerified(
      `${file} has the format audience-ledger-${name}/1 of an earlier development version: only audience-ledger-${name}/2 is verified here`,
    );
}

/**
 * Returns the text and value of a file that is one JSON object with a `format`. Returns undefined if the file is an export,
 * which may be larger than what can be read at once.
 */
async function documentIn(file) {
  // A pipe can be read only once.
  if (!statSync(file).isFile() || statSync(file).size > 268_435_456) return undefined;
  const first = (await linesOf(file).next()).value ?? Buffer.of();
  demandSaved(first.toString('latin1'), file);
  const line = jsonIn(first);
  if (line !== undefined && line?.format === undefined && line?.statusCode === undefined) return undefined;
  const bytes = readFileSync(file);
  const value = jsonIn(bytes);
  const text = String(bytes);
  if (value === undefined && /^\s*\{\s*"(format|statusCode)"/.test(text) && !text.trimEnd().endsWith('}'))
    throw new NotVerified(`${file} was cut off: its end is missing`);
  if (value?.format !== undefined) return { text, value };
  if (value?.statusCode === undefined) return undefined;
  const what = value.data?.format === undefined ? 'and has no proof in it' : 'the proof is its member data (jq .data)';
  throw new NotVerified(`${file} is a whole answer of the service: ${what}`);
}

/** Refuses files that were saved in a way in which nothing can be verified. */
function demandSaved(start, file) {
  if (/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.test(start))
    throw new NotVerified(`${file} begins with a byte order mark: save it as UTF-8 without one`);
  if (/^\s*</.test(start)) throw new NotVerified(`${file} is a page of HTML or XML`);
}

/** Returns the value, or undefined if the bytes are not JSON in UTF-8. */
function jsonIn(bytes = Buffer.of()) {
  try {
    return isUtf8(bytes) ? JSON.parse(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the public key in a text: PEM, or SPKI in DER as base64. */
function keyOf(text, file) {
  if (text.includes('PRIVATE KEY'))
    throw new NotVerified(
      `${file} holds a private key, which must stay secret. Make its public key: openssl pkey -in FILE -pubout`,
    );
  try {
    const isPem = text.includes('-----BEGIN');
    const bytes = isKey(text.trim()) ? Buffer.from(text.trim(), 'base64') : Buffer.of();
    const key = createPublicKey(isPem ? text : { key: bytes, type: 'spki', format: 'der' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The error below says what is expected.
  }
  throw new NotVerified(`the public key in ${file} is not an Ed25519 key, in PEM or as base64 of SPKI in DER`);
}

/** Demands that the text is the same when it is written again, except for blanks and escapes. So no member comes twice, and numbers are in digits. */
function demandPlain({ text, value }, what) {
  const plain = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : '',
  );
  if (plain !== JSON.stringify(value))
    throw new Different(`${what} has a member twice, or a number that is not written in digits`);
}

/** Returns the number of leaves in the left part of a tree (section 5). */
function halfOf(leaves) {
  let half = 1;
  while (half * 2 < leaves) half *= 2;
  return half;
}

/** Returns the root over `count` leaves by the inclusion path of a leaf (RFC 9162, 2.1.3.2), from the top down. A path that is too short or too long leads to another root. */
function rootByPath(leaf, index, count, path) {
  if (count === 1) return path.length === 0 ? leaf : hash('too long');
  const half = halfOf(count);
  const below = path.slice(0, -1);
  const sibling = Buffer.from(path.at(-1) ?? '', 'hex');
  return index < half
    ? nodeOf(rootByPath(leaf, index, half, below), sibling)
    : nodeOf(sibling, rootByPath(leaf, index - half, count - half, below));
}

/**
 * Returns the roots of the older and of the newer log by a consistency path (RFC 9162, 2.1.4.2).
 * `isWhole`: this part of the tree has all leaves of the older log, whose root is known, and no others before them.
 */
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
  return inLeft ? [before, nodeOf(after, sibling)] : [nodeOf(sibling, before), nodeOf(sibling, after)];
}

const proofFormat = 'audience-ledger-proof/2';
const note =
  'The events of one contact, and the deletions of the lists and tags that these name. E-mails to the person are not in it.';
const isObjectText = (text) => matches(/^\{.*\}$/s)(text) && jsonIn(Buffer.from(text)) !== undefined;

/** The members of a proof, in the order in which the fields of those before the signature are signed (section 8). */
const proofShapes = {
  format: (value) => value === proofFormat,
  note: (value) => value === note,
  log_id: logId,
  count: isCount,
  root: isHash,
  sealed_at: isTimeText,
  stream: matches(/^contact-[0-9a-f]{32}$/),
  last_revision: isNumber,
  deletions: isList(isCount),
  public_key: isKey,
  signature: isSignature,
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

/** Demands that an event is in the sealed log, after the event with the ordinal `last`. Returns the text of its time. */
function demandProven(event, { count, root }, last = 0) {
  const what = 'the event';
  demandMembers(event, provenShapes, what);
  const { ordinal, data, metadata, path } = event;
  textsOf(data, `the data of ${what}`);
  const at = textsOf(metadata, `the metadata of ${what}`).get('at');
  if (ordinal <= last || ordinal > count) throw new Different('it is not in its place');
  if (hex(rootByPath(leafOf(event), ordinal - 1, count, path)) !== root)
    throw new Different('it is not what was sealed, or is not in the sealed log');
  return at;
}

/** Verifies the proof of one person (section 8). Returns the number of deletions in it. */
function verifyProof(proof) {
  demandSigned(proof, proofShapes, 'the proof');
  const ends = new Map();
  const named = { lists: new Set(), tags: new Set() };
  const deletions = [];
  let last = 0;
  for (const event of proof.events) {
    const { ordinal, type, revision, stream } = Object(event);
    try {
      const at = demandProven(event, proof, last);
      if (stream === proof.stream) {
        assertFollows({ ...event, at }, ends);
        const { list_id, tags } = JSON.parse(event.data);
        named.lists.add(list_id);
        if (Array.isArray(tags)) for (const tag of tags) named.tags.add(tag?.tag_id);
      } else deletions.push(event);
    } catch (error) {
      if (!(error instanceof Different)) throw error;
      throw new Different(`at event ${ordinal} (${type}, revision ${revision} of ${stream}): ${error.message}`);
    }
    last = ordinal;
  }
  if (ends.get(proof.stream)?.revision !== proof.last_revision)
    throw new Different(`events of ${proof.stream} are missing: its last revision was ${proof.last_revision}`);
  for (const { ordinal, stream, type, data } of deletions) {
    const { list_id, tag_id } = JSON.parse(data);
    const id = { 'lists ListDeleted': list_id, 'tags TagDeleted': tag_id }[`${stream} ${type}`];
    if (typeof id !== 'string' || !named[stream].has(id))
      throw new Different(
        `event ${ordinal} of the proof is neither of its stream nor the deletion of a list or tag that its events name`,
      );
  }
  if (String(deletions.map(({ ordinal }) => ordinal)) !== String(proof.deletions))
    throw new Different(`the deletions in it are not those that were signed: ${proof.deletions}`);
  return deletions.length;
}

/** Returns the text with characters escaped that act on a terminal or reverse the order of what is read. */
const printable = (text) =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);

/** The types of events that the summary in words is made of. */
const known =
  /^(Contact(Created|ProfileChanged|Subscribed|Unsubscribed|Erased)|Tags(Attached|Detached)|ConsentRecorded|ListDeleted|TagDeleted)$/;

/** Returns whether an earlier event of the same erasure has ended the contact already. Another contact may have followed since. */
const isLaterPart = ({ type, revision, data }) =>
  type === 'ContactErased' && Number(revision) > Number(JSON.parse(data).through) + 1;

/** Returns the contacts that the address has had, each from its creation to its erasure. */
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

/** Returns the periods of each status of the person in each list, in the order of the log. */
function spansIn(events) {
  const lists = new Map();
  const end = (list, at, why) => {
    const last = list?.spans.at(-1);
    if (last !== undefined) last.to ??= `to ${at}${why}`;
  };
  const begin = ({ list_id, list_name }, status, at) => {
    const list = lists.get(list_id) ?? { spans: [] };
    lists.set(list_id, list);
    // Events that were written after the deletion of their list are ignored.
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

/** Summarizes the events in words: addresses, contacts, statuses, and the state at a time. */
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

/** Prints a text in which the values come from the files. */
const print = (texts, ...values) =>
  console.log(String.raw({ raw: texts }, ...values.map((value) => printable(String(value)))));

const counted = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;

function sayProof(proof, seals, at) {
  const deletions = verifyProof(proof);
  for (const seal of seals)
    for (const name of ['log_id', 'count', 'root', 'sealed_at', 'public_key'])
      if (seal[name] !== proof[name]) throw new Different(`the proof is against another seal: its ${name} differs`);
  const { events, stream, count, log_id, sealed_at, last_revision, root } = proof;
  if (at > sealed_at)
    throw new NotVerified(
      `the proof was sealed at ${sealed_at} and says nothing about --at ${at}: give a time up to the seal`,
    );
  print`proven: ${counted(events.length - deletions, 'event')} of ${stream}, and ${counted(deletions, 'deletion')} of lists and tags that they name,
  are among the first ${count} events of the log ${log_id}, as sealed at ${sealed_at} with the root ${root}
stated by the sealer: revision ${last_revision} was the last of the stream then, and no others of these lists and tags were deleted`;
  saySigner(proof);
  if (seals.length === 0) print`compare the seal with the one that you keep: node verify.mjs proof.json seal.json`;
  print`what the events say, by the times in them:`;
  for (const line of inWords(proof, at)) print`  ${line}`;
  print`the events themselves:`;
  for (const { ordinal, type, data, metadata } of events)
    print`  ${ordinal}  ${JSON.parse(metadata).at}  ${type}  ${data}`;
  print`This does not prove
- what emails were sent to the person: they are not in it
- that the stream is everything about the person, who may have other addresses, or that the address is theirs
- that no event and no deletion is missing: the sealer states that
- that what was recorded is true, or that the clocks of service and sealer were right
- that the log was not rewritten before it was sealed: anyone who has the key can do that, and only a seal that another person
  has kept since then shows it
- anything that came after the seal`;
}

const consistencyFormat = 'audience-ledger-consistency/2';
const consistencyShapes = {
  format: (value) => value === consistencyFormat,
  older: Boolean,
  newer: Boolean,
  path: isList(isHash),
};

/** Verifies that the log of the newer seal begins with that of the older seal (section 9). */
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
  print`This does not prove that the seals were made when they say, what the events are, or anything after them.`;
}

const eventFormat = 'audience-ledger-event/2';
const eventShapes = { format: (value) => value === eventFormat, seal: Boolean, event: Boolean };

/** Verifies that one event is in the log of a seal (section 10). */
function sayEvent(proof, seals) {
  demandMembers(proof, eventShapes, 'the proof');
  const { seal, event } = proof;
  demandSigned(seal, sealShapes, 'the seal in it');
  for (const one of seals) if (!isDeepStrictEqual(one, seal)) throw new Different('the proof is against another seal');
  demandProven(event, seal);
  const { ordinal, stream, revision, type, data, metadata } = event;
  print`proven: ${type}, revision ${revision} of ${stream}, is event ${ordinal} of the first ${seal.count} of the log ${seal.log_id},
  as sealed at ${seal.sealed_at} with the root ${seal.root}`;
  saySigner(seal);
  if (seals.length === 0) print`compare the seal with the one that you keep: node verify.mjs event.json seal.json`;
  print`the event itself, of ${JSON.parse(metadata).at}:`;
  print`  ${data}`;
  print`This does not prove what came before it or after it, that what was recorded is true, or that the clocks were right;
nor that the log was not rewritten before it was sealed: only a seal that another person has kept since then shows that.`;
}

function saySigner({ public_key }) {
  print`signed by the key with fingerprint ${hex(hash(Buffer.from(public_key, 'base64')))}`;
  if (!expectedKey) print`compare it with the fingerprint that the sealer published, or give --public-key`;
}

async function sayExport(file, seals) {
  const { count, root, restores, holding, excused } = await verifyExport(file, seals);
  print`intact: ${counted(count, 'event')}, root ${root}`;
  for (const restore of restores)
    print`restored: event ${restore.ordinal} of ${restore.at} records that the log was restored from a backup${
      restore.count === undefined
        ? ', in a record without root and MAC, which excuses no seal'
        : ` of ${counted(restore.count, 'event')}`
    }`;
  for (const seal of holding) {
    print`sealed: the first ${counted(seal.count, 'event')} are those of seal ${seal.seq} of ${seal.sealed_at}, log ${seal.log_id}`;
    saySigner(seal);
  }
  for (const { seal, restore } of excused) {
    print`excused: the log does not have the ${counted(seal.count, 'event')} of seal ${seal.seq} of ${seal.sealed_at}. The seal is
  excused by a restore recorded in the log, whose MAC cannot be checked here: event ${restore.ordinal} of ${restore.at},
  from a backup of ${counted(restore.count, 'event')}. Ask who runs the service, or run audience audit verify --seal`;
    saySigner(seal);
  }
  const sealed = Math.max(0, ...holding.map((seal) => seal.count));
  if (sealed === 0)
    print`without a seal that holds this says nothing of the past: events may have been changed, put in or dropped, or cut off at the end.
compare count and root with those that you know, or give a seal`;
  else if (sealed < count)
    print`of the last ${counted(count - sealed, 'event')} no seal says anything: they may have been changed or put in, or others cut off after them.`;
}

const usage = `usage: node verify.mjs export.ndjson|proof.json|event.json|consistency.json [seal.json ...] [--public-key FILE]
  with a proof of one person also --at TIME: how it was at that time, in UTC (2026-03-01 or 2026-03-01T12:00:00.000Z)`;
const files = process.argv.slice(2);
/** Takes an option out of the parameters and returns its value, '' if the value is missing. */
function optionOf(name) {
  const place = files.indexOf(name);
  return place < 0 ? undefined : (files.splice(place, 2)[1] ?? '');
}
const publicKeyFile = optionOf('--public-key');
const asked = optionOf('--at');
/** A day means its last millisecond. */
const at = asked?.length === 10 ? `${asked}T23:59:59.999Z` : asked;
let expectedKey;
const isTime = (text) => isTimeText(text) && Date.parse(text) > 0;
if (files.length < 1 || files[0].startsWith('-') || publicKeyFile === '' || (asked !== undefined && !isTime(at))) {
  console.error(usage);
  process.exit(2);
}
try {
  const document = await documentIn(files[0]);
  const say = { [proofFormat]: sayProof, [eventFormat]: sayEvent, [consistencyFormat]: sayConsistency }[
    document?.value.format
  ];
  demandPresentFormat(document, files[0]);
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
