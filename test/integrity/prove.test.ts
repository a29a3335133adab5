/** Proofs of one person: what is in them, what is not, and that nothing can be changed in them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Database } from '../../src/sqlite/database.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { proveConsistency, provePerson, type Proof } from '../../src/integrity/proofs.js';
import { runVerifier, tampered } from '../support/integrity-log.js';
import { eventIdOf, personOf, proving, requestOf, testKey, writePast } from '../support/proofs.js';
import { usually } from '../support/amount.js';
import { verifyAll } from '../support/verify-many.js';

const people = 4;
let folder: string;
let log: string;
let proof: Proof;
let all: readonly { readonly ordinal: number; readonly stream: string; readonly at: string }[];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'prove-'));
  log = await writePast(folder, { people, rounds: usually(20, 600) });
  proof = await proofOf(2);
  const db = new Database(log, { access: 'read' });
  all = db
    .prepare<[], { ordinal: number; stream: string; at: string }>(
      "select position as ordinal, stream, json_extract(metadata, '$.at') as at from log",
    )
    .all();
  db.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const proofOf = (person: number): Promise<Proof> => proving(log, ({ prove }) => prove(person));

test('a proof holds each event of the contact as it is stored, and the deletions of its lists and tags', () => {
  const own = all.filter(({ stream }) => stream === personOf(2).stream).map(({ ordinal }) => ordinal);
  expect(proof.events.map(({ ordinal }) => ordinal)).toEqual([...own, ...proof.deletions].sort((a, b) => a - b));
  expect(proof.last_revision).toBe(own.length - 1);
  const deletions = proof.events.filter(({ ordinal }) => proof.deletions.includes(ordinal));
  // List 3 was deleted, too, but the contact was never there.
  expect(deletions.map(({ type, data }) => [type, JSON.parse(data) as object])).toEqual([
    ['ListDeleted', expect.objectContaining({ list_name: 'List “2” \u{1F4EC}' })],
    ['TagDeleted', expect.objectContaining({ tag_name: 'Tag 1' })],
  ]);
  const db = new Database(log, { access: 'read' });
  for (const { ordinal, data, metadata } of proof.events)
    expect(db.prepare('select data, metadata from log where position = ?').get(ordinal)).toEqual({ data, metadata });
  db.close();
});

test('a proof has no id, address, time or request of another person', () => {
  const text = JSON.stringify(proof);
  const mine = new Set(proof.events.map(({ ordinal }) => ordinal));
  const found = all
    .filter(({ ordinal }) => !mine.has(ordinal))
    .flatMap(({ ordinal, at }) => [eventIdOf(ordinal), requestOf(ordinal), at])
    .concat([1, 3, 4].flatMap((person) => Object.values(personOf(person))))
    .filter((value) => text.includes(value));
  expect(found).toEqual([]);
  for (const own of Object.values(personOf(2))) expect(text).toContain(own);
  // Of tags that others have made, those that the contact never bore are not named.
  expect(text).toContain('Tag 1');
  expect(text).not.toContain('Tag 3');
});

test('the seal is chosen by the last event of the contact and of the deletions', async () => {
  await proving(log, async ({ sources, seal }) => {
    const last = proof.events.at(-1)?.ordinal ?? 0;
    const asked: number[] = [];
    const choose = async (ordinal: number) => {
      asked.push(ordinal);
      return await seal(ordinal);
    };
    const chosen = await provePerson(sources, { stream: personOf(2).stream, seal: choose });
    expect(asked).toEqual([last]);
    expect(chosen).toMatchObject({ count: last, deletions: proof.deletions, last_revision: proof.last_revision });
    const uncounted = {
      ...sources.source,
      ordinalsAt: async (positions: readonly string[]) => positions.map(() => undefined),
    };
    const request = {
      stream: personOf(2).stream,
      seal: (ordinal: number) => Promise.reject(new Error(`asked for ${ordinal}`)),
    };
    await expect(provePerson({ ...sources, source: uncounted }, request)).rejects.toThrow('asked for Infinity');
  });
});

test('a proof against an earlier seal has the events up to that seal', async () => {
  await proving(log, async ({ seal, prove }) => {
    const count = all.findIndex(({ stream }) => stream === personOf(3).stream) + 1;
    const early = await prove(2, await seal(count));
    expect(early.events.every(({ ordinal }) => ordinal <= count)).toBe(true);
    expect(early).toMatchObject({ count, last_revision: 3, deletions: [] });
    await expect(prove(4, await seal(count))).rejects.toThrow(/came after the seal/);
    await expect(prove('contact-none')).rejects.toThrow('There is no such contact');
  });
});

describe('a proof is refused', () => {
  test('a proof against a seal of another key, of another log, or of more events than there are is refused', async () => {
    await proving(log, async ({ seal, prove }) => {
      await expect(prove(2, await seal(undefined, testKey(9)))).rejects.toThrow(
        /signed by the key with the fingerprint [0-9a-f]{64}, but the key at hand/,
      );
      const good = await seal();
      for (const [change, reason] of [
        [{ root: 'ab'.repeat(32) }, /not those of the seal/],
        [{ count: good.count - 1 }, /not those of the seal/],
        [{ count: good.count + 1 }, /the tree of the log has fewer/],
      ] as const)
        await expect(prove(2, { ...good, ...change })).rejects.toThrow(reason);
    });
  });

  test('a proof of an event that was altered in a complete block is refused, though the block root was left', async () => {
    const own = mkdtempSync(path.join(folder, 'block-'));
    const whole = await writePast(own, { people: 3, rounds: 300 });
    const altered = tampered(whole, (db) =>
      db.exec("update events set data = replace(data, 'Zoë', 'Zoe') where position = 5"),
    );
    const good = await proving(whole, ({ seal }) => seal());
    // The path of another event of the block rests on the altered leaf as well.
    for (const person of [1, 2])
      await expect(proving(altered, ({ prove }) => prove(person, good))).rejects.toThrow(
        /^the events 1 to 256 of the log are not those that were sealed/,
      );
  });

  test('a proof of a contact with more events than the limit is refused', async () => {
    await proving(log, async ({ sources, seal }) => {
      const request = { stream: personOf(2).stream, seal: await seal(), limit: 5 };
      await expect(provePerson(sources, request)).rejects.toMatchObject({ code: 'too_many_events' });
    });
  });

  test('a proof of an event that was altered since the seal is refused', async () => {
    const { ordinal } = proof.events.at(-1) ?? { ordinal: 0 };
    const altered = tampered(log, (db) =>
      db.prepare("update events set data = replace(data, 'List', 'Lost') where position = ?").run(ordinal),
    );
    await expect(
      proving(log, ({ seal }) => seal()).then((good) => proving(altered, ({ prove }) => prove(2, good))),
    ).rejects.toThrow(/^the first \d+ events of the log are not those of the seal/);
  });

  test('a proof of consistency is refused if the seals are not those of the log', async () => {
    await proving(log, async ({ log: { tree }, seal }) => {
      const [older, newer] = [await seal(5), await seal()];
      const other = { ...older, root: newer.root };
      await expect(proveConsistency(tree, newer, older)).rejects.toThrow(/name the seal of fewer events first/);
      await expect(proveConsistency(tree, other, newer)).rejects.toThrow(/not those of the seal/);
      await expect(proveConsistency(tree, older, { ...newer, log_id: 'other' })).rejects.toThrow(/two logs/);
    });
  });
});

const write = (name: string, text: string | Buffer): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};

/** One byte each: another digit or letter, another case, another sign. */
function* flips(text: string, step: number): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += step)
    for (const mask of usually([1], [1, 0x20])) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (bytes[at] ?? 0) ^ mask;
      yield flipped;
    }
}

/** Whether a text says the same as another: only blanks, or how a character is written, differ. */
function saysTheSame(text: Buffer, original: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text.toString())) === JSON.stringify(JSON.parse(original));
  } catch {
    return false;
  }
}

test('a proof with any one byte flipped is refused, or says the same', async () => {
  const small = JSON.stringify(await proving(log, async ({ seal, prove }) => prove(1, await seal(20))));
  const consistency = JSON.stringify(
    await proving(log, async ({ log: { tree }, seal }) => proveConsistency(tree, await seal(13), await seal(22))),
  );
  for (const text of [small, consistency]) {
    const all = [Buffer.from(text), ...flips(text, usually(61, 1))];
    const [good, ...verdicts] = verifyAll(all.map((bytes, number) => [write(`${number}.json`, bytes)]));
    expect(good).toMatchObject({ code: 0 });
    const taken = verdicts.flatMap(({ code }, at) => (code === 0 ? [all[at + 1] ?? Buffer.of()] : []));
    expect(taken.filter((bytes) => !saysTheSame(bytes, text)).map(String)).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(20);
  }
});

test('a proof with parts that were left out, put in, moved or taken from another proof is refused', async () => {
  const other = await proofOf(3);
  const { events, deletions } = proof;
  const without = (ordinal: number | undefined) => events.filter((event) => event.ordinal !== ordinal);
  const wrong: Record<string, object> = {
    'its last event left out': { ...proof, events: without(events.findLast(isOwn)?.ordinal) },
    'its last event left out, and the revision lowered': {
      ...proof,
      last_revision: proof.last_revision - 1,
      events: without(events.findLast(isOwn)?.ordinal),
    },
    'an event in its middle left out': { ...proof, events: without(events[2]?.ordinal) },
    'a deletion left out': { ...proof, events: without(deletions[0]) },
    'a deletion left out, and unsigned': { ...proof, events: without(deletions[0]), deletions: deletions.slice(1) },
    'no events': { ...proof, events: [] },
    'an event twice': { ...proof, events: [...events, events.at(-1)] },
    'events in another order': { ...proof, events: [...events].reverse() },
    "somebody else's event": {
      ...proof,
      events: [...events, ...other.events.filter(({ ordinal }) => !events.some((own) => own.ordinal === ordinal))].sort(
        (a, b) => a.ordinal - b.ordinal,
      ),
    },
    'the events of somebody else': { ...proof, events: other.events },
    'the name of somebody else': { ...proof, stream: other.stream },
    'a further member': { ...proof, consent: 'given' },
    'a further member in an event': { ...proof, events: events.map((event) => ({ ...event, at: 'never' })) },
    'another note': { ...proof, note: 'E-mails are in it.' },
    'another count': { ...proof, count: proof.count + 1 },
    'a path that is too long': { ...proof, events: events.map((e) => ({ ...e, path: [...e.path, proof.root] })) },
    'a path that is too short': { ...proof, events: events.map((e) => ({ ...e, path: e.path.slice(1) })) },
    'data that are no JSON': { ...proof, events: events.map((event) => ({ ...event, data: '{' })) },
    'half a character': { ...proof, events: events.map((event) => ({ ...event, type: '\ud800' })) },
  };
  const twice = JSON.stringify(proof).replace('"count":', '"count":1,"count":');
  const files = [
    ...Object.entries(wrong).map(([name, value]) => [name, JSON.stringify(value)] as const),
    ['a member twice', twice] as const,
  ];
  const verdicts = verifyAll(files.map(([, text], number) => [write(`wrong ${number}.json`, text)]));
  const taken = files.flatMap(([name], at) => (verdicts[at]?.code === 1 ? [] : [[name, verdicts[at]]]));
  expect(taken).toEqual([]);
});

const isOwn = ({ stream }: { readonly stream: string }): boolean => stream === personOf(2).stream;

test('the verifier compares a proof with a kept seal and with a key', async () => {
  const [seal, another] = await proving(log, async ({ seal: make }) => [await make(), await make(9)]);
  const file = write('proof.json', JSON.stringify(proof, undefined, 2));
  const [same, different] = [write('seal.json', JSON.stringify(seal)), write('other.json', JSON.stringify(another))];
  const key = write('key.txt', seal.public_key);
  const stranger = write('stranger.txt', (await proving(log, ({ seal: make }) => make(9, testKey(9)))).public_key);
  const [alone, kept, wrong, known, unknown] = verifyAll([
    [file],
    [file, same],
    [file, different],
    [file, same, '--public-key', key],
    [file, '--public-key', stranger],
  ]);
  expect([alone, kept, known].map((verdict) => verdict?.code)).toEqual([0, 0, 0]);
  expect(alone?.output).toMatch(
    /^proven: .* events of contact-[^]*compare the seal with the one that you keep[^]*This does not prove\n- what emails/,
  );
  expect(known?.output).not.toContain('compare');
  expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('the proof is against another seal') });
  expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('signed by another key') });
});

test('the verifier says in words what a proof shows: in which list, with which status, from when to when, and at a time', async () => {
  const { email, stream } = personOf(2);
  const atOf = (type: string, count = 0): string => {
    const event = proof.events.filter((one) => one.type === type)[count];
    return (JSON.parse(event?.metadata ?? '{}') as { at: string }).at;
  };
  const [first, second, off, on] = [
    ...[0, 1].map((count) => atOf('ContactSubscribed', count)),
    atOf('ContactUnsubscribed'),
    atOf('ContactSubscribed', 2),
  ];
  const file = write('words.json', JSON.stringify(proof));
  const [alone, day, exact, before, later, ofExport] = verifyAll([
    [file],
    [file, '--at', String(off).slice(0, 10)],
    [file, '--at', String(off)],
    [file, '--at', '2026-02-28'],
    [file, '--at', '2050-01-01'],
    [write('export.ndjson', '{"ordinal":1}'), '--at', '2026-03-01'],
  ]);
  const [one, two] = ['"List “1” \u{1F4EC}" (', '"List “2” \u{1F4EC}" ('];
  for (const line of [
    `  the address ${email}, since ${atOf('ContactCreated')}`,
    `  Subscribed in the list ${one}`,
    `) from ${first} to ${off}\n`,
    `) from ${off} to ${on}\n`,
    `  Subscribed in the list ${two}`,
    `) from ${second} to ${atOf('ListDeleted')}, when the list was deleted\n`,
  ])
    expect(alone?.output).toContain(line);
  expect(alone?.output).toMatch(
    new RegExp(`(?:Uns|S)ubscribed in the list .* from .* to the seal of ${proof.sealed_at}\n`),
  );
  expect(exact?.output).toMatch(new RegExp(`  at ${off}: Unsubscribed in the list .*, since ${off}\n`));
  expect(exact?.output.match(/  at /g)).toHaveLength(1);
  expect(day?.output).toMatch(/  at \d{4}-\d\d-\d\dT23:59:59\.999Z: (?:Uns|S)ubscribed in the list/);
  expect(before?.output).toContain('  at 2026-02-28T23:59:59.999Z: in no list');
  expect([alone, day, exact, before, later, ofExport].map((verdict) => verdict?.code)).toEqual([...[0, 0, 0, 0, 2, 2]]);
  expect((await runVerifier(file, '--at', 'yesterday')).output).toMatch(/^usage: /);
  const { ordinal, revision } = proof.events[2] ?? { ordinal: 0, revision: 0 };
  const events = proof.events.map((event) =>
    event.ordinal === ordinal ? { ...event, data: event.data.replace('List', 'Lost') } : event,
  );
  expect(verifyAll([[write('differs.json', JSON.stringify({ ...proof, events }))]])).toMatchObject([
    {
      code: 1,
      output: expect.stringContaining(
        `at event ${ordinal} (ContactSubscribed, revision ${revision} of ${stream}): it is not what was sealed`,
      ),
    },
  ]);
});

test('the verifier lists each life of an address, and a later part of an earlier erasure ends none', async () => {
  const { stream, contactId, email } = personOf(1);
  const list = { list_id: 'lst_new', list_name: 'New' };
  const erased = { erasure_id: 'ers_1', contact_id: contactId, through: 3, list_ids: [], subscribed_list_ids: [] };
  const erasure = { stream, type: 'ContactErased', data: { ...erased, attached: [] } };
  const after = [
    erasure,
    { stream, type: 'ContactCreated', data: { contact_id: 'con_new', person: { salt: 'd'.repeat(32), email } } },
    { stream, type: 'ContactSubscribed', data: { contact_id: 'con_new', ...list, previous_status: null } },
    erasure,
  ];
  const own = mkdtempSync(path.join(folder, 'lives-'));
  const made = await proving(await writePast(own, { people: 1, rounds: 0, after }), ({ prove }) => prove(1));
  const times = made.events.filter((event) => event.stream === stream);
  const atOf = (revision: number): string => (JSON.parse(times[revision]?.metadata ?? '') as { at: string }).at;
  const file = write('lives.json', JSON.stringify(made));
  const [whole, between, now] = verifyAll([[file], [file, '--at', atOf(4)], [file, '--at', atOf(7)]]);
  for (const line of [
    `the contact ${contactId} from ${atOf(0)} to ${atOf(4)}, when the person was erased\n`,
    `the contact con_new from ${atOf(5)} to the seal of ${made.sealed_at}\n`,
    `Subscribed in the list "New" (lst_new) from ${atOf(6)} to the seal of ${made.sealed_at}\n`,
  ])
    expect(whole?.output).toContain(line);
  expect(between?.output).toContain(`at ${atOf(4)}: in no list, because there was no contact then\n`);
  expect(now?.output).toContain(`at ${atOf(7)}: Subscribed in the list "New"`);
});

test('the verifier by itself is a process with the same verdict', () => {
  const verifier = fileURLToPath(new URL('../../verify.mjs', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [verifier, write('proof.json', JSON.stringify(proof))]);
  expect({ status, said: String(stdout).split(':')[0] }).toEqual({ status: 0, said: 'proven' });
});
