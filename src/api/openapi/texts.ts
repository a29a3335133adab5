/** Texts of the OpenAPI document about the service and about headers. */
export const about = {
  title: 'audience-ledger',
  summary: 'Groups, lists, tags, contacts and transactional e-mail over an append-only event log.',
  description: [
    'Every JSON answer is `{ statusCode, status, message, data }`; errors also have a stable `type`. A successful GET has no `message`.',
    '',
    '- A GET sees every earlier write that was answered by the same process. For other processes pass the `X-Position` of the write on as `X-Min-Position`.',
    '- Every answer under `/v1` has `RateLimit` and `RateLimit-Policy`, unless the service does not limit requests. It has `Preference-Applied: handling=strict` if the request asked for strict handling.',
    '- Operations that ignore unknown fields of a body name these in `X-Ignored-Fields`, on refusals too.',
    '- Ids are opaque and never used again.',
    '- Times of answers are in UTC, with milliseconds.',
    '- An `Idempotency-Key` is accepted by every write. Where it is no parameter it has no effect: a repeat is safe without it, or makes nothing.',
    '- HEAD works wherever GET does. A path that is not described here answers 404, another method of one that is 405 with `Allow`.',
    '- `x-repeat` says when a request may be sent again without asking what became of it: `key`: with the same `Idempotency-Key`; `unsafe`: only after 429. Without it: at any time.',
    '- Answers may get new fields, and new values where none are listed: a client passes over what it does not know.',
    '- In an answer of lines or events `contentSchema` describes one of them.',
  ].join('\n'),
  contact: { name: 'The maintainers of audience-ledger' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const text = (pattern: string) => ({ type: 'string', pattern });

const header = (name: string, description: string, schema: object) => ({ name, in: 'header', description, schema });

export const headerParameters = {
  'X-Request-Id': header(
    'X-Request-Id',
    'Stored with every event that the request causes. Other than 1 to 128 of `A-Z a-z 0-9 . _ -`, it is replaced by a new id.',
    { type: 'string', examples: ['order-4711'] },
  ),
  'X-Min-Position': header(
    'X-Min-Position',
    'An `X-Position`: the answer shows at least this. At most 2 seconds, then 503.',
    text('^[0-9]*$'),
  ),
  'Idempotency-Key': header(
    'Idempotency-Key',
    'A repeat with this key gets the first answer and changes nothing.',
    text('^[\\x21-\\x7e]{1,255}$'),
  ),
  'X-Envelope-To': {
    ...header('X-Envelope-To', 'The address that the report was sent to, as the mail server has it.', {
      type: 'string',
      minLength: 1,
      pattern: '\\S',
      examples: ['bounce+eml_01J9Z3W6Q5H8N2K4M7P0R1S3T5.abcdefghijklmnop@mail.example.com'],
    }),
    required: true,
  },
  Prefer: header('Prefer', '`handling=strict`: unknown fields of the body are refused.', {
    type: 'string',
    examples: ['handling=strict'],
  }),
};

/** References to headers, which are described once, in the components. */
export const headersNamed = (names: readonly string[]): object =>
  names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };

const answerHeader = (description: string, schema: object, required = false) => ({ description, required, schema });

export const responseHeaders = {
  'X-Request-Id': answerHeader(
    'The id of the request, which is the id that the client sent or a new one. It is stored with every event that the request causes. Give it to support.',
    { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    true,
  ),
  'X-Position': answerHeader('How far the log must have been read to see this write.', text('^[0-9]+$'), true),
  RateLimit: answerHeader('What is left, and the seconds until it starts again.', text('^"[a-z]+";r=[0-9]+;t=[0-9]+$')),
  'RateLimit-Policy': answerHeader('Requests, and seconds of the window.', text('^"[a-z]+";q=[0-9]+;w=[0-9]+$')),
  'Retry-After': answerHeader('Whole seconds, with 429 and 503.', text('^[1-9][0-9]*$')),
  Location: answerHeader('The path of what was created.', text('^/v1/'), true),
  'Idempotent-Replayed': answerHeader('This answer was given before.', text('^true$')),
  'X-Ignored-Fields': answerHeader(
    'The fields of the body that the service does not know and has dropped: at most ten names, then `+` and the number of others.',
    text('^[A-Za-z0-9_.+, -]+$'),
  ),
  'WWW-Authenticate': answerHeader('How to authenticate, with 401.', text('^Bearer$')),
  ETag: answerHeader('Of this version; for `If-None-Match`.', { type: 'string' }, true),
  Allow: answerHeader('The methods of the path.', { type: 'string' }, true),
};
