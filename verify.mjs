#!/usr/bin/env node
// Verifies an export of audience-ledger's events, with nothing but Node: no package, and none of the service's own code.
//
//   node verify.mjs export.ndjson [seal.json ...] [--public-key FILE]
//
// It computes the evidence chain anew from the first line to the last and compares it with the links in the export, and with
// the seals. Exit code 0: intact. 1: something differs: what is known of where, is said. 2: nothing was verified: wrong usage,
// a file that cannot be read, or an empty one. How the chain is made is written down in docs/evidence.md; the numbers below
// are those of its sections.
import { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';

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

/** Where the members of a JSON object stand in its text: the chain is over texts as they are, not over what they mean. */
function membersOf(object) {
  const members = [];
  let at = 0;
  const skip = (characters) => {
    while (at < object.length && characters.includes(object[at])) at += 1;
  };
  const skipString = () => {
    const start = at;
    do at += object[at] === '\\' ? 2 : 1;
    while (object[at] !== '"');
    at += 1;
    return object.slice(start, at);
  };
  const skipValue = () => {
    let depth = 0;
    do {
      if (object[at] === '"') skipString();
      else if ('{['.includes(object[at])) ((depth += 1), (at += 1));
      else if ('}]'.includes(object[at])) ((depth -= 1), (at += 1));
      else at += 1;
      // A number, true, false or null goes on up to what cannot belong to it.
    } while (depth > 0 || (at < object.length && /[\w.+-]/.test(object[at]) && /[\w.+-]/.test(object[at - 1])));
  };
  skip(' \t\r\n{');
  while (object[at] === '"') {
    const name = skipString().slice(1, -1);
    skip(' \t\r\n:');
    const start = at;
    skipValue();
    members.push({ name, start, end: at });
    skip(' \t\r\n,');
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

const required = ['ordinal', 'position', 'stream', 'revision', 'event_id', 'type', 'data', 'metadata'];
const shapes = {
  ordinal: /^\d{1,15}$/,
  revision: /^\d{1,15}$/,
  data: /^\{/,
  metadata: /^\{/,
  chain: /^"[0-9a-f]{64}"$/,
};

/** Section 7: one line. Nothing stands in it that the links say nothing of, or that could be read in two ways. */
function eventIn(bytes, ordinal) {
  const line = `line ${ordinal}`;
  const texts = textsOf(objectIn(bytes, line), line);
  for (const name of texts.keys())
    if (name === 'cut_at') throw new Different(`${line} says that the export was cut at a time: it is no whole log`);
    else if (!required.includes(name) && name !== 'chain')
      throw new Different(`${line} has a member that no event has: ${JSON.stringify(name)}`);
  const valueOf = (name) => {
    const text = texts.get(name);
    const value = text && (shapes[name] ?? /^"/).test(text) ? JSON.parse(text) : '';
    // A half of a character would be hashed as if it were another one.
    if (value === '' || (typeof value === 'string' && !value.isWellFormed()))
      throw new Different(`${line} has no ${name}, or none as it should be`);
    return value;
  };
  for (const name of required) valueOf(name);
  textsOf(texts.get('data'), `the data of ${line}`);
  const metadata = textsOf(texts.get('metadata'), `the metadata of ${line}`);
  return {
    ordinal: valueOf('ordinal'),
    stream: valueOf('stream'),
    revision: valueOf('revision'),
    id: valueOf('event_id'),
    type: valueOf('type'),
    // As they stand in the line.
    data: texts.get('data'),
    metadata: texts.get('metadata'),
    at: metadata.get('at'),
    link: texts.has('chain') ? valueOf('chain') : undefined,
  };
}

function objectIn(bytes, line) {
  if (!isUtf8(bytes)) throw new Different(`${line} is not UTF-8`);
  const text = bytes.toString('utf8');
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Different(`${line} is ${text.trim() === '' ? 'empty' : 'not a JSON object'}`);
  return text;
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
      isLinked ??= event.link !== undefined;
      if (isLinked !== (event.link !== undefined))
        throw new Different(isLinked ? 'its link was taken away' : 'it has a link, and the lines before it have none');
      const leaf = leafOf(event);
      head = linkOf(head, leaf);
      if (isLinked && event.link !== hex(head))
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
  let logId;
  let holding;
  let failing;
  return {
    take({ event, count, head, root }) {
      if (count === 1 && event.type === 'ServiceInitialised') logId = JSON.parse(event.data).log_id;
      for (; waiting[0]?.count === count; waiting.shift()) {
        const [seal] = waiting;
        if (failing !== undefined) continue;
        if (seal.log_id === logId && seal.head === head && seal.root === root()) holding = seal;
        else failing = seal;
      }
    },
    /** `count`: where the export ends; undefined: it was not read to its end. */
    demandAll(count = Infinity) {
      const held = holding && `the seal of ${holding.sealed_at} holds, up to event ${holding.count}`;
      if (failing !== undefined) throw new Different(whyFailing(failing, logId, held));
      const longest = waiting.at(-1);
      if (longest?.count > count)
        throw new Different(
          `the export ends after event ${count}, the seal of ${longest.sealed_at} is of ${longest.count} events: ` +
            `it was shortened${held ? `; ${held}` : ''}`,
        );
    },
  };
}

function whyFailing({ count, sealed_at, log_id }, logId, held) {
  if (log_id !== logId) return `the seal of ${sealed_at} is of the log ${log_id}, the export of ${logId}`;
  return (
    `the history up to event ${count} is not the one that was sealed at ${sealed_at}. ` +
    `The difference lies at or before event ${count}; ${held ?? 'where, cannot be said without an older seal'}`
  );
}

const sealShapes = {
  format: /^audience-ledger-seal\/1$/,
  log_id: /^\S{1,64}$/,
  count: /^[1-9]\d{0,14}$/,
  position: /^\S{1,64}$/,
  event_id: /^[0-9a-f-]{36}$/,
  head: /^[0-9a-f]{64}$/,
  root: /^[0-9a-f]{64}$/,
  sealed_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  public_key: /^[A-Za-z0-9+/]{59}=$/,
  signature: /^[A-Za-z0-9+/]{86}==$/,
};

/** Section 6: a seal is signed with Ed25519. The key that it names is worth what one knows of it. */
function readSeal(file, publicKeyFile) {
  const seal = sealIn(file);
  if (seal === undefined) throw new NotVerified(`${file} is not a seal. The export comes first, the seals after it`);
  // A count in quotes has the same signature, and would be the number of no event.
  for (const [name, shape] of Object.entries(sealShapes))
    if (typeof seal[name] !== (name === 'count' ? 'number' : 'string') || !shape.test(String(seal[name])))
      throw new Different(`the ${name} of the seal is not as it should be: the seal was altered`);
  const { format, log_id, count, position, event_id, head, root, sealed_at, public_key, signature } = seal;
  const members = [format, log_id, String(count), position, event_id, head, root, sealed_at, public_key];
  const signed = members.map(field).join('');
  const key = keyOf(public_key, file);
  if (!verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64')))
    throw new Different('the signature of the seal is wrong: the seal was altered');
  if (publicKeyFile && !keyOf(readFileSync(publicKeyFile, 'utf8'), publicKeyFile).equals(key))
    throw new Different('the seal is signed by another key than the expected one');
  return seal;
}

/** Undefined: the file is something else. */
function sealIn(file) {
  // An export may be larger than what can be read at once.
  if (statSync(file).size > 65_536) return undefined;
  try {
    const seal = JSON.parse(readFileSync(file, 'utf8'));
    return seal?.format === 'audience-ledger-seal/1' ? seal : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** PEM, or SPKI in DER as base64. */
function keyOf(text, file) {
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

const usage = 'usage: node verify.mjs export.ndjson [seal.json ...] [--public-key FILE]';
const files = process.argv.slice(2);
const option = files.indexOf('--public-key');
const [, publicKeyFile] = option < 0 ? [] : files.splice(option, 2);
if (files.length < 1 || files[0].startsWith('-') || (option >= 0 && (!publicKeyFile || files.length < 2))) {
  console.error(usage);
  process.exit(2);
}
try {
  // What comes through a pipe can be read once only.
  if (statSync(files[0]).isFile() && sealIn(files[0]) !== undefined)
    throw new NotVerified(`${files[0]} is a seal. The export comes first, the seals after it`);
  const seals = files.slice(1).map((file) => readSeal(file, publicKeyFile));
  const { count, head, linked } = await verifyExport(files[0], seals);
  console.log(`intact: ${count} events, head ${head}, ${linked} of them compared with their links`);
  for (const seal of seals) {
    console.log(
      `sealed: the first ${seal.count} events are those of the seal of ${seal.sealed_at}, log ${seal.log_id}`,
    );
    console.log(`signed by the key with fingerprint ${hex(hash(Buffer.from(seal.public_key, 'base64')))}`);
    if (!publicKeyFile) console.log('compare it with the one that the sealer made known, or give --public-key');
  }
  // What neither links nor order can tell.
  const sealed = Math.max(0, ...seals.map((seal) => seal.count));
  if (sealed === 0)
    console.log(
      linked === 0
        ? 'without links and without a seal this says nothing of the past: any event may have been changed, dropped or put in.'
        : 'without a seal this does not say that the export is whole: events may have been cut off at its end, or all of it rewritten, links included.',
    );
  else if (sealed < count)
    console.log(
      `of the last ${count - sealed} events no seal says anything: they may have been changed or put in, or others cut off after them.`,
    );
  if (sealed === 0) console.log('compare count and head with ones that you know, or give a seal');
} catch (error) {
  console.error(error instanceof Different ? `DIFFERENT: ${error.message}` : `cannot verify: ${error.message}`);
  process.exitCode = error instanceof Different ? 1 : 2;
}
