/** The report on one person over HTTP. */
import { beforeAll, expect, test } from 'vitest';
import { someAddress, someRequestId, unique } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

const pathOf = (contact: string): string => `/v1/audit/contacts/${encodeURIComponent(contact)}/report`;

test('a page, or the same facts as JSON', async () => {
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

  const page = await service.get(pathOf(email));
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

  const facts = await service.get(`${pathOf(email)}?list_id=${list}`, { accept: 'application/json' });
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
