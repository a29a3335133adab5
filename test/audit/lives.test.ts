/** The lives of an address. An auditor sees every contact of the address, whatever time and contact the request names. */
import { expect, test } from 'vitest';
import type { ContactAt, ContactLife } from '../../src/audit/answers.js';
import type { MemberAt, MemberChange } from '../../src/audit/list-answers.js';
import { listAsCsv } from '../../src/audit/list-lines.js';
import { diffAsCsv } from '../../src/audit/list-diff-lines.js';
import type { DomainEvent } from '../../src/events/codec.js';
import type { ContactEvent } from '../../src/events/contact.js';
import { withDigests } from '../../src/eventstore/leaf.js';
import { reportPage } from '../../src/report/report-page.js';
import { createReport, type ReportRequest } from '../../src/report/report.js';
import { exampleEvents as e, examples, exampleMetadata, exampleSalt, toAppend } from '../support/examples.js';
import { auditedLog, contactStream, second, type AuditedLog } from '../support/auditing.js';

const { list, otherList } = examples;
const address = 'ada@example.com';

const created = (id: string): ContactEvent => ({
  type: 'ContactCreated',
  data: { contact_id: id, person: { salt: exampleSalt, email: address, firstName: 'Ada' } },
});
const enters = (id: string, into = list): ContactEvent => ({
  type: 'ContactSubscribed',
  data: { contact_id: id, ...into, previous_status: null },
});
const erased = (id: string, through: number): ContactEvent => ({
  type: 'ContactErased',
  data: {
    ...{ erasure_id: `ers_${id}`, contact_id: id, through },
    ...{ list_ids: [list.list_id], subscribed_list_ids: [list.list_id], attached: [] },
  },
});

/** Created at 1, in the list at 2, erased at 4; created again at 6, in the other list at 7. */
async function twoLives(): Promise<AuditedLog> {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.otherListCreated);
  const redacted = toAppend(created('con_1'), { at: second(1) });
  await log.appendRaw(contactStream, { ...redacted, data: withDigests(redacted.data) });
  await log.at(2, enters('con_1'));
  await log.at(4, erased('con_1', 1));
  await log.at(6, created('con_2'));
  await log.at(7, enters('con_2', otherList));
  return log;
}

type Question = { readonly contactId?: string; readonly list?: string };

const at = (log: AuditedLog, number: number, question: Question = {}): Promise<ContactAt> =>
  log.audit.contactAt({ stream: contactStream, time: second(number), ...question });

const inList = async (log: AuditedLog, number: number, question: Question) => {
  const found = await at(log, number, { list: list.list_id, ...question });
  if (!('subscription' in found)) throw new Error('not of one list');
  return found.subscription;
};

const seen = (lives: readonly ContactLife[]) =>
  lives.map(({ contact_id, created_at, erased_at }) => [contact_id, created_at, erased_at]);

const both = [
  ['con_1', second(1), second(4)],
  ['con_2', second(6), null],
];

test('names both lives at every time, by the address and by each id', async () => {
  const log = await twoLives();
  const questions = [undefined, 'con_1', 'con_2'].flatMap((contactId) =>
    [0, 1, 3, 4, 5, 6, 9].map((number) => [number, contactId === undefined ? {} : { contactId }] as const),
  );
  for (const [number, question] of questions) {
    const { lives } = await at(log, number, question);
    expect(seen(lives)).toEqual(both);
    expect(lives[0]).toMatchObject({
      created: { type: 'ContactCreated', actor: 'example' },
      erased: { type: 'ContactErased', at: second(4), actor: 'example' },
      erasure_id: 'ers_con_1',
    });
    expect(lives[1]).toMatchObject({ created: { at: second(6) }, erased: null, erasure_id: null });
    expect(JSON.stringify(lives)).not.toContain('@');
  }
});

test('an erased contact whose address has a new one is answered with its erasure', async () => {
  const log = await twoLives();
  for (const number of [4, 5, 6, 9]) {
    const asked = await at(log, number, { contactId: 'con_1' });
    expect(asked).toMatchObject({
      contact_id: 'con_1',
      existed: false,
      erased: { type: 'ContactErased', at: second(4) },
    });
    expect(asked).toMatchObject({ profile: null, next_change: null, subscriptions: [] });
  }
  expect(await at(log, 3, { contactId: 'con_1' })).toMatchObject({ existed: true });
  const later = await at(log, 3, { contactId: 'con_2' });
  expect(later).toMatchObject({ contact_id: 'con_2', existed: false, next_change: { at: second(6) } });
  expect(later).not.toHaveProperty('erased');
});

test('between two lives, the answer has the erasure and the next creation', async () => {
  const log = await twoLives();
  expect(await at(log, 5)).toMatchObject({
    ...{ contact_id: 'con_1', existed: false, erased: { at: second(4) } },
    next_change: { type: 'ContactCreated', at: second(6) },
  });
});

test('a list of an earlier life is not answered with never_in_list', async () => {
  const log = await twoLives();
  const erasure = { type: 'ContactErased', at: second(4) };
  for (const [number, contactId] of [
    [5, undefined],
    [9, undefined],
    [5, 'con_1'],
    [9, 'con_1'],
  ] as const)
    expect(await inList(log, number, contactId === undefined ? {} : { contactId })).toMatchObject({
      ...{ status: null, consent: null, because: erasure, next_change: null },
    });
  await expect(inList(log, 9, { contactId: 'con_2' })).rejects.toMatchObject({ code: 'never_in_list' });
});

test('a list of a later life is entered by the contact of that life', async () => {
  const log = await twoLives();
  const entry = { status: null, because: null, next_change: { type: 'ContactSubscribed', at: second(7) } };
  for (const number of [0, 3, 5, 6])
    expect(await inList(log, number, { list: otherList.list_id })).toMatchObject(entry);
  const never = { code: 'never_in_list' };
  await expect(inList(log, 3, { list: otherList.list_id, contactId: 'con_1' })).rejects.toMatchObject(never);
});

test('a list that was deleted before the erasure is absent because of its deletion', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, created('con_1'), enters('con_1'));
  await log.at(2, e.listDeleted);
  await log.at(4, erased('con_1', 1));
  expect((await inList(log, 5, {})).because).toMatchObject({ type: 'ListDeleted', at: second(2) });
  const other = await auditedLog();
  await other.at(0, e.listCreated, created('con_1'), enters('con_1'));
  await other.at(2, erased('con_1', 1));
  await other.at(4, e.listDeleted);
  expect((await inList(other, 5, {})).because).toMatchObject({ type: 'ContactErased', at: second(2) });
});

test('three lives, each with its end', async () => {
  const log = await auditedLog();
  await log.at(1, created('con_1'));
  await log.at(2, erased('con_1', 0));
  await log.at(3, created('con_2'));
  await log.at(4, erased('con_2', 2));
  await log.at(5, created('con_3'));
  await log.at(6, erased('con_3', 4));
  const lives = [
    ['con_1', second(1), second(2)],
    ['con_2', second(3), second(4)],
    ['con_3', second(5), second(6)],
  ];
  for (const number of [0, 1, 4, 9]) expect(seen((await at(log, number)).lives)).toEqual(lives);
  expect(await at(log, 9, { contactId: 'con_2' })).toMatchObject({ existed: false, erased: { at: second(4) } });
});

test('a later event of an erasure ends nothing of the contact that has come since', async () => {
  const log = await twoLives();
  await log.at(8, erased('con_1', 1));
  expect(seen((await at(log, 9)).lives)).toEqual(both);
  expect(await at(log, 9)).toMatchObject({ contact_id: 'con_2', existed: true });
});

test('an unreadable event of the erased life does not hide that the contact is gone', async () => {
  const log = await auditedLog();
  await log.at(1, created('con_1'));
  const metadata = JSON.stringify({ ...exampleMetadata, at: second(2) });
  await log.appendRaw(contactStream, { ...toAppend(e.subscribed), type: 'ContactMerged', metadata });
  await log.at(3, erased('con_1', 1));
  expect(await at(log, 5)).toMatchObject({ existed: false, erased: { at: second(3) }, unreadable: [{}] });
});

test('a life whose creation cannot be read is a life', async () => {
  const log = await auditedLog();
  const raw = toAppend(created('con_1'), { at: second(1) });
  await log.appendRaw(contactStream, { ...raw, data: '{"person":7}' });
  await log.at(0, e.listCreated);
  await log.at(2, enters('con_1'));
  expect((await at(log, 3)).lives).toEqual([
    { contact_id: 'con_1', created_at: second(1), created: null, erased_at: null, erasure_id: null, erased: null },
  ]);
  await log.at(4, erased('con_1', 1));
  expect(seen((await at(log, 3)).lives)).toEqual([['con_1', second(1), second(4)]]);
});

test('each page of a history names all lives up to the moment of its log', async () => {
  const log = await twoLives();
  const request = { stream: contactStream, limit: 1 };
  const first = await log.audit.history(request);
  expect(seen(first.lives)).toEqual(both);
  await log.at(8, erased('con_2', 4));
  const { context, next_cursor: after } = first;
  expect(seen((await log.audit.history({ ...request, context, after })).lives)).toEqual(both);
  const [, now] = (await log.audit.history({ ...request, contactId: 'con_1' })).lives;
  expect(now).toMatchObject({ contact_id: 'con_2', erased_at: second(8), erased: { type: 'ContactErased' } });
});

test('the history of a list has the erasure that ended the subscription', async () => {
  const log = await twoLives();
  await log.at(8, enters('con_2'));
  const types = async (request: object) => (await log.history(request)).map(({ type }) => type);
  expect(await types({ list: list.list_id })).toEqual(['ContactSubscribed', 'ContactErased', 'ContactSubscribed']);
  expect(await types({ list: otherList.list_id })).toEqual(['ContactSubscribed']);
});

const { signal } = new AbortController();

async function membersAt(log: AuditedLog, number: number): Promise<readonly MemberAt[]> {
  const found = await log.audit.listAt({ list: list.list_id, time: second(number), signal });
  const all: MemberAt[] = [];
  for await (const some of found.members()) all.push(...some);
  return all;
}

test('a member of a list has the times of its creation and its erasure', async () => {
  const log = await twoLives();
  await log.at(8, enters('con_2'));
  const first = { contact_id: 'con_1', email: null, created_at: second(1), erased_at: second(4) };
  expect(await membersAt(log, 3)).toMatchObject([first]);
  expect(await membersAt(log, 5)).toEqual([]);
  expect(await membersAt(log, 9)).toMatchObject([
    { contact_id: 'con_2', email: address, created_at: second(6), erased_at: null },
  ]);
  // The erasure came after the list was deleted.
  const deletion: DomainEvent = { type: 'ListDeleted', data: list };
  await log.at(10, deletion);
  await log.at(11, erased('con_2', 5));
  expect(await membersAt(log, 9)).toMatchObject([{ contact_id: 'con_2', erased_at: second(11) }]);
});

test('a contact that joined or left between two times has the times of its creation and its erasure', async () => {
  const log = await twoLives();
  await log.at(8, enters('con_2'));
  const diff = () => log.audit.listDiff({ list: list.list_id, from: second(3), to: second(9), signal });
  const changes: MemberChange[] = [];
  for await (const some of (await diff()).changes()) changes.push(...some);
  expect(changes).toMatchObject([
    { contact_id: 'con_2', change: 'joined', created_at: second(6), erased_at: null },
    { contact_id: 'con_1', change: 'left', created_at: second(1), erased_at: second(4) },
  ]);
  let csv = '';
  for await (const text of diffAsCsv(await diff())) csv += text;
  for await (const text of listAsCsv(await log.audit.listAt({ list: list.list_id, time: second(3), signal })))
    csv += text;
  expect(csv.match(/,position,created_at,erased_at\r\n/g)).toHaveLength(2);
  expect(csv.match(new RegExp(`,${second(1)},${second(4)}\r\n`, 'g'))).toHaveLength(2);
});

test('a contact that was erased after its list was deleted had left with the list', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, created('con_1'), enters('con_1'));
  await log.at(2, e.listDeleted);
  await log.at(3, erased('con_1', 1));
  const found = await log.audit.listDiff({ list: list.list_id, from: second(1), to: second(5), signal });
  const changes: MemberChange[] = [];
  for await (const some of found.changes()) changes.push(...some);
  expect(changes).toMatchObject([{ change: 'left', because: null, erased_at: second(3) }]);
});

const noSeals = { holding: [], failing: undefined, demandInTree: async () => await Promise.resolve(0) };

const report = (log: AuditedLog, number: number, request: Partial<ReportRequest> = {}) =>
  createReport(
    { audit: log.audit, tree: undefined, seals: noSeals },
    { contact: address, stream: contactStream, time: second(number), askedBy: 'cli', ...request },
  );

test.for([
  [0, {}, `At ${second(0)} there was no contact ${address}.`],
  [3, {}, `At ${second(3)} ${address} was subscribed to the list “Newsletter”, since ${second(2)}.`],
  [5, {}, `At ${second(5)} there was no contact ${address}: erased on ${second(4)} by example.`],
  [9, {}, `At ${second(9)} ${address} was subscribed to the list “${otherList.list_name}”, since ${second(7)}.`],
  [
    9,
    { contactId: 'con_1', contact: 'con_1' },
    `At ${second(9)} there was no contact con_1: erased on ${second(4)} by example.`,
  ],
] as const)('the report at second %i for %o names both contacts', async ([number, request, sentence]) => {
  const log = await twoLives();
  const made = await report(log, number, request);
  const lives = `con_1, created at ${second(1)}, erased at ${second(4)} by example; con_2, created at ${second(6)}`;
  expect(made.answer).toBe(`${sentence} This address has had 2 contacts: ${lives}.`);
  const page = reportPage(made);
  expect(page).toMatch(/<h2>Every contact that this address has had<\/h2>[^]*con_1[^]*con_2[^]*not erased/);
  expect(page.match(/, contact <code>con_[12]<\/code>/g)).toHaveLength(made.history.length);
});

test('the report on a contact that was erased later says so', async () => {
  const log = await auditedLog();
  await log.at(1, created('con_1'));
  await log.at(4, erased('con_1', 0));
  const life = `con_1, created at ${second(1)}, erased at ${second(4)} by example`;
  expect((await report(log, 2)).answer).toContain(`was in no list. This address has had one contact: ${life}.`);
  expect((await report(log, 5)).answer).toBe(
    `At ${second(5)} there was no contact ${address}: erased on ${second(4)} by example.`,
  );
});

test('a report fails if the creation or the erasure of another life was altered', async () => {
  const log = await twoLives();
  let demanded: ReadonlySet<string> = new Set();
  const demandInTree = async ({ positions }: { readonly positions: ReadonlySet<string> }): Promise<number> => {
    demanded = positions;
    return await Promise.resolve(0);
  };
  const request = { contact: 'con_2', contactId: 'con_2', stream: contactStream, askedBy: 'cli' };
  const sources = { audit: log.audit, tree: undefined, seals: { ...noSeals, demandInTree } };
  const { contact } = await createReport(sources, request);
  const [first] = contact.lives;
  expect([...demanded]).toEqual(expect.arrayContaining([first?.created?.position, first?.erased?.position]));
});
