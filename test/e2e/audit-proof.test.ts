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

/** After a start the log is verified first. On a server it takes a moment until an event is kept. */
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

test('what there never was has no proof', async () => {
  for (const contact of [someAddress('Nobody'), strangerId('con')])
    await eventually(async () => ((await proofOf(contact)).status === 404 ? true : undefined), { what: 'a refusal' });
  expect((await service.get('/v1/audit/contacts/a@example.com/proof?seal=1')).status).toBe(400);
});
