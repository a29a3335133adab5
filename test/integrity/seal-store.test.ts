/** The folders of seals, and the key that signs them. */
import { generateKeyPairSync } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSeal, fingerprintOf, publicKeyOf, sealText, SealError, type Seal } from '../../src/integrity/seal.js';
import {
  chooseSeals,
  copySeals,
  findSeals,
  isSealName,
  keepSeal,
  openSealKey,
  removeSealDrafts,
  type FoundSeal,
} from '../../src/integrity/seal-store.js';
import { newFolder } from '../support/integrity-log.js';
import { testKey } from '../support/test-keys.js';

const key = testKey(7);
const ownKeys = new Set([publicKeyOf(key)]);
const root = 'ab'.repeat(32);

const sealOf = (seq: number, { count = 100 * seq, restores = 0, by = key, at = Date.UTC(2026, 2, seq) } = {}): Seal =>
  createSeal({ log_id: 'log-1', seq, restores, count, root, final: false }, by, at);

function newPlaces() {
  const [dataDir, copies] = [newFolder(), newFolder()];
  return { dataDir, copies, own: path.join(dataDir, 'seals') };
}
const seqsOf = (found: readonly FoundSeal[]) => found.map(({ seal, fault }) => seal?.seq ?? fault());

/** Gathers notices. */
async function found(places: { readonly dataDir: string; readonly copies: string | undefined }, waitMs?: number) {
  const notices: string[] = [];
  return { seals: await findSeals(places, (notice) => notices.push(notice), waitMs), notices };
}

describe('keeping a seal', () => {
  test('keeping a seal names its file by number and time, in a folder that only its owner can read', () => {
    const { dataDir, own } = newPlaces();
    expect(keepSeal(dataDir, sealOf(12))).toBe(path.join(own, 'seal-00000012-2026-03-12T00-00-00.000Z.json'));
    expect(readFileSync(path.join(own, readdirSync(own)[0] ?? ''), 'utf8')).toBe(sealText(sealOf(12)));
    expect(statSync(own).mode & 0o077).toBe(0);
  });

  test('keeping a seal never replaces another seal', () => {
    const { dataDir } = newPlaces();
    const file = keepSeal(dataDir, sealOf(1));
    expect(() => keepSeal(dataDir, sealOf(1, { count: 7 }))).toThrow('exists already');
    expect(readFileSync(file, 'utf8')).toBe(sealText(sealOf(1)));
  });

  test('keeping a seal leaves no draft behind, and a draft of a killed process is removed once it is old', () => {
    const { dataDir, own } = newPlaces();
    keepSeal(dataDir, sealOf(1));
    const drafts = [
      'seal-00000002-2026-03-02T00-00-00.000Z.json.4711.tmp',
      'seal-00000003-2026-03-03T00-00-00.000Z.json.4712.tmp',
      'notes.json.4711.tmp',
    ];
    for (const draft of drafts) writeFileSync(path.join(own, draft), '{');
    utimesSync(path.join(own, drafts[0] ?? ''), 1_000, 1_000);
    utimesSync(path.join(own, drafts[2] ?? ''), 1_000, 1_000);
    removeSealDrafts(dataDir, 2_000_000);
    expect(readdirSync(own).sort()).toEqual([
      ...['notes.json.4711.tmp', 'seal-00000001-2026-03-01T00-00-00.000Z.json', drafts[1]],
    ]);
  });

  test.each([
    ['seal-00000001-2026-03-01T00-00-00.000Z.json', true],
    ['seal-123456789-2026-03-01T00-00-00.000Z.json', true],
    ['2026-03-01T00-00-00.000Z.json', true],
    ['seal-1-2026-03-01T00-00-00.000Z.json', false],
    ['seal-00000001-2026-03-01T00:00:00.000Z.json', false],
    ['seal-00000001-2026-03-01T00-00-00.000Z.json.12.tmp', false],
    ['notes.json', false],
  ])('%s is the name of a seal: %s', (name, expected) => {
    expect(isSealName(name)).toBe(expected);
  });
});

describe('finding seals', () => {
  test('finding seals returns none if there is no folder yet', async () => {
    expect(await found({ dataDir: newFolder(), copies: undefined })).toEqual({ seals: [], notices: [] });
  });

  test('finding seals returns the newest first, whatever the files are called and when they were written', async () => {
    const { dataDir, own } = newPlaces();
    for (const seal of [sealOf(2), sealOf(3, { count: 250 }), sealOf(1, { restores: 1 })]) keepSeal(dataDir, seal);
    const [first = ''] = readdirSync(own).sort();
    copyFileSync(path.join(own, first), path.join(own, 'zzz.json'));
    rmSync(path.join(own, first));
    expect(seqsOf((await found({ dataDir, copies: undefined })).seals)).toEqual([1, 3, 2]);
  });

  test('finding seals returns a seal once with all of its files, that of the data folder first', async () => {
    const places = newPlaces();
    const file = keepSeal(places.dataDir, sealOf(1));
    await copySeals(places, places.copies);
    writeFileSync(path.join(places.copies, 'other-name.json'), sealText(sealOf(1)));
    const copy = path.join(places.copies, path.basename(file));
    const { seals } = await found(places);
    expect(seals.map(({ files }) => files)).toEqual([[file, path.join(places.copies, 'other-name.json'), copy]]);
  });

  test('finding seals returns seals that only SEAL_DIR has', async () => {
    const places = newPlaces();
    keepSeal(places.dataDir, sealOf(1));
    writeFileSync(path.join(places.copies, 'a.json'), sealText(sealOf(2)));
    expect(seqsOf((await found(places)).seals)).toEqual([2, 1]);
  });

  test('finding seals lists what is not a seal at the end with its reason, and ignores other files', async () => {
    const places = newPlaces();
    const { copies } = places;
    writeFileSync(path.join(copies, '0.json'), '{"format":"audience-ledger-seal/2"}');
    writeFileSync(path.join(copies, '1.json'), 'x'.repeat(70_000));
    mkdirSync(path.join(copies, '2.json'));
    symlinkSync(path.join(copies, 'nowhere'), path.join(copies, '3.json'));
    writeFileSync(path.join(copies, 'notes.txt'), 'no seal');
    writeFileSync(path.join(copies, 'z.json'), sealText(sealOf(5)));
    keepSeal(places.dataDir, sealOf(4));
    const { seals, notices } = await found(places);
    expect(seqsOf(seals)).toEqual([
      ...[5, 4, 'its member log_id is missing or has a wrong form', 'it is larger than a seal', 'it is not a file'],
      'it is a link to a file that does not exist',
    ]);
    expect(notices).toEqual([]);
  });

  test('finding seals goes on with the data folder alone if SEAL_DIR does not exist, and says so', async () => {
    const { dataDir } = newPlaces();
    keepSeal(dataDir, sealOf(1));
    const { seals, notices } = await found({ dataDir, copies: path.join(dataDir, 'none') });
    expect(seqsOf(seals)).toEqual([1]);
    expect(notices).toEqual([expect.stringMatching(/^SEAL_DIR cannot be read: ENOENT/)]);
  });

  test('finding seals does not wait for a SEAL_DIR that does not answer', async () => {
    const places = newPlaces();
    keepSeal(places.dataDir, sealOf(1));
    for (let number = 0; number < 400; number += 1)
      writeFileSync(path.join(places.copies, `${number}.json`), `${number}`);
    const { notices, seals } = await found(places, 0);
    expect(notices).toEqual(['SEAL_DIR cannot be read: no answer for 0 seconds']);
    expect(seqsOf(seals)[0]).toBe(1);
  });
});

describe('the seals that count', () => {
  test('the seals that count are those by the key of the service and by earlier keys with a right signature', async () => {
    const { dataDir, own } = newPlaces();
    const [before, stranger] = [testKey(8), testKey(9)];
    for (const seal of [sealOf(1), sealOf(2, { by: before }), sealOf(3, { by: stranger })]) keepSeal(dataDir, seal);
    writeFileSync(path.join(own, 'altered.json'), sealText({ ...sealOf(4), count: 9_999 }));
    writeFileSync(path.join(own, 'empty.json'), '');
    const { seals } = await found({ dataDir, copies: undefined });
    const { counted, ignored } = chooseSeals(seals, new Set([...ownKeys, publicKeyOf(before)]), 'log-1');
    expect(counted.map(({ seal }) => seal.seq)).toEqual([2, 1]);
    expect(ignored).toEqual([
      {
        files: [path.join(own, 'altered.json')],
        reason: 'its signature does not match: the seal was altered',
      },
      {
        files: [path.join(own, 'seal-00000003-2026-03-03T00-00-00.000Z.json')],
        reason: `it is signed with the key ${fingerprintOf(publicKeyOf(stranger))}, which is neither the key of this service nor in SEAL_KEYS_BEFORE`,
      },
      { files: [path.join(own, 'empty.json')], reason: 'it is not a JSON object' },
    ]);
    expect(chooseSeals(seals, ownKeys, 'log-1').counted.map(({ seal }) => seal.seq)).toEqual([1]);
    expect(chooseSeals(seals, ownKeys, 'log-2').ignored.map(({ reason }) => reason)).toContainEqual(
      expect.stringMatching(/is of the log log-1, and this log is log-2/),
    );
  });
});

describe('copies in SEAL_DIR', () => {
  test('copies in SEAL_DIR are made of what is missing, and nothing there is touched', async () => {
    const { dataDir, copies } = newPlaces();
    const names = [1, 2].map((seq) => path.basename(keepSeal(dataDir, sealOf(seq))));
    writeFileSync(path.join(dataDir, 'seals', 'other.json'), '{}');
    const [first = '', second = ''] = names.map((name) => path.join(copies, name));
    writeFileSync(first, 'as it was');
    await copySeals({ dataDir }, copies);
    expect(readdirSync(copies).sort()).toEqual(names);
    expect(readFileSync(first, 'utf8')).toBe('as it was');
    expect(readFileSync(second, 'utf8')).toBe(sealText(sealOf(2)));
    const before = [first, second].map((file) => statSync(file, { bigint: true }));
    await copySeals({ dataDir }, copies);
    const after = [first, second].map((file) => statSync(file, { bigint: true }));
    expect(after.map(({ ino, mtimeNs }) => [ino, mtimeNs])).toEqual(before.map(({ ino, mtimeNs }) => [ino, mtimeNs]));
  });

  test('a copy in SEAL_DIR with zeros where a power cut lost its text is made whole', async () => {
    const { dataDir, copies } = newPlaces();
    const name = path.basename(keepSeal(dataDir, sealOf(1)));
    const whole = sealText(sealOf(1));
    for (const torn of ['', '\0'.repeat(whole.length), `${'\0'.repeat(99)}${whole.slice(99)}`, whole.slice(0, 99)]) {
      writeFileSync(path.join(copies, name), torn);
      await copySeals({ dataDir }, copies);
      expect(readFileSync(path.join(copies, name), 'utf8')).toBe(whole);
    }
    const altered = whole.replace('"count": 100', '"count": 900');
    writeFileSync(path.join(copies, name), altered);
    await copySeals({ dataDir }, copies);
    expect(readFileSync(path.join(copies, name), 'utf8')).toBe(altered);
  });

  test('a torn copy in SEAL_DIR is made whole before later seals are copied, because only the last copy is looked at', async () => {
    const { dataDir, copies } = newPlaces();
    const [first = '', second = ''] = [sealOf(1), sealOf(2)].map((seal) => path.basename(keepSeal(dataDir, seal)));
    writeFileSync(path.join(copies, first), '');
    // The second cannot be copied, as if the power went again.
    rmSync(path.join(dataDir, 'seals', second));
    mkdirSync(path.join(dataDir, 'seals', second));
    await expect(copySeals({ dataDir }, copies)).rejects.toThrow();
    expect(readFileSync(path.join(copies, first), 'utf8')).toBe(sealText(sealOf(1)));
  });

  test('copies in SEAL_DIR can be read by witnesses', async () => {
    const { dataDir, copies } = newPlaces();
    const name = path.basename(keepSeal(dataDir, sealOf(1)));
    await copySeals({ dataDir }, copies);
    expect(statSync(path.join(copies, name)).mode & 0o777).toBe(0o644);
  });

  test('copies in SEAL_DIR are written under their own names, because a write-once share does not allow renaming', async () => {
    const { dataDir, copies } = newPlaces();
    for (let seq = 1; seq <= 20; seq += 1) keepSeal(dataDir, sealOf(seq));
    const seen = new Set<string>();
    const copying = copySeals({ dataDir }, copies);
    let isDone = false;
    void copying.finally(() => (isDone = true));
    while (!isDone) {
      for (const name of readdirSync(copies)) seen.add(name);
      await new Promise(setImmediate);
    }
    await copying;
    expect([...seen].filter((name) => !isSealName(name))).toEqual([]);
    expect(readdirSync(copies)).toHaveLength(20);
  });

  test.each([0, 1, 200])(
    'copies in SEAL_DIR are completed if a crash cut the last one off after %i bytes',
    async (bytes) => {
      const { dataDir, copies } = newPlaces();
      for (const seq of [1, 2]) keepSeal(dataDir, sealOf(seq));
      await copySeals({ dataDir }, copies);
      const last = path.join(copies, readdirSync(copies).sort()[1] ?? '');
      truncateSync(last, bytes);
      keepSeal(dataDir, sealOf(3));
      await copySeals({ dataDir }, copies);
      expect(
        readdirSync(copies)
          .sort()
          .map((name) => readFileSync(path.join(copies, name), 'utf8')),
      ).toEqual([1, 2, 3].map((seq) => sealText(sealOf(seq))));
    },
  );

  test('copies in SEAL_DIR are not made if SEAL_DIR does not exist, which is an error', async () => {
    const { dataDir, copies } = newPlaces();
    keepSeal(dataDir, sealOf(1));
    const missing = path.join(copies, 'none');
    await expect(copySeals({ dataDir }, missing)).rejects.toThrow('ENOENT');
    expect(existsSync(missing)).toBe(false);
  });
});

describe('the key', () => {
  const opened = (dataDir: string, key?: string, orphans: readonly FoundSeal[] = []) => {
    const made: string[] = [];
    const settings = { dataDir, seals: { copies: undefined, key } };
    return { key: openSealKey(settings, { orphans, onMade: (name) => made.push(name) }), made };
  };

  test('the key is made once, and only its owner can read it', () => {
    const dataDir = newFolder();
    const file = path.join(dataDir, 'seal-key.pem');
    const mask = process.umask(0);
    onTestFinished(() => void process.umask(mask));
    // A process with this id was killed while it wrote the key.
    writeFileSync(`${file}.${process.pid}.tmp`, 'half a k');
    const first = opened(dataDir);
    expect(first.made).toEqual([file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = opened(dataDir);
    expect(again.made).toEqual([]);
    expect(publicKeyOf(again.key)).toBe(publicKeyOf(first.key));
  });

  test('the key of SEAL_KEY is used in place of that of the data folder, and never made', () => {
    const dataDir = newFolder();
    const file = path.join(newFolder(), 'own.pem');
    expect(() => opened(dataDir, file)).toThrow(/the key file .* cannot be read/);
    writeFileSync(file, key.export({ type: 'pkcs8', format: 'pem' }));
    expect(publicKeyOf(opened(dataDir, file).key)).toBe(publicKeyOf(key));
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('the key is not made if there are seals by a key that is missing', async () => {
    const { dataDir } = newPlaces();
    const file = keepSeal(dataDir, sealOf(1));
    const { seals } = await found({ dataDir, copies: undefined });
    expect(() => opened(dataDir, undefined, seals)).toThrow(
      `seal-key.pem is missing, but there are seals of this log, such as ${file}`,
    );
    expect(readdirSync(dataDir)).toEqual(['seals']);
  });

  test('a file that is not an Ed25519 key in PEM is refused and kept', () => {
    const dataDir = newFolder();
    const file = path.join(dataDir, 'seal-key.pem');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const text of ['no key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()]) {
      writeFileSync(file, text);
      expect(() => opened(dataDir)).toThrow(SealError);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });
});
