/**
 * Flips random bits in a copy of `views.db`, starts the service on it, and compares every GET with the answer before the
 * flip. `node test/damage/bit-flips.mjs --flips 420 --seed 1` prints one line for each flip that did not go unnoticed, then
 * the sum.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const ownMain = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const key = 'a-key-that-is-long-enough-for-the-service-0001';
const patienceMs = 60_000;

async function launch(dataDir, main) {
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    RATE_LIMIT: '0',
    RATE_LIMIT_EMAIL: '0',
    ACCESS_LOG: 'off',
  };
  rmSync(path.join(dataDir, 'address'), { force: true });
  const child = spawn(process.execPath, [main], {
    cwd: dataDir,
    env: { ...env, PATH: process.env['PATH'], API_KEYS: `test:${key}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const exited = once(child, 'close');
  const url = await until(() => {
    if (child.exitCode !== null) throw new Error(`the service ended: ${output}`);
    return addressIn(dataDir);
  });
  const ask = async (target, options = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(url + target, { headers, ...options });
    return { status: answer.status, text: await answer.text() };
  };
  return {
    ask,
    output: () => output,
    async post(target, body) {
      const { status, text } = await ask(target, { method: 'POST', body: JSON.stringify(body) });
      if (status !== 200) throw new Error(`POST ${target}: ${status} ${text}`);
      return JSON.parse(text).data;
    },
    ready: () => until(async () => (await ask('/health/ready')).status === 200 || undefined),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
    },
  };
}

function addressIn(dataDir) {
  try {
    return readFileSync(path.join(dataDir, 'address'), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

async function until(probe) {
  for (const end = Date.now() + patienceMs; Date.now() < end; await pause(10)) {
    const value = await probe();
    if (value !== undefined) return value;
  }
  throw new Error('it did not come in time');
}

const people = 40;

/** Makes a log and its views, and returns what is asked for in each round. */
export async function furnish(dataDir, main) {
  const service = await launch(dataDir, main);
  const { post } = service;
  await service.ready();
  const { group_id } = await post('/v1/groups/create', { group_name: 'people' });
  const lists = [];
  for (const list_name of ['one', 'two', 'three'])
    lists.push((await post('/v1/lists/create', { group_id, list_name })).list_id);
  const tags = [];
  for (const tag_name of ['first', 'second']) tags.push((await post('/v1/tags/create', { tag_name })).tag_id);
  const contacts = [];
  for (let at = 0; at < people; at += 1) {
    const email = `person.${at}@example.com`;
    for (const list of lists.slice(0, 1 + (at % 3))) {
      const status = at % 5 === 0 ? 'Unsubscribed' : 'Subscribed';
      const { contact_id } = await post(`/v1/contacts/${list}/upsertcontact`, {
        email,
        status,
        first_name: `Name${at}`,
        city: 'Ulm',
      });
      contacts.push({ list, contact_id, email });
    }
    if (at % 2 === 0) await post(`/v1/contacts/tags/${lists[0]}/add`, { tag_name: ['first'], contact_email: email });
    for (let n = 0; n < at % 3; n += 1) {
      const mail = {
        from_email: 'us@example.com',
        to_email: email,
        subject: `hello ${n}`,
        mail_template: '<p>hello</p>',
      };
      await post('/v1/email/send', mail);
    }
  }
  for (const at of [1, 2, 3])
    await post('/v1/suppressions', { email: `person.${at}@example.com` }).catch(() => undefined);
  await until(async () =>
    JSON.parse((await service.ask('/v1/views/emails?state=requested')).text).data.length === 0 ? true : undefined,
  );
  const targets = [
    ...['/v1/groups', '/v1/lists', '/v1/tags', '/v1/email', '/v1/suppressions'],
    ...['/v1/analytics/lists', '/v1/analytics/tags', '/v1/email?state=sent'],
    ...lists.flatMap((id) => [
      `/v1/lists/${id}`,
      ...['', '?status=Subscribed', '?status=Unsubscribed', '?tag_name=first'].map(
        (query) => `/v1/contacts/${id}${query}`,
      ),
      `/v1/analytics/lists/${id}/growth`,
    ]),
    ...tags.flatMap((id) => [`/v1/tags/${id}`, `/v1/analytics/tags/${id}/use`]),
    ...contacts.map(({ list, contact_id }) => `/v1/contacts/${list}/${contact_id}`),
    ...[...new Set(contacts.map(({ email }) => email))].flatMap((email) => [
      `/v1/contacts?email=${email}`,
      `/v1/privacy/export?email=${email}`,
    ]),
    ...[...new Set(contacts.map(({ contact_id }) => contact_id))].map((id) => `/v1/audit/contacts/${id}/history`),
    ...[
      'groups',
      'lists',
      'tags',
      'contacts',
      'memberships',
      'emails',
      'list_growth',
      'tag_use',
      'email_outcomes',
      'suppressions',
    ].map((view) => `/v1/views/${view}?limit=200`),
    ...lists.flatMap((id) =>
      ['Subscribed', 'Unsubscribed'].map((status) => `/v1/views/memberships?list_id=${id}&status=${status}&limit=200`),
    ),
  ];
  for (const { email_id } of JSON.parse((await service.ask('/v1/email?limit=200')).text).data)
    targets.push(`/v1/email/${email_id}`);
  await service.stop();
  return targets;
}

const withoutTimes = ({ status, text }) =>
  `${status} ${text.replaceAll(/"(exported_at|made_at|answered_at)":"[^"]*"/g, '')}`;

async function answersOf(service, targets) {
  const answers = new Map();
  for (const target of targets) answers.set(target, withoutTimes(await service.ask(target)));
  return answers;
}

/** Answers that are the same after a restart without any damage. */
async function stableAnswers(dataDir, targets, main) {
  const rounds = [];
  for (let round = 0; round < 2; round += 1) {
    const service = await launch(dataDir, main);
    await service.ready();
    rounds.push(await answersOf(service, targets));
    await service.stop();
  }
  return new Map(
    [...rounds[0]].filter(([target, answer]) => rounds[1].get(target) === answer && answer.startsWith('200')),
  );
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function flip(file, random) {
  const bit = Math.floor(random() * statSync(file).size * 8);
  const bytes = readFileSync(file);
  bytes[bit >> 3] ^= 1 << (bit & 7);
  writeFileSync(file, bytes);
  return bit;
}

const isWrong = (answer, expected) => answer !== expected && !answer.startsWith('503');
const wrongIn = (answers, expected) =>
  [...answers].filter(([target, answer]) => isWrong(answer, expected.get(target))).map(([target]) => target);

/** What one flip led to. */
async function tryFlip({ template, expected, main, random, hasCheck }) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bit-flip-'));
  cpSync(template, dataDir, { recursive: true });
  const bit = flip(path.join(dataDir, 'views.db'), random);
  const result = { bit, wrong: [], wrongAtTheEnd: [], refused: 0, noticed: false, failed: undefined };
  let service;
  try {
    service = await launch(dataDir, main);
    await Promise.race([service.ready(), pause(hasCheck ? patienceMs : 4_000)]);
    const first = await answersOf(service, expected.keys());
    result.wrong = wrongIn(first, expected);
    result.refused = [...first.values()].filter((answer) => answer.startsWith('503')).length;
    if (hasCheck) {
      await until(() => (service.output().includes('the views were checked') ? true : undefined));
      await service.ready();
      const last = await answersOf(service, expected.keys());
      result.wrongAtTheEnd = [...last]
        .filter(([target, answer]) => answer !== expected.get(target))
        .map(([target]) => target);
    }
    result.noticed = /damaged/.test(service.output());
  } catch (error) {
    result.failed = `${error.message} ${service?.output().slice(-600) ?? ''}`;
  }
  await service?.stop('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
  return result;
}

/**
 * @returns for each flip: `wrong`, what was answered wrongly before the check was over, `noticed`, and `wrongAtTheEnd`, what
 * was not answered rightly after the check and what it had rebuilt
 */
export async function flipBits({ flips, seed, main = ownMain, hasCheck = true, onResult = () => undefined }) {
  const template = mkdtempSync(path.join(os.tmpdir(), 'bit-flips-'));
  try {
    const targets = await furnish(template, main);
    const expected = await stableAnswers(template, targets, main);
    const random = randomFrom(seed);
    const results = [];
    for (let at = 0; at < flips; at += 1) {
      const result = await tryFlip({ template, expected, main, random, hasCheck });
      results.push(result);
      onResult(result, at);
    }
    return {
      targets: expected.size,
      of: targets.length,
      bytes: statSync(path.join(template, 'views.db')).size,
      results,
    };
  } finally {
    rmSync(template, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      flips: { type: 'string', default: '420' },
      seed: { type: 'string', default: '1' },
      main: { type: 'string' },
      'no-check': { type: 'boolean', default: false },
    },
  });
  const { results, ...about } = await flipBits({
    flips: Number(values.flips),
    seed: Number(values.seed),
    main: values.main,
    hasCheck: !values['no-check'],
    onResult(result, at) {
      if (result.noticed || result.failed !== undefined || result.wrong.length > 0)
        process.stdout.write(`${at} ${JSON.stringify(result)}\n`);
    },
  });
  const count = (test) => results.filter(test).length;
  const sum = {
    ...about,
    flips: results.length,
    wrong: count(({ wrong }) => wrong.length > 0),
    wrong_and_unnoticed: count(({ wrong, noticed }) => wrong.length > 0 && !noticed),
    wrong_at_the_end: count(({ wrongAtTheEnd }) => wrongAtTheEnd.length > 0),
    noticed: count(({ noticed }) => noticed),
    refused: count(({ refused }) => refused > 0),
    failed: count(({ failed }) => failed !== undefined),
  };
  process.stdout.write(`${JSON.stringify(sum, undefined, 2)}\n`);
}
