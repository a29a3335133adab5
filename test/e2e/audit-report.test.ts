/** The report on one person over HTTP. */
import { beforeAll, expect, test } from 'vitest';
import { someAddress, someRequestId, unique } from '../support/answers.js';
import { eventually, type Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { onServers } from '../support/stores.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

const pathOf = (contact: string): string => `/v1/audit/contacts/${encodeURIComponent(contact)}/report`;

test('facts as JSON, or as a page where that is asked for', async () => {
  const name = unique('<b>List</b>');
  const list = await service.make('/v1/lists/create', { list_name: name }, 'list_id');
  const email = someAddress('Ada');
  const statement = 'Yes,\nplease.';
  const consent = { source: 'form', statement };
  const request = someRequestId();
  const saved = await service.post(
    `/v1/contacts/${list}/create`,
    { email, status: 'Subscribed', consent },
    { 'x-request-id': request },
  );
  expect(saved.status).toBe(200);

  const page = await service.get(pathOf(email), { accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' });
  expect(page.headers.vary).toBe('Accept');
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toMatch(/default-src 'none';.*style-src 'sha256-/);
  for (const fact of [
    request,
    `>${statement}<`,
    name.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('/', '&#x2F;'),
  ])
    expect(page.text).toContain(fact);
  expect(page.text).not.toContain('<script');

  for (const accept of [undefined, '*/*', 'application/json'])
    expect((await service.get(pathOf(email), { accept })).headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      vary: 'Accept',
    });
  const facts = await service.get(`${pathOf(email)}?list_id=${list}`);
  expect(facts.body).toMatchObject({
    data: {
      question: { contact: email, list_id: list },
      answer: expect.stringContaining(`${email} was subscribed to the list “${name}”`) as unknown,
      contact: { subscription: { consent } },
      history: [{ event: { type: 'ContactSubscribed', request_id: request } }],
      emails: [],
    },
  });
});

test('somebody unknown', async () => {
  expect((await service.get(pathOf('nobody@example.com'))).body).toMatchObject({ type: 'unknown_contact' });
});

test('names the newest seal that covers every event on the page, and says so if none does yet', async () => {
  const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const email = someAddress('Bob');
  const created = await service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' });
  const reported = async () => (await service.get(pathOf(email), { accept: 'application/json' })).body;
  expect(await reported()).toMatchObject({ data: { seal: null, failing_seal: null, contact: { seal: null } } });
  const page = await service.get(pathOf(email), { accept: 'text/html' });
  expect(page.text).toContain('No seal covers every event on this page yet.');
  // A proof makes a seal that covers the contact.
  const proof = await eventually(async () => {
    const answer = await service.get(`/v1/audit/contacts/${created.field('contact_id')}/proof`);
    return answer.status === 200 ? answer : undefined;
  });
  const seal = { root: proof.field('root'), sealed_at: proof.field('sealed_at') };
  const covered = await reported();
  expect(covered).toMatchObject({ data: { seal: { root: expect.any(String) as unknown }, contact: {} } });
  if (!onServers) expect(covered).toMatchObject({ data: { seal, contact: { seal } } });
  const changed = await service.post(`/v1/contacts/${list}/upsertcontact`, { email, status: 'Unsubscribed' });
  expect(changed.status).toBe(200);
  expect(await reported()).toMatchObject({ data: { seal: null } });
});

test('one of more than 10,000 events, tags in them counted, is refused', async () => {
  const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const email = someAddress();
  await service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' });
  const change = { contact_email: email, tag_name: Array.from({ length: 100 }, () => unique('Tag')) };
  for (let round = 0; round < 50; round += 1)
    for (const what of ['add', 'remove']) await service.post(`/v1/contacts/tags/${list}/${what}`, change);
  expect(await service.get(pathOf(email))).toMatchObject({
    status: 400,
    body: { message: 'The contact has more than 10000 events: use audience audit report', type: 'validation_error' },
  });
});
