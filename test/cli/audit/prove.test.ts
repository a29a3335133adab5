/** `audience audit prove` and `consistency` as an auditor uses them. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Database } from '../../../src/sqlite/database.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { audience, notRecorded, type Ended } from '../../support/audience.js';
import { personOf, secret, writePast } from '../../support/proofs.js';
import { verifyAll } from '../../support/verify-many.js';

let folder: string;
let proof: string;

const on = (data: string, ...words: readonly string[]): Promise<Ended> =>
  audience(['--data-dir', data, 'audit', ...words], { env: { SECRET: secret } });
const prove = (data: string, ...words: readonly string[]): Promise<Ended> => on(data, 'prove', ...words);

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'cli-prove-'));
  await writePast(folder, { people: 3, rounds: 300 });
  proof = path.join(folder, 'proof.json');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function copy(...statements: readonly string[]): string {
  const data = mkdtempSync(path.join(tmpdir(), 'cli-proof-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  cpSync(folder, data, { recursive: true });
  const db = new Database(path.join(data, 'events.db'));
  for (const statement of statements) db.exec(statement);
  db.close();
  return data;
}

test('a contact is proven by its address or its id, against a seal made now or one that was made before', async () => {
  const { email, contactId, stream } = personOf(2);
  const made = await prove(folder, email, '--out', proof);
  expect(made).toMatchObject({ code: 0, out: '' });
  expect(made.err).toMatch(
    /^A key was made: .*\nProven in .*: 104 events of contact-.* and 2 deletions .*\nThe events of one contact, .* E-mails to the person are not in it\. node verify\.mjs /,
  );
  expect(statSync(proof).mode & 0o777).toBe(0o600);
  const seal = path.join(folder, 'seal.json');
  expect((await on(folder, 'seal', '--out', seal)).code).toBe(0);
  const sealed = path.join(folder, 'sealed.json');
  const json = await prove(folder, contactId, '--seal', seal, '--out', sealed, '--json');
  expect(json).toMatchObject({ code: 0, err: notRecorded });
  expect(JSON.parse(json.out)).toMatchObject({
    file: sealed,
    stream,
    events: 106,
    last_revision: 103,
    recorded: false,
  });
  const printed = await prove(folder, contactId, '--seal', seal, '--out', '-');
  expect(printed.out).toBe(readFileSync(sealed, 'utf8'));
  expect(verifyAll([[proof], [sealed, seal]]).map(({ code }) => code)).toEqual([0, 0]);
});

test('what cannot be proven is refused, and no file is written', async () => {
  const { email } = personOf(2);
  const data = copy();
  const [seal, out] = [path.join(data, 'seal.json'), path.join(data, 'out.json')];
  await on(data, 'seal', '--out', seal);
  rmSync(path.join(data, 'seal-key.pem'));
  const keyless = await prove(data, email, '--seal', seal, '--out', out);
  await on(data, 'seal', '--out', path.join(data, 'another.json'));
  const altered = copy("update events set data = replace(data, 'Zoë', 'Zoe') where position = 5");
  const answers = [
    keyless,
    await prove(data, email, '--seal', seal, '--out', out),
    await prove(data, 'nobody@example.com', '--out', out),
    await prove(altered, email, '--out', out),
    await prove(data, email, '--out', seal),
    await on(data, 'consistency', path.join(data, 'another.json'), seal.replace('seal', 'none')),
  ];
  expect(answers.map(({ code, out }) => ({ code, out }))).toEqual(
    [1, 1, 1, 1, 1, 2].map((code) => ({ code, out: '' })),
  );
  const [noKey, otherKey, nobody, changed, exists] = answers.map(({ err }) => err);
  expect(noKey).toContain('the one that signed the seal is needed (--key)');
  expect(otherKey).toMatch(/Nothing was proven: the seal was signed by the key with the fingerprint [0-9a-f]{64}, but/);
  expect(nobody).toContain('There is no such contact');
  expect(changed).toMatch(
    /No seal was made: the record is not intact: the stored root of the block of events 1 to 256/,
  );
  expect(exists).toContain('is there already');
  expect(existsSync(out)).toBe(false);
  expect(existsSync(path.join(data, 'seal-key.pem'))).toBe(true);
});

test('proves against the newest kept seal of this key that covers the contact, and seals only if there is none', async () => {
  const { email } = personOf(3);
  const data = copy();
  mkdirSync(path.join(data, 'seals'));
  const made = path.join(data, 'seals', 'any-name.json');
  expect((await on(data, 'seal', '--out', made)).code).toBe(0);
  const sealed_at = (text: string) => (JSON.parse(text) as { sealed_at: string }).sealed_at;
  const kept = sealed_at(readFileSync(made, 'utf8'));
  const ofKept = await prove(data, email, '--out', '-');
  expect(sealed_at(ofKept.out)).toBe(kept);
  // By another key: the proof would be signed by a key that did not sign the seal.
  const key = path.join(data, 'other-key.pem');
  cpSync(path.join(data, 'seal-key.pem'), key);
  rmSync(path.join(data, 'seal-key.pem'));
  const ofNew = await prove(data, email, '--out', '-');
  expect([ofNew.code, sealed_at(ofNew.out) === kept]).toEqual([0, false]);
  expect(sealed_at((await prove(data, email, '--key', key, '--out', '-')).out)).not.toBe(kept);
});

test('two seals of one log are consistent, in their order and on that log', async () => {
  const data = copy();
  const before = copy();
  rmSync(path.join(before, 'events.db'));
  await writePast(before, { people: 3, rounds: 20 });
  const [older, newer, out] = [path.join(data, 'older'), path.join(data, 'newer'), path.join(data, 'out.json')];
  await on(before, 'seal', '--out', older);
  await on(data, 'seal', '--out', newer);
  const made = await on(data, 'consistency', older, newer, '--out', out);
  expect(made).toMatchObject({ code: 0, out: '', err: expect.stringMatching(/^Proven in .* 322 events .* the 42 of/) });
  expect((await on(data, 'consistency', older, newer)).out).toBe(readFileSync(out, 'utf8'));
  expect(verifyAll([[out], [out, older]]).map(({ code }) => code)).toEqual([0, 0]);
  const refused = [
    await on(data, 'consistency', newer, older),
    await on(before, 'consistency', older, newer),
    await on(data, 'consistency', older, out),
  ];
  expect(refused.map(({ code }) => code)).toEqual([1, 1, 2]);
  expect(refused[0]?.err).toContain('name the seal of fewer events first');
  expect(refused[1]?.err).toContain('the tree of the log has fewer');
});
