#!/usr/bin/env node
// Verifies an export of audience-ledger's events, with nothing but Node: no package, and none of the service's own code.
//
//   node verify.mjs export.ndjson [seal.json] [--public-key FILE]
//
// It computes the evidence chain anew from the first line to the last and compares it with the links in the export, and with
// the seal. Exit code 0: intact. 1: something differs, the first difference is named. 2: wrong usage, or a file that cannot
// be read. How the chain is made is written down in docs/evidence.md; the numbers below are those of its sections.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Section 1: a text with its length in bytes before it, so that no two lists of texts look the same. */
const field = (text) => `${Buffer.byteLength(text)}:${text},`;

/** Section 2: what an event's link is the hash of. */
function linkOf(previous, { ordinal, stream, revision, id, type, data, metadata }) {
  const fields = [String(ordinal), stream, String(revision), id, type, withDigests(data), metadata];
  return sha256(previous + fields.map(field).join(''));
}

/** Section 3: personal data count by their digest. One that was replaced by its digest already is kept. */
function withDigests(data) {
  let text = '';
  let copied = 0;
  for (const { name, start, end } of membersOf(data)) {
    if (name !== 'person' && name !== 'message') continue;
    const value = data.slice(start, end);
    text += data.slice(copied, start) + (/^"sha256:[0-9a-f]{64}"$/.test(value) ? value : `"sha256:${sha256(value)}"`);
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

/** One line: its members as JSON, but data and metadata as they stand in it. */
function eventIn(line, ordinal) {
  let values;
  try {
    values = JSON.parse(line);
  } catch {
    throw new Different(`line ${ordinal} is not JSON`);
  }
  if ('cut_at' in values)
    throw new TypeError(`the export was cut at ${values.cut_at}: only a whole log can be verified`);
  const members = membersOf(line);
  const texts = Object.fromEntries(members.map(({ name, start, end }) => [name, line.slice(start, end)]));
  // Of two members with one name some programs read the first and some the last.
  if (new Set(members.map(({ name }) => name)).size < members.length)
    throw new Different(`line ${ordinal} has a member twice`);
  for (const name of ['data', 'metadata'])
    if (!texts[name]?.startsWith('{')) throw new Different(`line ${ordinal} has no ${name}`);
  const { stream, revision, event_id: id, type, chain } = values;
  return { ordinal: values.ordinal, stream, revision, id, type, data: texts.data, metadata: texts.metadata, chain };
}

/** Section 4: beyond the links, each stream runs on by one, and never backwards in time. */
function assertRunsOn(event, ends) {
  const { stream, revision } = event;
  const before = ends.get(stream) ?? { revision: -1, at: '' };
  const at = /"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/.exec(event.metadata)?.[1];
  if (revision !== before.revision + 1)
    throw new Different(`it should be revision ${before.revision + 1} of its stream`);
  if (at === undefined) throw new Different('it has no time that can be read');
  if (at < before.at) throw new Different('it says that it happened before the event before it in its stream');
  ends.set(stream, { revision, at });
}

async function* linesOf(file) {
  let rest = '';
  for await (const text of createReadStream(file, { encoding: 'utf8', highWaterMark: 1024 * 1024 })) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function verifyExport(file, seal) {
  const ends = new Map();
  let count = 0;
  let head = '0'.repeat(64);
  let linked = 0;
  for await (const line of linesOf(file)) {
    const ordinal = count + 1;
    const event = eventIn(line, ordinal);
    const name = `event ${ordinal} (${event.type}, revision ${event.revision} of ${event.stream})`;
    try {
      if (event.ordinal !== ordinal) throw new Different(`event ${event.ordinal} stands there`);
      head = linkOf(head, event);
      if (event.chain !== undefined && event.chain !== head)
        throw new Different('it is not what was written: its link differs');
      assertRunsOn(event, ends);
      if (seal?.count === ordinal && seal.head !== head)
        throw new Different('the history up to it is not the sealed one');
    } catch (error) {
      throw error instanceof Different ? new Different(`the first difference is at ${name}: ${error.message}`) : error;
    }
    count = ordinal;
    if (event.chain !== undefined) linked += 1;
  }
  if (seal !== undefined && seal.count > count)
    throw new Different(`the export ends after event ${count}, the seal is of ${seal.count} events: it was shortened`);
  return { count, head, linked };
}

/** Section 5: a seal is signed with Ed25519. The key that it names is worth what one knows of it. */
function readSeal(file, publicKeyFile) {
  const seal = JSON.parse(readFileSync(file, 'utf8'));
  const { format, log_id, count, position, event_id, head, sealed_at, public_key, signature } = seal;
  if (format !== 'audience-ledger-seal/1') throw new TypeError(`${file} is not a seal`);
  const signed = [format, log_id, String(count), position, event_id, head, sealed_at, public_key].map(field).join('');
  const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), type: 'spki', format: 'der' });
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('the key of the seal is not an Ed25519 key');
  if (!verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64')))
    throw new Different('the signature of the seal is wrong: the seal was altered');
  const expected = publicKeyFile && createPublicKey(pemOf(readFileSync(publicKeyFile, 'utf8')));
  if (expected && !expected.equals(key)) throw new Different('the seal is signed by another key than the expected one');
  return seal;
}

const pemOf = (text) =>
  text.includes('-----BEGIN') ? text : { key: Buffer.from(text.trim(), 'base64'), type: 'spki', format: 'der' };

const usage = 'usage: node verify.mjs export.ndjson [seal.json] [--public-key FILE]';
const files = process.argv.slice(2);
const option = files.indexOf('--public-key');
const [, publicKeyFile] = option < 0 ? [] : files.splice(option, 2);
if (
  files.length < 1 ||
  files.length > 2 ||
  files[0].startsWith('-') ||
  (option >= 0 && (!publicKeyFile || files.length < 2))
) {
  console.error(usage);
  process.exit(2);
}
try {
  const seal = files[1] === undefined ? undefined : readSeal(files[1], publicKeyFile);
  const { count, head, linked } = await verifyExport(files[0], seal);
  console.log(`intact: ${count} events, head ${head}, ${linked} of them compared with their links`);
  if (seal !== undefined) {
    console.log(
      `sealed: the first ${seal.count} events are those of the seal of ${seal.sealed_at}, log ${seal.log_id}`,
    );
    console.log(`signed by the key with fingerprint ${sha256(Buffer.from(seal.public_key, 'base64'))}`);
    if (!publicKeyFile) console.log('compare it with the one that the sealer made known, or give --public-key');
  } else if (linked === 0)
    console.log(
      'without links and without a seal this says nothing of the past: compare the head with one that you know',
    );
} catch (error) {
  console.error(error instanceof Different ? `DIFFERENT: ${error.message}` : `cannot verify: ${error.message}`);
  process.exitCode = error instanceof Different ? 1 : 2;
}
