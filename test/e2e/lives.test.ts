/** A person who was erased and came back, as every reader of the audit sees it: over HTTP, on the printed page and by the command line. */
import { expect, test } from 'vitest';
import { someAddress, unique } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { eventually } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { onServers } from '../support/stores.js';

interface Life {
  readonly contact_id: string;
  readonly created_at: string;
  readonly erased_at: string | null;
}

const dataOf = ({ body }: { readonly body: unknown }): Readonly<Record<string, unknown>> =>
  (body as { readonly data: Readonly<Record<string, unknown>> }).data;

const lines = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

test('an erasure stays visible when the person comes back', async () => {
  const service = await sharedService();
  const email = someAddress('Ada');
  const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const create = (): Promise<string> =>
    service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed', firstName: 'Ada' }, 'contact_id');
  const first = await create();
  const inFirst = new Date().toISOString();
  const asked = await service.post('/v1/privacy/erasures', { email });
  const isErased = async () => (await service.get(String(asked.headers.location))).field('status') === 'completed';
  await eventually(async () => (await isErased()) || undefined, { what: 'the erasure' });
  const between = new Date().toISOString();
  const audit = (contact: string, what: string): string => `/v1/audit/contacts/${encodeURIComponent(contact)}/${what}`;
  const alone = await service.get(audit(email, `at?time=${between}`));
  expect(dataOf(alone)['lives']).toMatchObject([{ contact_id: first, erased: { type: 'ContactErased' } }]);
  const second = await create();
  const now = new Date().toISOString();

  const [earlier, later] = dataOf(await service.get(audit(email, `at?time=${now}`)))['lives'] as [Life, Life];
  expect(earlier).toMatchObject({ contact_id: first, erased_at: expect.stringMatching(/^2/) as unknown });
  expect(later).toMatchObject({ contact_id: second, erased_at: null });
  for (const contact of [email, first, second])
    for (const time of ['2020-01-01', inFirst, between, now])
      expect(dataOf(await service.get(audit(contact, `at?time=${time}`)))['lives']).toEqual([earlier, later]);
  const erased = { existed: false, erased: { at: earlier.erased_at }, profile: null };
  expect((await service.get(audit(first, `at?time=${now}`))).body).toMatchObject({ data: erased });
  expect((await service.get(audit(first, `at?time=${now}&list_id=${list}`))).body).toMatchObject({
    data: { ...erased, subscription: { status: null, because: { type: 'ContactErased' } } },
  });
  const history = await service.get(audit(email, `history?list_id=${list}`));
  expect(history.body).toMatchObject({
    data: [{ type: 'ContactSubscribed' }, { type: 'ContactErased' }, { type: 'ContactSubscribed' }],
    lives: [earlier, later],
  });

  const report = await service.get(audit(email, 'report'), { accept: 'text/html' });
  const answer = (await service.get(audit(first, 'report'), { accept: 'application/json' })).field('answer');
  for (const text of [report.text, answer])
    expect(text).toContain(
      `This address has had 2 contacts: ${first}, created at ${earlier.created_at}, erased at ${earlier.erased_at ?? ''} by test; ${second}, created at ${later.created_at}.`,
    );

  const lifeOf = ({ created_at, erased_at }: Life) => ({ created_at, erased_at });
  const then = lines((await service.get(`/v1/audit/lists/${list}/at?time=${inFirst}`)).text);
  expect(then[1]).toMatchObject({ contact_id: first, email: null, ...lifeOf(earlier) });
  const changes = lines((await service.get(`/v1/lists/${list}/diff?from=${inFirst}&to=${now}`)).text);
  expect(changes.slice(1, 3)).toMatchObject([
    { contact_id: second, change: 'joined', email, ...lifeOf(later) },
    { contact_id: first, change: 'left', email: null, ...lifeOf(earlier), because: { type: 'ContactErased' } },
  ]);

  const path = `/v1/privacy/export?email=${encodeURIComponent(email)}`;
  expect(dataOf(await service.get(path, { accept: 'application/json' }))['contact']).toMatchObject({
    ...{ contact_id: second, lives: [earlier, later] },
  });
  const page = (await service.get(path, { accept: 'text/html' })).text;
  for (const fact of [first, second, `Erased on ${earlier.erased_at ?? ''}`]) expect(page).toContain(fact);

  if (onServers) return;
  const env = { DATA_DIR: service.dataDir };
  const words = `This address has had 2 contacts:\n  ${first}, created at ${earlier.created_at}, erased at ${earlier.erased_at ?? ''} by test\n  ${second}, created at ${later.created_at}\n`;
  for (const command of [
    ['at', first, '--time', now],
    ['at', email, '--time', inFirst],
    ['history', email],
  ])
    expect((await audience(['audit', ...command], { env })).out).toContain(words);
  const inJson = await audience(['audit', 'history', second, '--json'], { env });
  expect(lines(inJson.out).at(-1)).toMatchObject({ line: 'end', lives: [earlier, later] });
});
