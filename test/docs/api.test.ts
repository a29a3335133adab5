/** docs/api.md against the app, both ways: each documented route is there, and each route is documented. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../support/endpoints.js';
import { codes, document, rows } from '../support/markdown.js';
import { routesOfApp, type Route } from '../support/routes-of-app.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

const documented: readonly Route[] = rows(document('docs/api.md')).flatMap(([methods = '', path = '']) =>
  /^(?:GET|POST|DELETE|PUT|PATCH)\b/.test(methods)
    ? methods.split(', ').map((method) => ({ method, path: codes(path)[0] ?? path }))
    : [],
);

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

describe('docs/api.md', () => {
  let service: Service;
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    service = await sharedService();
    const { group, list, tag, email } = await createWorld(service);
    const contact = (await service.get(`/v1/contacts?email=${email}`)).field('contact_id');
    const mail = { from_email: email, to_email: email, subject: 'Hello', mail_template: '<p>Hello</p>' };
    const sent = await service.post('/v1/email/send', mail);
    const emailId = sent.headers.location?.split('/').at(-1) ?? '';
    const key = await service.post('/v1/keys', { name: 'Docs', scopes: ['keys'] });
    const erasure = await service.post('/v1/privacy/erasures', { email: 'nobody@example.com' });
    ids = {
      erasure_id: erasure.field('erasure_id'),
      key_id: key.field('key_id'),
      group_id: group,
      list_id: list,
      tag_id: tag,
      contact_id: contact,
      contact,
      email_id: emailId,
      name: 'lists',
      position: '1',
    };
  });

  test('names every route of the app, and no other', () => {
    expect(documented.map(nameOf).sort()).toEqual(
      routesOfApp()
        .map(({ method, path }) => nameOf({ method: method.toUpperCase(), path }))
        .sort(),
    );
  });

  // Deletions last: the other routes need what they delete.
  const inOrder = [...documented].sort(
    (a, b) => Number(a.path.endsWith('/delete')) - Number(b.path.endsWith('/delete')),
  );
  test.for(inOrder.map((route) => ({ ...route, name: nameOf(route) })))('$name is there', async ({ method, path }) => {
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
    const types: Readonly<Record<string, string>> = { bulk: 'application/x-ndjson', reports: 'message/rfc822' };
    const type = types[path.slice(path.lastIndexOf('/') + 1)];
    const headers = type === undefined ? {} : { 'content-type': type };
    const answer = await service.request(method, target, method === 'POST' ? { body: {}, headers } : {});
    expect([200, 400, 409]).toContain(answer.status);
  });
});
