/**
 * Runs the examples of the API description one after the other against a service of their own: each answers what it says, and
 * a real answer of every operation fits its schema. `UPDATE_EXAMPLES=1` writes down what the service answers.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readExamples } from '../../src/api/openapi/document.js';
import { checkAsPublished, endpointTable, paths } from '../support/api-description.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { openSmtp, type SmtpStandIn } from '../support/smtp.js';

const examples = readExamples();
const file = fileURLToPath(new URL('../../src/api/openapi/examples.json', import.meta.url));
const isUpdate = process.env['UPDATE_EXAMPLES'] === '1';

/** What differs each time. Ids are not among it: an id in a request must be that of an answer before. */
const changing = [
  /^\d{4}-\d{2}-\d{2}T[\d:.]{12}Z$/,
  /^\d{4}-\d{2}-\d{2}$/,
  /^[0-9a-f]{8}-[0-9a-f-]{27}$/,
  /^\d{20,40}$/,
  /^(?:contact|email)-[0-9a-f]{32}$/,
  /^[0-9a-f]{32}$/,
  /^[0-9a-f]{64}$/,
  // A key, a signature.
  /^[0-9A-Za-z+/]{40,}={0,2}$/,
  /^aud_[0-9A-Za-z]{38}$/,
  // The answer of a report.
  /^At \d{4}-/,
  // The file of a seal.
  /^(?:[\w-]{8})?seal-\d{8}-\d{4}-\d{2}-\d{2}T[\d.-]{12}Z\.json$/,
  // JSON as it is stored.
  /^\{"/,
  // A cursor.
  /^\d{20}\.[0-9a-f-]{36}$/,
  /^[\w-]{8}\d{4}-\d{2}-\d{2}\.\d+$/,
  /^[\w-]{8}\d{20,40}$/,
];
const ids = /\b(grp|lst|tag|con|eml|key|ers)_[0-9A-Z]\w*/g;
const counted = /^(?:lag_ms|count|revision|running|read_back_count|seq)$/;

/** The ids that the service gave, by prefix: there is one of each kind. */
const given = new Map<string, string>();
const learn = (text: string): void => {
  for (const [id, prefix = ''] of text.matchAll(ids)) given.set(prefix, id);
};

/** With the ids of the service in place of those of the example. */
const own = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value).replaceAll(ids, (id, prefix: string) => given.get(prefix) ?? id)) as Value;

/** Fails where the answer is another one than the example. */
function compare(expected: unknown, actual: unknown, place: string): void {
  if (typeof expected === 'object' && expected !== null && typeof actual === 'object' && actual !== null) {
    expect(Object.keys(actual), place).toEqual(Object.keys(expected));
    for (const [name, value] of Object.entries(expected))
      if (!counted.test(name)) compare(value, (actual as Record<string, unknown>)[name], `${place}.${name}`);
  } else if (!changing.some((pattern) => pattern.test(String(expected)) && pattern.test(String(actual))))
    expect(actual, place).toEqual(expected);
}

let service: Service;
let smtp: SmtpStandIn;
beforeAll(async () => {
  // What becomes of an e-mail is not known: it is held.
  smtp = await openSmtp(['close after dot']);
  service = await startService({ env: { SMTP_URL: smtp.url, MAIL_IN_DOUBT: 'hold' } });
  // A stop seals, and the next start verifies.
  await service.kill('SIGTERM');
  await service.start();
  // The example of readiness shows when the log was last read back, which a new process has not done yet.
  await eventually(async () => {
    const { body } = await service.get('/health/ready');
    return (body as { data: { integrity: { read_back_at: string | null } } }).data.integrity.read_back_at ?? undefined;
  });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
  if (isUpdate) writeFileSync(file, `${JSON.stringify(own(examples), null, 2)}\n`);
});

const isHeld = async (): Promise<boolean> => (await service.get('/v1/email?state=held')).items().length > 0;

const isRebuilt = async (): Promise<boolean> =>
  (await service.get('/v1/projections/rebuild')).field('state') === 'finished';

const isErased = async (): Promise<boolean> =>
  (await service.get('/v1/privacy/erasures')).items().every(({ status }) => status === 'completed');

/** What goes on after the answer. */
const goingOn: Readonly<Record<string, () => Promise<boolean>>> = {
  sendEmail: isHeld,
  releaseEmail: isHeld,
  requestErasure: isErased,
  startRebuild: isRebuilt,
};

const linesOf = (answer: unknown): unknown =>
  typeof answer === 'string'
    ? answer
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    : answer;

const mail = { 'content-type': 'message/rfc822', 'x-envelope-to': 'bounce@mail.example.com' };

function sent(operation: string, body: unknown) {
  if (operation === 'takeReport') return { raw: String(body), headers: mail };
  return typeof body === 'string' ? { raw: body, headers: { 'content-type': 'application/x-ndjson' } } : { body };
}

const shown = ({ headers, body, text }: Answer): unknown =>
  String(headers['content-type']).startsWith('application/json') ? body : text;

/** The operations whose answers were checked. `service.request` checks status, headers and body against the strict form. */
const checked = new Set<string>();

test.for(Object.entries(examples))('%s', async ([operation, example = {}]) => {
  const { method, path } = endpointTable.find(({ id }) => id === operation) ?? { method: 'none', path: '' };
  const { parameters = {}, body } = own(example);
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]));
  const query = Object.entries(parameters)
    .filter(([name]) => !path.includes(`{${name}}`))
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
  const name = method === 'postOrDelete' ? 'DELETE' : method.toUpperCase();
  const target = query === '' ? place : `${place}?${query}`;
  const answered = await service.request(name, target, sent(operation, body));
  expect(answered.status, answered.text).toBe(['requestErasure', 'takeReport'].includes(operation) ? 202 : 200);
  checked.add(checkAsPublished({ ...answered, method: name, target }));
  learn(answered.text);
  const goesOn = goingOn[operation];
  if (goesOn !== undefined) await eventually(async () => (await goesOn()) || undefined, { what: operation });
  const answer = shown(answered);
  if (isUpdate) Object.assign(example, { answer });
  else compare(linesOf(own(example.answer)), linesOf(answer), operation);
});

test.for(['group', 'list', 'tag'])('a %s is deleted by POST, too', async (kind) => {
  const id = await service.make(`/v1/${kind}s/create`, { [`${kind}_name`]: 'Short-lived' }, `${kind}_id`);
  const target = `/v1/${kind}s/${id}/delete`;
  const answered = await service.post(target);
  expect(answered.status).toBe(200);
  checked.add(checkAsPublished({ ...answered, method: 'POST', target }));
});

const html = { accept: 'text/html' };

test.for([
  ['/openapi.json', {}],
  ['/docs', {}],
  ['/metrics', {}],
  ['/metrics', { accept: 'application/openmetrics-text' }],
  ['/v1/audit/events?format=ndjson', {}],
  ['/v1/audit/contacts/grace@example.com/report', html],
  ['/v1/privacy/export?email=grace@example.com', html],
] as const)('%s answers as described, with headers %j', async ([target, headers]) => {
  const list = await service.make('/v1/lists/create', { list_name: target + JSON.stringify(headers) }, 'list_id');
  await service.make(
    `/v1/contacts/${list}/upsertcontact`,
    { email: 'grace@example.com', status: 'Subscribed' },
    'contact_id',
  );
  const answered = await service.get(target, headers);
  expect(answered.status).toBe(200);
  checked.add(checkAsPublished({ ...answered, method: 'GET', target }));
});

test('a real answer of every operation was checked against its schema', () => {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(operations.map(({ operationId }) => operationId).filter((id) => !checked.has(id))).toEqual([]);
});
