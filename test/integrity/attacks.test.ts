/** Attacks on the files of a stopped service, and who finds them: each row of the table in docs/evidence.md. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import {
  alterNewestSeal,
  append,
  appendRestored,
  change,
  changeBlock,
  cutAfter,
  digestPersons,
  drop,
  dropWithoutGap,
  exchangeKey,
  foreignKey,
  inOrder,
  insert,
  newestSealFile,
  logOf,
  putBack,
  readSeals,
  recomputeBlocks,
  removeBlock,
  removeKey,
  removeNewestSeal,
  sealAs,
  sealKeyOf,
  sealsOf,
  stateOf,
  swap,
  withoutSecret,
  withSecret,
  type Attack,
  type Scene,
} from './attacks.js';
import { audience } from '../support/audience.js';
import { runVerifier } from '../support/integrity-log.js';
import { addContacts, startLocally } from '../support/local-service.js';
import { document, rows, section } from '../support/markdown.js';
import { envOf, ready, sealNow, startOn, verify } from './scene.js';

const root = mkdtempSync(path.join(tmpdir(), 'attacks-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The folder after an orderly stop, and its copy after the stop before that. */
const honest: Scene = { folder: path.join(root, 'honest'), copies: path.join(root, 'seals') };
const older = path.join(root, 'older');
const email = { current: '' };
/** Numbers of events: sealed at the first stop, sealed while the service ran, and at the last stop. */
const counts = { first: 0, second: 0, last: 0 };

beforeAll(async () => {
  mkdirSync(honest.copies);
  const first = await startLocally(honest.folder, envOf(honest));
  await addContacts(honest.folder, 135);
  await first.close();
  counts.first = stateOf(honest.folder).count;
  cpSync(honest.folder, older, { recursive: true });
  const second = await startLocally(honest.folder, envOf(honest));
  const emails = await addContacts(honest.folder, 140);
  email.current = emails[3] ?? '';
  await ready(honest.folder);
  await sealNow(honest.folder);
  counts.second = readSeals(sealsOf(honest.folder)).at(-1)?.count ?? 0;
  await addContacts(honest.folder, 5);
  await ready(honest.folder);
  await second.close();
  counts.last = stateOf(honest.folder).count;
}, 60_000);

let made = 0;
/** A copy of the honest folder and of its seals. @param isKilled as a kill leaves it: without the final seal of the last run */
function newScene({ isKilled = false, withCopies = true } = {}): Scene {
  made += 1;
  const scene = { folder: path.join(root, String(made), 'data'), copies: path.join(root, String(made), 'seals') };
  cpSync(honest.folder, scene.folder, { recursive: true });
  if (withCopies) cpSync(honest.copies, scene.copies, { recursive: true });
  else mkdirSync(scene.copies);
  if (isKilled) removeNewestSeal(withCopies ? 'both' : 'folder')(scene);
  onTestFinished(() => rmSync(path.dirname(scene.folder), { recursive: true }));
  return scene;
}

async function verifyFinds(scene: Scene): Promise<boolean> {
  const { code, out, err } = await verify(scene);
  expect(code, err).toBeLessThan(2);
  if (code === 0) expect(out).toContain('intact');
  return code === 1;
}

/** Writes the newest seal as an auditor keeps it, and returns the file. */
function keptSeal({ folder, copies }: Scene): string {
  const file = path.join(folder, '..', 'seal.json');
  writeFileSync(file, JSON.stringify(readSeals(copies).at(-1)));
  return file;
}

async function exported(folder: string): Promise<string> {
  const reader = openSqliteEventReader({ file: logOf(folder), pollMs: 0 });
  const lines: string[] = [];
  for await (const events of reader.readEvents())
    for (const { position, stream, revision, id, type, data, metadata } of events)
      lines.push(
        `{"ordinal":${lines.length + 1},"position":"${position}","stream":"${stream}","revision":${revision},"event_id":"${id}","type":"${type}","data":${data},"metadata":${metadata}}\n`,
      );
  await reader.close();
  const file = path.join(folder, '..', 'export.ndjson');
  writeFileSync(file, lines.join(''));
  return file;
}

async function verifierFinds(...parameters: string[]): Promise<boolean> {
  const { code, output } = await runVerifier(...parameters);
  expect(code, output).toBeLessThan(2);
  return code === 1;
}

type Finder = 'start' | 'check' | 'verify' | 'verify.mjs';
interface Case {
  readonly attack: Attack;
  readonly isKilled?: boolean;
  /** verify.mjs gets the newest seal after the attack in place of the newest one before it. */
  readonly isGivenAttackedSeal?: boolean;
  readonly found: readonly Finder[];
  /** Part of the message of the first finder. */
  readonly says: string;
}
const everyone: readonly Finder[] = ['start', 'verify', 'verify.mjs'];
const notTheStart: readonly Finder[] = ['check', 'verify', 'verify.mjs'];
/** In the block in which the newest seal ends. */
const inLastBlock = 525;

const cases: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  'changes, drops, inserts or moves events, and leaves the block roots as they are': {
    'changes an event of an old block': { attack: change(100), found: notTheStart, says: 'events 1 to 256' },
    'changes an event of the last block': { attack: change(inLastBlock), found: everyone, says: 'are not those that' },
    'drops an event of an old block': { attack: drop(100), found: notTheStart, says: 'event 100 is missing' },
    'drops an event of the last block': { attack: drop(inLastBlock), found: everyone, says: 'missing' },
    'inserts an event': { attack: insert(100), found: everyone, says: 'are not those that' },
    'moves an event of an old block': { attack: swap(100), found: notTheStart, says: 'events 1 to 256' },
    'moves an event of the last block': { attack: swap(inLastBlock), found: everyone, says: 'are not those that' },
  },
  'rewrites events and block roots, with the secret or without, but without the seal key': {
    'changes an event': { attack: inOrder(change(100), recomputeBlocks), found: everyone, says: 'are not those that' },
    'drops an event': {
      attack: inOrder(dropWithoutGap(100), recomputeBlocks),
      found: everyone,
      says: 'the log was shortened',
    },
    'inserts an event': { attack: inOrder(insert(100), recomputeBlocks), found: everyone, says: 'are not those that' },
    'moves an event': { attack: inOrder(swap(100), recomputeBlocks), found: everyone, says: 'are not those that' },
    'changes an event, and seals the log with another key': {
      attack: inOrder(change(100), recomputeBlocks, sealAs('folder', foreignKey), sealAs('copies', foreignKey)),
      found: everyone,
      says: 'are not those that',
    },
  },
  'rewrites the log and seals it with the seal key': {
    'changes an event': {
      attack: inOrder(change(100), recomputeBlocks, sealAs('folder', sealKeyOf)),
      found: notTheStart,
      says: 'are not those that were sealed',
    },
  },
  'cuts off the end, or puts back an older `events.db` or an older copy of the whole data folder': {
    'cuts off the end': { attack: (scene) => cutAfter(counts.second)(scene), found: everyone, says: 'was shortened' },
    'cuts off everything after the first stop': {
      attack: (scene) => cutAfter(counts.first)(scene),
      found: everyone,
      says: 'was shortened',
    },
    'cuts off a sealed event after a kill': {
      attack: (scene) => cutAfter(counts.second - 1)(scene),
      isKilled: true,
      found: everyone,
      says: 'was shortened',
    },
    'puts back an older events.db': { attack: putBack(older, { whole: false }), found: everyone, says: 'older copy' },
    'puts back an older folder': { attack: putBack(older, { whole: true }), found: everyone, says: 'older copy' },
  },
  'changes or removes a block root': {
    'changes one': { attack: changeBlock, found: ['start', 'verify'], says: 'a block root was altered' },
    'removes one': { attack: removeBlock, found: ['start', 'verify'], says: 'block root is missing' },
  },
  'appends an event after an orderly stop': {
    'appends one': { attack: append, found: ['start'], says: 'another program appended to it' },
  },
  'appends, changes or cuts off events after the last seal, after a kill': {
    'appends one': { attack: append, isKilled: true, found: [], says: '' },
    'changes one': { attack: (scene) => change(counts.second + 1)(scene), isKilled: true, found: [], says: '' },
    'cuts off one': { attack: (scene) => cutAfter(counts.last - 1)(scene), isKilled: true, found: [], says: '' },
  },
  'appends a `LogRestored` event with a wrong MAC': {
    'appends one': {
      attack: appendRestored(withoutSecret),
      isKilled: true,
      found: ['start', 'verify'],
      says: 'was not recorded with the secret of this log',
    },
    'cuts off the end and appends one': {
      attack: inOrder((scene) => cutAfter(counts.first)(scene), appendRestored(withoutSecret)),
      found: ['start', 'verify'],
      says: 'was not recorded with the secret of this log',
    },
  },
  'puts back an older log and appends a `LogRestored` event with the secret': {
    'puts back an older events.db': {
      attack: inOrder(putBack(older, { whole: false }), appendRestored(withSecret)),
      found: [],
      says: 'a seal covers events that a restore removed',
    },
  },
  'puts a seal that is signed with another key into `SEAL_DIR`': {
    'a seal of a longer log': {
      attack: sealAs('copies', foreignKey, { count: 9_999, restores: 7 }),
      found: [],
      says: 'which is neither the key of this service nor in SEAL_KEYS_BEFORE',
    },
  },
  'alters a seal': {
    'the newest one': {
      attack: alterNewestSeal,
      isGivenAttackedSeal: true,
      found: ['verify.mjs'],
      says: 'its signature does not match',
    },
  },
  'puts a seal of another log that is signed with the seal key into a folder': {
    'into SEAL_DIR': {
      attack: sealAs('copies', sealKeyOf, { log_id: 'another-log' }),
      isGivenAttackedSeal: true,
      found: ['start', 'verify.mjs'],
      says: 'is of the log another-log',
    },
  },
  'removes a seal from all places': {
    // As after a kill.
    'removes the final seal, and cuts off the end': {
      attack: (scene) => cutAfter(counts.second)(scene),
      isKilled: true,
      found: [],
      says: '',
    },
  },
  'removes `seal-key.pem`, and rewrites events and block roots': {
    'changes an event': {
      attack: inOrder(removeKey, change(100), recomputeBlocks),
      found: ['start', 'verify.mjs'],
      says: 'seal-key.pem is missing, but there are seals of this log',
    },
  },
  'exchanges `seal-key.pem`, rewrites the log and seals it with the new key': {
    'changes an event': {
      attack: inOrder(exchangeKey, change(100), recomputeBlocks, sealAs('folder', sealKeyOf)),
      found: ['verify.mjs'],
      says: 'which is neither the key of this service nor in SEAL_KEYS_BEFORE',
    },
  },
  'replaces personal data by their digest': {
    'of all persons': { attack: digestPersons, found: [], says: '' },
  },
};

/** Rows of the table that need a running service, an export or a proof. */
const otherRows = [
  'appends an event while the service runs, or changes one that was not read back yet',
  'changes an event while the service runs, after it was read back',
  'alters a line of an export, or a proof',
  "changes `position` in an export, or the store's own time of an event",
];

test('the table of docs/evidence.md says who finds each attack', () => {
  const table = rows(section(document('docs/evidence.md'), '## What is found, and what is not'));
  expect(table.map(([attack]) => attack).sort()).toEqual([...Object.keys(cases), ...otherRows].sort());
  for (const [attack = '', ...cells] of table)
    for (const { found } of Object.values(cases[attack] ?? {})) {
      const wrong = columns.filter(([finder, at]) => !agrees(cells[at] ?? '', finder, found));
      expect(wrong, attack).toEqual([]);
    }
});
/** The columns of the table after the attack. */
const columns = [
  ['start', 0],
  ['check', 1],
  ['verify', 3],
  ['verify.mjs', 4],
] as const;
function agrees(cell: string, finder: Finder, found: readonly Finder[]): boolean {
  // After a refused start there is no check.
  if (finder === 'check' && found.includes('start')) return true;
  const isFound = found.includes(finder);
  return cell.startsWith('yes') ? isFound : !(isFound && /^(\*\*no\*\*|ignored|reported)/.test(cell));
}

describe('an attacker alters what was handed out', () => {
  const changed = (from: string, pattern: RegExp | string, to: string): string => {
    const text = readFileSync(from, 'utf8');
    const other = text.replace(pattern, to);
    expect(other).not.toBe(text);
    const file = `${from}-changed`;
    writeFileSync(file, other);
    return file;
  };

  test('a line of an export is found by verify.mjs, but not the position in it', async () => {
    const scene = newScene();
    const [seal, file] = [keptSeal(scene), await exported(scene.folder)];
    expect(await verifierFinds(file, seal)).toBe(false);
    for (const [from, to] of [
      [/example\.com/, 'example.org'],
      [/"type":"Contact/, '"type":"Kontact'],
      [/\n.*\n/, '\n'],
    ] as const)
      expect(await verifierFinds(changed(file, from, to), seal), String(from)).toBe(true);
    expect(await verifierFinds(changed(file, /"position":"0/, '"position":"9'), seal)).toBe(false);
  });

  test('the proof of a person is found by verify.mjs', async () => {
    const scene = newScene();
    const [seal, file] = [keptSeal(scene), path.join(scene.folder, '..', 'proof.json')];
    const words = ['audit', 'prove', email.current, '--seal', seal, '--out', file, '--data-dir', scene.folder];
    expect(await audience(words)).toMatchObject({ code: 0 });
    expect(await verifierFinds(file, seal)).toBe(false);
    for (const [from, to] of [
      [email.current, 'eve@example.com'],
      [/"last_revision": \d+/, '"last_revision": 0'],
      [/"ordinal": (\d)/, '"ordinal": 1$1'],
    ] as const)
      expect(await verifierFinds(changed(file, from, to), seal), String(from)).toBe(true);
  });
});

describe.each(Object.entries(cases))('an attacker %s', (_, variants) => {
  test.each(Object.entries(variants))(
    '%s',
    async (_name, { attack, isKilled = false, isGivenAttackedSeal = false, found, says }) => {
      const scene = newScene({ isKilled });
      const seal = keptSeal(scene);
      attack(scene);
      const verified = await verifyFinds(scene);
      const given = isGivenAttackedSeal ? newestSealFile(scene.copies) : seal;
      const offline = await verifierFinds(await exported(scene.folder), given);
      const start = await startOn(scene);
      const finders: Finder[] = [
        ...(start.refused === '' ? [] : ['start' as const]),
        ...(start.altered === '' ? [] : ['check' as const]),
        ...(verified ? ['verify' as const] : []),
        ...(offline ? ['verify.mjs' as const] : []),
      ];
      expect.soft(finders, start.refused + start.altered).toEqual(found);
      expect.soft(start.refused + start.altered + start.said).toContain(says);
    },
  );
});

test('a LogRestored event that was forged with the secret is shown as a restore, with the seals that it excuses', async () => {
  const scene = newScene();
  inOrder(putBack(older, { whole: false }), appendRestored(withSecret))(scene);
  const { code, out } = await verify(scene);
  expect(code).toBe(0);
  expect(out).toMatch(/Restored at .* from a backup of 2\d\d events .*its MAC is valid/);
  expect(out).toMatch(/is excused: a restore removed \d+ sealed events/);
  const { output } = await runVerifier(await exported(scene.folder), newestSealFile(scene.copies));
  expect(output).toMatch(/restored: event 2\d\d .* records that the log was restored from a backup/);
  expect(output).toContain('whose MAC cannot be checked here');
});

test('a start refuses a LogRestored event without a readable MAC, and says so', async () => {
  const scene = newScene({ isKilled: true });
  appendRestored(withoutSecret, { mac: '' })(scene);
  const before = stateOf(scene.folder);
  expect((await startOn(scene)).refused).toContain('the event that records restore 1 of the log cannot be read');
  expect(stateOf(scene.folder)).toEqual(before);
});
