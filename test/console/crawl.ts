/**
 * Computes the lines that each page of the console must show. The lines come from answers of the API and not from the
 * code of the console. A line that is missing and a line that nothing explains are both faults.
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { AnswerOf, AudienceClient, components } from '../../client/client.js';
import { deliveryStates } from '../../src/projections/emails.js';

type Schemas = components['schemas'];
/** Text of a line, or its form where the text changes by itself. */
type Line = string | RegExp;

export interface Stop {
  /** Path in the table of pages, such as `/lists/:id`. */
  readonly page: string;
  /** Address below the console. */
  readonly address: string;
  /** The lines that the page must show. */
  expected(): Promise<readonly Line[]>;
  /** Whether the page shows everything only after a second sample of the figures. */
  readonly hasFigures?: true;
}

const zone = 'Times are in your time zone, Europe/Berlin, unless a page says UTC. Point at a time to see it in UTC.';
const recorded = 'What you read here is recorded under the name of your key.';

const number = (value: number): string => new Intl.NumberFormat('en-GB').format(value);
const inZone = (options: Intl.DateTimeFormatOptions, timeZone = 'Europe/Berlin') => {
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
  return (time: string): string => format.format(new Date(time));
};
const exactTime = inZone({ dateStyle: 'medium', timeStyle: 'medium' });
const longDay = inZone({ dateStyle: 'full' });
const utcDay = inZone({ dateStyle: 'medium' }, 'UTC');

/** A row of a table. Nothing in a cell is shown as a dash. */
const row = (...cells: readonly (string | null | undefined)[]): string =>
  cells.map((cell) => (cell === null || cell === undefined || cell === '' ? '–' : cell)).join('\t');
const plain = (position: string): string => position.replace(/^0+(?=.)/, '');
const names = (tags: readonly { readonly tag_name: string }[]): string =>
  tags.map(({ tag_name }) => tag_name).join(', ');

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A table of one page, or what is said in its place. */
const table = (columns: readonly string[], rows: readonly string[], empty: readonly string[]): readonly string[] =>
  rows.length === 0 ? empty : [columns.join('\t'), ...rows];

interface ChartOf<Row> {
  readonly title: string;
  readonly series: readonly (readonly [label: string, value: (row: Row) => number])[];
}

function chart<Row extends { readonly from: string }>(rows: readonly Row[], { title, series }: ChartOf<Row>) {
  const labels = series.map(([label]) => label);
  if (rows.length === 0) return [title, 'No data for these days.', ...labels, ['Time', ...labels].join('\t')];
  const lines = rows.map((one) => [utcDay(one.from), ...series.map(([, value]) => number(value(one)))].join('\t'));
  return [title, ...labels, ['Time', ...labels].join('\t'), ...lines];
}

/** Names of the keys that the log has, by their ids. */
async function keyNamesOf(api: AudienceClient): Promise<ReadonlyMap<string, string>> {
  return new Map((await all(api.all('listApiKeys'))).map(({ key_id, name }) => [key_id, name]));
}

const withoutKey = new Set(['mailer', 'recipient', 'service', 'cli']);
function origin(actor: string | undefined, request: string | undefined, keys: ReadonlyMap<string, string>): string {
  const name = keys.get(actor ?? '');
  const by =
    actor === undefined
      ? ''
      : ` by ${withoutKey.has(actor) ? 'the' : 'key'}${name === undefined ? '' : ` ${name}`} ${actor}`;
  return `${by}${request === undefined ? '' : `, request ${request}`}`;
}

const stateTexts: Readonly<Record<Schemas['DeliveryState'], readonly [name: string, meaning: string]>> = {
  held: ['Held', 'Waiting until a person releases or cancels them.'],
  in_doubt: ['In doubt', 'They may have been handed over. The outcome is unknown.'],
  deferred: ['To be tried again', 'The last attempt failed; another one is planned.'],
  failed: ['Failed', 'They were given up. One that is released is tried again.'],
  requested: ['Waiting', 'Waiting to be sent.'],
  sending: ['Being sent', 'An attempt is under way.'],
  cancelled: ['Cancelled', 'They were ended before they were sent.'],
  sent: ['Sent', 'A mail server took them; without one they were written to the outbox.'],
};

function markOf({ state, bounced, complained }: Schemas['Email']): string {
  if (complained?.verified === true) return 'called spam';
  return bounced?.verified === true ? 'bounced' : stateTexts[state][0];
}

/** All pages that show lists of things, and the log. */
export function overviews(api: AudienceClient): readonly Stop[] {
  const send = 'POST /v1/email/send {"from_email": …, "to_email": …, "subject": …, "mail_template": …}';
  const stops: Stop[] = [
    {
      page: '/',
      address: '/',
      expected: () =>
        Promise.resolve([
          'Find',
          'What you type is not in the address of this page. Searches by the beginning of a name or an address are recorded, and so is each history that you open.',
        ]),
    },
    {
      page: '/lists',
      address: '/lists',
      async expected() {
        const { data } = await api.listListCounts({ query: { limit: 25 } });
        const rows = data.map(({ list_name, subscribed, list_id }) => row(list_name, number(subscribed), list_id));
        const empty = ['There are no lists.', 'POST /v1/lists/create {"list_name": "News"}'];
        return ['Lists', ...table(['Name', 'Subscribed', 'Id'], rows, empty)];
      },
    },
    {
      page: '/tags',
      address: '/tags',
      async expected() {
        const { data } = await api.listTagCounts({ query: { limit: 25 } });
        const rows = data.map(({ tag_name, in_use, tag_id }) => row(tag_name, number(in_use), tag_id));
        const empty = ['There are no tags.', 'POST /v1/tags/create {"tag_name": "VIP"}'];
        return ['Tags', ...table(['Name', 'In use', 'Id'], rows, empty)];
      },
    },
    {
      page: '/groups',
      address: '/groups',
      async expected() {
        const { data } = await api.listGroups({ query: { limit: 50 } });
        const rows = data.map(({ group_name, group_id }) => row(group_name, group_id));
        const empty = ['There are no groups.', 'POST /v1/groups/create {"group_name": "Shop"}'];
        return ['Groups', ...table(['Name', 'Id'], rows, empty)];
      },
    },
    {
      page: '/keys',
      address: '/keys',
      async expected() {
        const { data } = await api.listApiKeys({ query: { limit: 50 } });
        const { data: own } = await api.getOwnApiKey();
        const empty = [
          'There are no keys except those of the configuration.',
          'POST /v1/keys {"name": "Shop", "scopes": ["contacts:write"]}',
        ];
        // Name and id are two lines of one cell, and so are the ends of both secrets.
        const rows = data.flatMap((key) => {
          const used = key.last_used_at ?? 'never, or not known';
          const end = key.revoked_at === null ? (key.expires_at ?? 'no end') : `revoked ${key.revoked_at}`;
          const earlier = key.revoked_at === null && key.previous_until !== null;
          return [
            key.name,
            [key.key_id, key.state, key.scopes.join(', '), used, ...(earlier ? [end] : [end])].join('\t'),
            ...(earlier ? [`the secret before: until ${key.previous_until ?? ''}`] : []),
          ];
        });
        const columns = ['Name', 'State', 'Scopes', 'Last used', 'Ends', 'Changes'];
        return [
          'Keys',
          `You are signed in with ${own.name}. A key gives no scope and no time that it does not have itself. Keys of the configuration are not in this table.`,
          ...table(columns, rows, empty),
        ];
      },
    },
    {
      page: '/emails',
      address: '/emails?show=outcomes',
      async expected() {
        const { data } = await api.getEmailOutcomes({ query: { interval: 'week' } });
        type Outcome = Schemas['EmailOutcomesRow'];
        type Count = Exclude<keyof Outcome, 'from' | 'to' | 'reasons'>;
        const counts = (labels: Partial<Record<Count, string>>) =>
          Object.entries(labels).map(([name, label]) => [label, (one: Outcome) => one[name as Count]] as const);
        const sent = { requested: 'requested', sent: 'sent', failed: 'failed' };
        const wrong = {
          ...{ deferred: 'attempts that failed', bounced: 'bounced', complained: 'called spam' },
          ...{ unverified: 'reports not verified', held: 'held', in_doubt: 'in doubt', reopened: 'released' },
        };
        const why = (title: string, outcomes: readonly string[], without: string): readonly Line[] => {
          const byOutcome = outcomes.includes('cancelled');
          const some = data.rows.some(({ reasons }) => reasons.some(({ outcome }) => outcomes.includes(outcome)));
          // The wording of reasons is the console's own, so only the sum of each week is compared.
          const sums = data.rows.map(({ from, reasons }) => {
            const those = reasons.filter(({ outcome }) => outcomes.includes(outcome));
            const sum = those.reduce((total, { count }) => total + count, 0);
            return sumOfRow(utcDay(from), sum);
          });
          const reasons = new Set(
            data.rows
              .flatMap((one) => one.reasons)
              .flatMap(({ outcome, reason }) =>
                outcomes.includes(outcome) ? [`${byOutcome ? outcome : ''} ${reason}`] : [],
              ),
          );
          const labels = Array.from({ length: Math.min(6, reasons.size) }, () => /^[a-z][^\t]*$/);
          return some ? [title, /^Time\t\D/, ...labels, ...sums] : [without];
        };
        return [
          ...['E-mail', 'Over time', 'Days are in UTC.'],
          ...chart(data.rows, { title: 'E-mails', series: counts(sent) }),
          ...chart(data.rows, { title: 'What went wrong', series: counts(wrong) }),
          ...why('Why attempts failed', ['deferred', 'failed', 'in_doubt'], 'No attempt failed in these days.'),
          ...why(
            'Why e-mails bounced or were cancelled',
            ['bounced', 'cancelled'],
            'No e-mail bounced or was cancelled in these days.',
          ),
        ];
      },
    },
    {
      page: '/log',
      address: '/log?show=all',
      async expected() {
        const { data } = await api.listEvents({ query: { limit: 50 } });
        return [...logTop(true), ...eventRows(data)];
      },
    },
    {
      page: '/log',
      address: '/log?show=all&actor=nobody',
      expected: () => Promise.resolve([...logTop(true), 'No event matches these filters.']),
    },
    {
      page: '/log',
      address: '/log?show=all&types=RecordRead&actor=nobody',
      expected: () => Promise.resolve(['Log', 'No event matches these filters.']),
    },
    {
      page: '/log',
      address: '/log',
      async expected() {
        const from = new Date(Date.now() - 3_600_000).toISOString();
        const events = (await all(api.events({ from }))).slice(-200).reverse();
        const live = [...logTop(true), 'New events come by themselves.'];
        return events.length === 0 ? [...live, /^No events since \S+Z\.$/] : [...live, ...eventRows(events)];
      },
    },
    {
      page: '/log',
      address: '/log?show=seals',
      async expected() {
        const { data, ...log } = await api.listSeals({ query: { limit: 50 } });
        const rows = data.map(({ seal, state, reason, key_fingerprint, file }) =>
          row(
            seal?.sealed_at ?? file,
            seal === null ? '' : number(seal.seq),
            seal === null ? '' : number(seal.count),
            [sealStates[state] ?? state, reason].filter(Boolean).join(' '),
            seal === null ? '' : `${seal.root.slice(0, 16)}…`,
            key_fingerprint === null ? '' : `${key_fingerprint.slice(0, 16)}…`,
          ),
        );
        const empty = ['There are no seals.', 'audience audit seal --out seal.json'];
        return [
          ...['Log', 'Seals', howFar(log)],
          'A seal beside the log proves nothing against a person who can write there and has the key. Keep copies where that person cannot write, and compare them with the seals here or with verify.mjs.',
          ...table(['Sealed', 'Number', 'Events', 'State', 'Root', 'Key', 'File'], rows, empty),
        ];
      },
    },
  ];
  for (const state of deliveryStates)
    stops.push({
      page: '/emails',
      address: `/emails?state=${state}`,
      async expected() {
        const { data } = await api.listEmails({ query: { state, limit: 50 } });
        const columns = ['E-mail', 'State', 'Requested', 'Sent', 'Attempts', 'Last failure'];
        const rows = data.map((email) => {
          const { email_id, requested_at, sent_at, attempts, last_error } = email;
          return row(email_id, markOf(email), requested_at, sent_at, number(attempts), last_error);
        });
        return ['E-mail', stateTexts[state][1], ...table(columns, rows, ['No emails in this state.', send])];
      },
    });
  return stops;
}

const sealStates: Readonly<Record<string, string>> = {
  not_checked: 'not compared yet',
  excused: 'of events that a restore removed',
  fails: 'does not hold',
};

function howFar({ count, read_back_count, read_back_at, fault }: Omit<AnswerOf<'listSeals'>, 'data'>): Line {
  if (fault !== null) return `The log cannot be read back: ${fault}`;
  const events = count === null ? 'a number of events that is not known yet' : `${number(count)} events`;
  // The service appends and reads back while the page is compared.
  return read_back_count === null || read_back_at === null
    ? `The log has ${events}. This process has not read them back.`
    : /^The log has [\d,]+ events\. The service has read back [\d,]+ of them and found them unaltered, last at \S+Z\.$/;
}

/** A row of a chart whose figures have this sum. */
function sumOfRow(first: string, sum: number): RegExp {
  // A regular expression cannot add, so `matches` below does: this is how it is told to.
  return Object.assign(new RegExp(`^${first}\\t[\\d,\\t]+$`), { sum });
}

const logTop = (withReads: boolean): readonly string[] => [
  ...['Log', recorded],
  ...(withReads ? ['Records of reads are not shown here. Show only these'] : []),
];

const eventRows = (events: readonly Schemas['FeedEvent'][]): readonly string[] =>
  table(
    ['Event', 'Type', 'At', 'By', 'Request'],
    events.map(({ position, type, at, actor, request_id }) =>
      [plain(position), type, at ?? '–', actor ?? '–', request_id ?? ''].join('\t'),
    ),
    ['There are no events.'],
  );

/** One list: growth, members, as it was, and the difference of two times. */
export function listStops(api: AudienceClient, id: string): readonly Stop[] {
  const page = '/lists/:id';
  const nameOf = async (): Promise<string> => (await api.getList({ path: { list_id: id } })).data.list_name;
  const time = new Date().toISOString();
  return [
    {
      page,
      address: `/lists/${id}`,
      async expected() {
        const { data } = await api.getListGrowth({ path: { list_id: id }, query: { interval: 'week' } });
        return [
          ...[await nameOf(), id, 'Growth', `Days are in UTC. Created ${data.created_at}.`],
          ...chart(data.rows, {
            title: 'Subscribed at the end of each interval',
            series: [['subscribed', ({ total }) => total]],
          }),
          ...chart(data.rows, {
            title: 'Changes',
            series: [
              ['joined', ({ joined }) => joined],
              ['came back', ({ resubscribed }) => resubscribed],
              ['unsubscribed', ({ unsubscribed }) => unsubscribed],
              ['erased', ({ erased }) => erased],
              ['left with the list', ({ left_with_list }) => left_with_list],
            ],
          }),
        ];
      },
    },
    {
      page,
      address: `/lists/${id}?show=members`,
      async expected() {
        const { data } = await api.listContacts({ path: { list_id: id }, query: { limit: 50 } });
        const rows = data.map(({ email, firstName, lastName, status, because, tags }) =>
          row(email, [firstName, lastName].filter(Boolean).join(' '), status, because.at, names(tags)),
        );
        const empty = [
          'This list has no members.',
          `POST /v1/contacts/${id}/create {"email": "ada@example.com", "status": "Subscribed"}`,
        ];
        const columns = ['Address', 'Name', 'Status', 'Since', 'Tags'];
        return [await nameOf(), id, 'Members', recorded, ...table(columns, rows, empty)];
      },
    },
    {
      page,
      address: `/lists/${id}?show=at&at=${time}`,
      async expected() {
        const members = (await all(api.all('listContacts', { path: { list_id: id } }))).filter(
          ({ because }) => because.at <= time,
        );
        const subscribed = members.filter(({ status }) => status === 'Subscribed').length;
        const rows = members.map(({ email, status, because, tags }) => row(email, status, because.at, names(tags)));
        return [
          ...[await nameOf(), id, 'As it was at a time', `Read from the whole log. ${recorded}`],
          `${await nameOf()} at ${time}: ${number(members.length)} members, ${number(subscribed)} subscribed.`,
          // The table has its first page in another order than the view.
          ...(rows.length === 0 ? [] : [['Contact', 'Status', 'Since', 'Tags'].join('\t')]),
          ...(rows.length <= 50 ? rows : Array.from({ length: 50 }, () => oneOf(rows))),
        ];
      },
    },
    {
      page,
      address: `/lists/${id}?show=difference&from=2020-01-01T00:00:00.000Z&to=${time}`,
      async expected() {
        const members = await all(api.all('listContacts', { path: { list_id: id } }));
        const rows = members.map(({ email, status, because, tags }) =>
          row(email, 'joined', '–', status, '–', names(tags), because.at),
        );
        const columns = ['Contact', 'What', 'Status before', 'Status', 'Tags before', 'Tags', 'Status since'];
        return [
          ...[await nameOf(), id, 'Difference between two times', `Read from the whole log. ${recorded}`],
          `From 2020-01-01T00:00:00.000Z to ${time}: ${number(members.length)} joined, 0 left, 0 changed, of whom 0 unsubscribed.`,
          'Who unsubscribes stays in the list, and has changed. Who left was erased, or the list deleted.',
          ...(rows.length === 0 ? [] : [columns.join('\t')]),
          ...(rows.length <= 50 ? rows : Array.from({ length: 50 }, () => oneOf(rows))),
        ];
      },
    },
  ];
}

const oneOf = (rows: readonly string[]): RegExp => Object.assign(/^.*$/, { anyOf: new Set(rows) });

export const tagStop = (api: AudienceClient, id: string): Stop => ({
  page: '/tags/:id',
  address: `/tags/${id}`,
  async expected() {
    const { data } = await api.getTagUse({ path: { tag_id: id }, query: { interval: 'week' } });
    const { data: tag } = await api.getTag({ path: { tag_id: id } });
    return [
      ...[
        tag.tag_name,
        id,
        'Use',
        `Each contact is counted once in each list. Days are in UTC. Created ${data.created_at}.`,
      ],
      ...chart(data.rows, {
        title: 'In use at the end of each interval',
        series: [['in use', ({ in_use }) => in_use]],
      }),
      ...chart(data.rows, {
        title: 'Changes',
        series: [
          ['attached', ({ attached }) => attached],
          ['detached', ({ detached }) => detached],
          ['erased', ({ erased }) => erased],
          ['left with a list', ({ left_with_list }) => left_with_list],
          ['left with the tag', ({ left_with_tag }) => left_with_tag],
        ],
      }),
    ];
  },
});

export const emailStop = (api: AudienceClient, id: string): Stop => ({
  page: '/emails/:id',
  address: `/emails/${id}`,
  async expected() {
    const { data } = await api.getEmail({ path: { email_id: id } });
    const history = await all(api.all('getEmailHistory', { path: { email_id: id } }));
    const keys = await keyNamesOf(api);
    const unverified = (verified: boolean): string => (verified ? '' : ', according to a report that is not verified');
    return [
      ...['E-mail', id, 'State', `${markOf(data)} ${stateTexts[data.state][1]}`],
      ...['Requested', data.requested_at, 'Sent', data.sent_at ?? '–', 'Attempts', number(data.attempts)],
      ...['Next attempt', data.next_attempt_at ?? '–', 'Last failure', data.last_error ?? '–'],
      ...(data.bounced === null ? [] : ['Bounced', `${data.bounced.at}${unverified(data.bounced.verified)}`]),
      ...(data.complained === null
        ? []
        : ['Called spam', `${data.complained.at}${unverified(data.complained.verified)}`]),
      ...['What happened', `Read from the log. ${recorded}`],
      ...historyOfEmail(history, keys),
    ];
  },
});

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

/** The beginning of an attempt is told in the line of its outcome. */
function historyOfEmail(
  history: readonly Schemas['HistoryItem'][],
  keys: ReadonlyMap<string, string>,
): readonly Line[] {
  const attempt = (item: Schemas['HistoryItem']): unknown => fieldOf(item.data, 'attempt');
  const isOutcome = ({ type }: Schemas['HistoryItem']): boolean => type !== 'EmailDispatchStarted';
  const told = history.filter(
    (item, at) =>
      isOutcome(item) || !history.slice(at + 1).some((later) => isOutcome(later) && attempt(later) === attempt(item)),
  );
  return told.flatMap((item) => {
    const before = history.slice(0, history.indexOf(item));
    const start = isOutcome(item)
      ? before.findLast((one) => !isOutcome(one) && attempt(one) === attempt(item))
      : undefined;
    const begun = start === undefined ? '' : `; begun ${start.at ?? '–'} event ${plain(start.position)}`;
    return [
      ending(`${item.summary} event ${plain(item.position)}`),
      ...linesOfData(item),
      `${item.at ?? '–'}${origin(item.actor, item.request_id, keys)}${begun}`,
    ];
  });
}

/** The recipient and subject, the reply of the mail server, and the next attempt. */
function linesOfData({ data, email }: Schemas['HistoryItem']): readonly string[] {
  const message = fieldOf(data, 'message');
  const [from, to, response, diagnostic] = ['from_email', 'to_email', 'response', 'diagnostic'].map((name) =>
    textOf(fieldOf(message, name)),
  );
  const codes = [textOf(fieldOf(data, 'smtp_code')), textOf(fieldOf(data, 'enhanced_code'))];
  const said = [response, diagnostic, codes.filter((code) => code !== '').join(' ')].find((text) => text !== '') ?? '';
  const next = textOf(fieldOf(data, 'next_attempt_at'));
  return [
    ...(from && to ? [`${email?.subject ?? '–'} from ${from} to ${to}`] : []),
    ...(said === '' ? [] : [`The mail server said: ${said}`]),
    ...(next === '' ? [] : [`Next attempt: ${next}`]),
  ];
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** A line that ends so, after a mark whose wording is the console's own and has no figures but the number of an attempt. */
const ending = (text: string): RegExp =>
  new RegExp(`^(?:attempt \\d+: )?[−+ a-zA-Z-]+ ${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);

const personFields = {
  ...{ email: 'Address', firstName: 'First name', lastName: 'Last name', phone: 'Phone', dateOfBirth: 'Date of birth' },
  ...{ address: 'Street', city: 'City', state: 'State', country: 'Country', zipcode: 'Postal code' },
} as const;

export const contactStop = (api: AudienceClient, id: string): Stop => ({
  page: '/contacts/:id',
  address: `/contacts/${id}`,
  async expected() {
    const path = { contact: id };
    const { data: now } = await api.getContactAt({ path, query: { time: '9999-12-31' } });
    const history = await all(api.all('getContactHistory', { path, query: { limit: 200 } }));
    const keys = await keyNamesOf(api);
    const own = history.filter(({ email }) => email === undefined);
    const times = [...new Set(own.flatMap(({ at }) => at ?? []))].sort();
    const erased = now.erased ?? history.findLast(({ type, contact_id: of }) => type === 'ContactErased' && of === id);
    const slider = [
      ...(times.length === 0
        ? []
        : [`${number(times.length)} of ${number(times.length)}: ${exactTime(times.at(-1) ?? '')}`]),
      'Arrow keys move between changes, page keys move between days, and Home and End move to the ends.',
    ];
    const newest = history.toReversed().slice(0, 50);
    return [
      ...[nameOf(now), `${id} ${recorded}`],
      ...(erased === undefined
        ? []
        : [
            `This person was erased at ${erased.at ?? ''}. This page still shows lists, tags and changes, with the time, key and request of each change. All personal data was erased.`,
            `The person was erased at ${erased.at ?? ''}, by key ${erased.actor ?? ''}.`,
          ]),
      ...['As it is now', ...slider, ...profileLines(now), ...subscriptionLines(now)],
      ...(now.profile?.email == null ? [] : await refusalLines(api, now.profile.email, keys)),
      ...['What happened', `${number(history.length)} of ${number(history.length)} changes`],
      ...new Set(newest.map(({ at }) => longDay(at ?? ''))),
      ...newest.map(changeLine),
      ...requestsOf(newest).map(({ at, actor, request_id }) => `${at ?? ''}${origin(actor, request_id, keys)}`),
    ];
  },
});

function nameOf({ profile }: Schemas['ContactAt']): string {
  const name = [profile?.firstName, profile?.lastName].filter(Boolean).join(' ');
  return profile?.email == null ? 'Contact' : name || profile.email;
}

function profileLines({ profile, created_at }: Schemas['ContactAt']): readonly string[] {
  if (profile === null) return [];
  const facts = Object.entries(personFields).flatMap(([field, label]) => {
    const value = profile[field as keyof typeof personFields];
    return value === null && field !== 'email' ? [] : [label, value ?? '–'];
  });
  return ['Person', ...facts, 'Known since', created_at ?? '–'];
}

function subscriptionLines(now: Schemas['ContactAt']): readonly string[] {
  if (now.existed === false) return [];
  const subscriptions = 'subscriptions' in now ? now.subscriptions : [now.subscription];
  if (subscriptions.length === 0) return ['In no list.'];
  const rows = subscriptions.map(({ list_id, list_name, status, because, tags, consent }) => {
    const basis = consent?.source ?? consent?.legal_basis ?? 'recorded';
    const consented = consent === null ? '–' : `${basis}, ${consent.because.at}`;
    const tagged = tags.map(({ tag_name }) => tag_name).join(' ');
    return row(list_name ?? list_id, status ?? 'not in it', because?.at, tagged, consented);
  });
  return [['List', 'Status', 'Since', 'Tags', 'Consent'].join('\t'), ...rows];
}

async function refusalLines(
  api: AudienceClient,
  email: string,
  keys: ReadonlyMap<string, string>,
): Promise<readonly Line[]> {
  const { data } = await api.findSuppressions({ body: { email } });
  const lists = new Map((await all(api.all('listLists'))).map(({ list_id, list_name }) => [list_id, list_name]));
  const mail = (scope: string | null): string =>
    scope === null || scope === 'all' ? 'all mail' : `mail of the list ${lists.get(scope) ?? scope}`;
  const words = (reason: string | null): string => (reason ?? 'not known').replaceAll('_', ' ');
  return [
    'Refused mail, now',
    ...(data.active.length === 0 ? ['Mail is not refused.'] : []),
    ...data.active.map(({ scope, reason, since }) => `suppressed ${mail(scope)}: ${words(reason)}, since ${since}`),
    ...data.history.map(({ type, scope, reason, at, actor, request_id, note }) => {
      const what = type === 'AddressReleased' ? 'may go out again' : 'is refused';
      const said = note === null ? '' : ` ${note}`;
      return `${at ?? '–'}: From then on, ${mail(scope)} ${what}: ${words(reason)}.${origin(actor, request_id, keys)}${said}`;
    }),
  ];
}

function changeLine({ summary, email, position }: Schemas['HistoryItem']): RegExp {
  const subject = email === undefined || email.subject === null ? '' : ` ${email.subject}`;
  return ending(`${summary}${subject}${email === undefined ? '' : ' its e-mail'} event ${plain(position)}`);
}

/** Neighbors of one time, request and key are shown together. */
const requestsOf = (items: readonly Schemas['HistoryItem'][]): readonly Schemas['HistoryItem'][] =>
  items.filter((item, at) => {
    const last = items[at - 1];
    return last === undefined || (['at', 'request_id', 'actor'] as const).some((name) => last[name] !== item[name]);
  });

export const eventStop = (api: AudienceClient, position: string): Stop => ({
  page: '/log/:id',
  address: `/log/${plain(position)}`,
  async expected() {
    const { data } = await api.getEvent({ path: { position } });
    const json = JSON.stringify(data.data, null, 2)
      .split('\n')
      .map((line) => line.trim());
    return [
      ...[`Event ${plain(position)}`, ...(data.type === 'RecordRead' ? [] : [recorded])],
      ...['Type', `${data.type}, schema ${String(data.schema)}`, 'At', data.at ?? '–', 'By', data.actor ?? '–'],
      ...['Request', ...(data.request_id === null ? [] : [data.request_id])],
      ...['Correlation', ...(data.correlation_id === null ? [] : [data.correlation_id])],
      ...['Caused by', ...(data.causation_id === null ? [] : [data.causation_id])],
      ...['Stream', `${data.stream}, revision ${number(data.revision)}`, 'Event id', data.event_id],
      ...['Data', ...json, 'Integrity', 'Number in the log', number(data.ordinal ?? 0)],
      ...['Leaf in the tree', data.leaf ?? ''],
      `The file has this event as it is stored, with its path to the root of the newest seal that covers it. Anyone can check it without this service: node verify.mjs event-${plain(position)}.json, followed by a seal that they kept.`,
    ];
  },
});

/** Charts of what the process counts. Their figures move, but for the emails that wait. */
async function figureLines(api: AudienceClient): Promise<readonly Line[]> {
  const labels = {
    'Requests a second': ['answered', 'refused (4xx)', 'failed (5xx)'],
    'Milliseconds, mean': ['a request', 'a commit of the log'],
    'Events appended a second': ['events'],
    'Lag of the views, in events': ['events behind'],
    'Memory in MB': ['of the process'],
  };
  const waiting = ['requested', 'deferred', 'held', 'in_doubt'] as const;
  const counts: number[] = [];
  for (const state of waiting) counts.push((await all(api.all('listEmails', { query: { state } }))).length);
  const waitingLabels = ['requested', 'to be tried again', 'held', 'in doubt'];
  const charts = [...Object.entries(labels), ['E-mails that wait', waitingLabels] as const];
  return [
    ...['Subscribers', 'What follows the log and acts. What fails is tried again, with longer and longer pauses.'],
    ['Subscriber', 'State', 'Lag', 'At work on', 'Failures since the start'].join('\t'),
    often(/^[a-z ]+\tworking\t[\d,]+ s\t0\t0$/),
    'Since this page was opened',
    'Measured in the process that answers, every 5 seconds, for at most an hour. For a longer history, use Prometheus: GET /metrics.',
    ...charts.flatMap(([title, names]) => [title, ...names, ['Time', ...names].join('\t')]),
    often(new RegExp(`^\\d\\d:\\d\\d:\\d\\d\\t${counts.map(number).join('\\t')}$`)),
    often(/^\d\d:\d\d:\d\d(?:\t(?:–|[\d,.]+)){1,3}$/),
  ];
}

/** A form that one line has at least, and any number of lines may have. */
const often = (form: RegExp): RegExp => Object.assign(form, { isMany: true });

/** Figures that move are compared by their form: milliseconds of lag, and what counts requests. */
export const serviceStop = (api: AudienceClient): Stop => ({
  page: '/service',
  address: '/service',
  hasFigures: true,
  async expected() {
    const { data: parts } = await api.getReady();
    const { data: views } = await api.listProjections();
    const part = (name: string, state: string, ...more: readonly Line[]): readonly Line[] => [name, state, ...more];
    const { integrity, erasures, mailer } = parts;
    return [
      ...['Service', 'Now', 'ready The service and everything that it needs are available.'],
      ...part('Log', 'takes writes', `Its last event: ${plain(parts.event_store.head ?? '')}`),
      ...(integrity === undefined
        ? []
        : integrity.read_back_at === null
          ? part('Integrity', 'not read back yet')
          : part('Integrity', 'unaltered', /^[\d,]+ events were read back and are unaltered\.$/)),
      ...part('Views', 'caught up', /^Lag \d+ ms; this process is the one that folds\.$/),
      ...(mailer === undefined
        ? part('Mailer', 'not in this process', 'This process does not send email.')
        : part(
            'Mailer',
            'working',
            `${number(mailer.running)} being sent, at most ${number(mailer.relay?.connections ?? 0)} connections. E-mail`,
          )),
      ...(erasures === undefined ? [] : part('Erasures', erasures.waiting === 0 ? 'none waits' : '')),
      ...(parts.clock.trusted
        ? []
        : part(
            'Clock',
            'not trusted',
            /^It (?:is|was) .+ Until the clock is trusted, in [\d,]+ minutes, no email is given up and nothing expires for good\.$/,
          )),
      'Views',
      'What GETs answer is folded from the log. A rebuild folds it again beside what is live, compares the two, and switches if they are equal.',
      ['View', 'State', 'Version', 'Position', 'Lag', 'Parked streams'].join('\t'),
      ...views.map(
        ({ name, state, version, position }) =>
          new RegExp(`^${name}\\t${state}\\t${version}\\t${number(Number(position))}\\t\\d+ ms\\tnone$`),
      ),
      ...(await figureLines(api)),
    ];
  },
});

/** The paths of the console's table of pages. */
export const pathsOfConsole = (): readonly string[] => {
  const text = readFileSync(new URL('../../console/pages.tsx', import.meta.url), 'utf8');
  return [...text.matchAll(/^ {4}path: '([^']+)'/gm)].map(([, path = '']) => path);
};

/** Runs in the page. Controls are left out; each time is in place as the page has it in UTC. */
const readLines = `(() => {
  const main = document.querySelector('main');
  for (const closed of main.querySelectorAll('details:not([open])')) closed.open = true;
  const controls = [...main.querySelectorAll('button, nav, form, label, .filters, summary, caption')];
  const times = [...main.querySelectorAll('time')].map((time) => [time.firstChild, time.firstChild.data, time.dateTime]);
  for (const control of controls) control.style.display = 'none';
  for (const [node, , iso] of times) node.data = iso;
  const text = main.innerText;
  for (const [node, shown] of times) node.data = shown;
  for (const control of controls) control.style.display = '';
  return text.split('\\n').map((line) => line.split('\\t').map((cell) => cell.trim().replace(/\\s+/g, ' ')).join('\\t').replace(/\\t+$/, '').trim()).filter((line) => line !== '');
})()`;

const matches = (line: string, wanted: Line): boolean => {
  if (typeof wanted === 'string') return normal(wanted) === line;
  const { sum, anyOf } = wanted as { readonly sum?: number; readonly anyOf?: ReadonlySet<string> };
  if (anyOf !== undefined) return [...anyOf].some((text) => normal(text) === line);
  if (!wanted.test(line)) return false;
  const figures = line.split('\t').slice(1);
  return sum === undefined || figures.reduce((total, figure) => total + Number(figure.replaceAll(',', '')), 0) === sum;
};

const normal = (text: string): string =>
  text
    .split('\t')
    .map((cell) => cell.trim().replace(/\s+/g, ' '))
    .join('\t')
    .replace(/\t+$/, '')
    .trim();

export interface Difference {
  readonly missing: readonly string[];
  /** Lines that nothing explains. */
  readonly unexplained: readonly string[];
}

/** Compares what the page shows now with what it must show. */
export async function differenceOf(page: Page, expected: readonly Line[]): Promise<Difference> {
  const left = [...(await page.evaluate<readonly string[]>(readLines))];
  const missing: string[] = [];
  // Exact lines first, so that a form does not take the line of another.
  const ordered = [...expected, zone].sort(
    (one, other) => Number(typeof one !== 'string') - Number(typeof other !== 'string'),
  );
  for (const wanted of ordered) {
    const at = left.findIndex((line) => matches(line, wanted));
    if (at < 0) missing.push(typeof wanted === 'string' ? normal(wanted) : wanted.source);
    else if ('isMany' in Object(wanted)) left.splice(0, left.length, ...left.filter((line) => !matches(line, wanted)));
    else left.splice(at, 1);
  }
  return { missing, unexplained: left };
}
