/** The proof of one person over HTTP. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { someAddress, someRequestId, strangerId, unique } from '../support/answers.js';
import { eventually, type Answer, type Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { verifyAll } from '../support/verify-many.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

const proofOf = (contact: string): Promise<Answer> =>
  service.get(`/v1/audit/contacts/${encodeURIComponent(contact)}/proof`);

/** On a server it takes a moment until an event is counted. */
const proven = (contact: string, events: number): Promise<Answer> =>
  eventually(
    async () => {
      const answer = await proofOf(contact);
      return answer.status === 200 && answer.text.split('"ordinal"').length > events ? answer : undefined;
    },
    { what: 'a proof' },
  );

test('a contact is proven by address and by id, and nobody else is in it', async () => {
  const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const [email, other] = [someAddress('Ada'), someAddress('Bob')];
  const [request, otherRequest, deletion] = [someRequestId(), someRequestId(), someRequestId()];
  const tags = [unique('Tag'), unique('Tag')];
  const save = (body: object, id: string) =>
    service.post(`/v1/contacts/${list}/upsertcontact`, { status: 'Subscribed', ...body }, { 'x-request-id': id });
  await save({ email: other, tag_name: tags }, otherRequest);
  const created = await save({ email, tag_name: [tags[0]] }, request);
  await service.post(`/v1/lists/${list}/delete`, {}, { 'x-request-id': deletion });
  const answer = await proven(email, 4);
  expect(answer.text).toContain(email);
  for (const id of [request, deletion, tags[0] ?? '']) expect(answer.text).toContain(id);
  for (const id of [other, otherRequest, tags[1] ?? '']) expect(answer.text).not.toContain(id);
  const folder = mkdtempSync(path.join(tmpdir(), 'proof-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'proof.json');
  writeFileSync(file, JSON.stringify((JSON.parse(answer.text) as { data: object }).data));
  expect(verifyAll([[file]])).toMatchObject([
    { code: 0, output: expect.stringMatching(/^proven: 3 events .* 1 deletion/) },
  ]);
  expect((await proven(created.field('contact_id'), 4)).field('stream')).toBe(answer.field('stream'));
});

test('one event is shown with its number and leaf, and proven, with a digest for keys that may not see persons', async () => {
  const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const email = someAddress('Ada');
  const created = await service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' });
  const history = (await service.get(`/v1/audit/contacts/${created.field('contact_id')}/history`)).items();
  const position = String(history[0]?.['position']);
  const place = `/v1/audit/events/${position.replace(/^0+/, '')}`;
  const shown = await eventually(async () => {
    const { body } = await service.get(place);
    const { data } = body as { data: { ordinal: number | null; leaf: string | null; type: string } };
    return data.leaf === null ? undefined : data;
  });
  expect(shown).toMatchObject({ position, type: 'ContactCreated', data: { person: { email } } });
  const desk = await service.post('/v1/keys', { name: unique('Desk'), scopes: ['audit:read'] });
  const authorization = `Bearer ${desk.field('secret')}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'proof-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files: string[][] = [];
  for (const headers of [{}, { authorization }]) {
    const { text } = await eventually(async () => {
      const answer = await service.get(`${place}/proof`, headers);
      return answer.status === 200 ? answer : undefined;
    });
    const { data } = JSON.parse(text) as { data: { seal: object; event: { ordinal: number; data: string } } };
    expect(data.event.ordinal).toBe(shown.ordinal);
    expect(data.event.data.includes(email)).toBe(headers.authorization === undefined);
    const names = [`${files.length}.json`, `${files.length}-seal.json`].map((name) => path.join(folder, name));
    for (const [index, content] of [data, data.seal].entries())
      writeFileSync(names[index] ?? '', JSON.stringify(content));
    files.push(names);
  }
  const proven = {
    code: 0,
    output: expect.stringMatching(/^proven: ContactCreated, revision 0 of contact-/) as string,
  };
  expect(verifyAll(files)).toMatchObject([proven, proven]);
  expect((await service.get(place, { authorization })).text).not.toContain(email);
  const reads = await service.get(`/v1/audit/access?contact=${created.field('contact_id')}`);
  expect(reads.items().map(({ what }) => what)).toEqual(expect.arrayContaining(['feed', 'proof']));
});

test('where no event stands is 404, as a place and as a proof', async () => {
  for (const position of ['0', '9'.repeat(20), 'x', '1.5'])
    for (const what of ['', '/proof'])
      expect([position, (await service.get(`/v1/audit/events/${position}${what}`)).status]).toEqual([position, 404]);
});

test('what there never was has no proof', async () => {
  for (const contact of [someAddress('Nobody'), strangerId('con')])
    await eventually(async () => ((await proofOf(contact)).status === 404 ? true : undefined), { what: 'a refusal' });
  expect((await service.get('/v1/audit/contacts/a@example.com/proof?seal=1')).status).toBe(400);
});
