/** What a service answers of everybody but those who are erased, and what it must count afterwards. */
import { liveProjections } from '../../../src/projections/views.js';
import { ok, untimed } from '../../support/answers.js';
import type { World } from './commands.js';
import type { Service } from '../../support/service.js';
import type { Person } from './unmistakable-people.js';

interface Asking {
  readonly world: World;
  /** Who are asked about one by one. */
  readonly others: readonly Person[];
  /** Who are erased meanwhile. */
  readonly leaving: readonly Person[];
  /** Points in time. */
  readonly moments: readonly number[];
}

/** Texts by question. */
type Answers = Readonly<Record<string, string>>;

/** Lists are asked about at points in time: at most so many of them. */
const listsAtOnce = 4;
/** They count who was erased, see `countsOf`, and what was sent to somebody who came back meanwhile. */
const counting = new Set(['list_growth', 'tag_use', 'email_outcomes']);

export async function answersOfOthers({ world, others, leaving, moments }: Asking): Promise<Answers> {
  const { service, lists, everyList } = world;
  const ids = leaving.flatMap((person) => [...person.ids]);
  const isOther = (text: string): boolean => !ids.some((id) => text.includes(id));
  const answers: Record<string, string> = {};
  for (const { email } of others) {
    const who = encodeURIComponent(email);
    const audited = `/v1/audit/contacts/${who}`;
    const times = moments.map((time) => `${audited}/at?time=${iso(time)}`);
    for (const path of [`/v1/contacts?email=${who}`, `${audited}/history?limit=200`, ...times])
      answers[path] = untimed((await ok(service.get(path))).text);
    const report = `${audited}/report`;
    answers[report] = untimed((await ok(service.get(report, { accept: 'application/json' }))).text);
    const exported = `/v1/privacy/export?email=${who}`;
    answers[exported] = withoutReadings(untimed((await ok(service.get(exported))).text));
  }
  for (const list of lists.values())
    answers[`contacts of ${list}`] = (await everything(service, `/v1/contacts/${list}`)).filter(isOther).join('\n');
  for (const list of [...everyList].slice(-listsAtOnce))
    for (const time of moments) {
      const path = `/v1/audit/lists/${list}/at?time=${iso(time)}`;
      const lines = untimed((await ok(service.get(path))).text).split('\n');
      answers[path] = lines.filter((line) => isOther(line) && !line.startsWith('{"line":"end"')).join('\n');
    }
  for (const { name, unlisted } of liveProjections)
    if (!counting.has(name) && unlisted !== true)
      answers[`view ${name}`] = (await everything(service, `/v1/views/${name}`)).filter(isOther).join('\n');
  return answers;
}

/** Where answers differ, each from a little before its first difference. */
export function differences(before: Readonly<Record<string, unknown>>, after: typeof before): readonly string[] {
  const texts = (question: string) => [before, after].map((answers) => JSON.stringify(answers[question] ?? null));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((question) => {
    const [was = '', is = ''] = texts(question);
    if (was === is) return [];
    let at = 0;
    while (was[at] === is[at]) at += 1;
    const from = Math.max(0, at - 100);
    return [`${question}: ${was.slice(from, at + 200)} became ${is.slice(from, at + 200)}`];
  });
}

export const iso = (time: number): string => new Date(time).toISOString();

/** Each of these questions is recorded as one. */
const withoutReadings = (text: string): string => text.replace(/,"readings":\[.*\]/s, '');

/** Each item of all pages. */
async function everything(service: Service, path: string): Promise<readonly string[]> {
  const items: string[] = [];
  let cursor = '';
  do {
    const page = await ok(service.get(`${path}?limit=200${cursor}`));
    items.push(...page.items().map((item) => JSON.stringify(item)));
    const { next_cursor } = page.body as { readonly next_cursor?: string };
    cursor = next_cursor === undefined ? '' : `&cursor=${next_cursor}`;
  } while (cursor !== '');
  return items;
}

type Row = Readonly<Record<string, number | string>>;

/** The rows of each list and tag, by the path that answers them. */
type Counts = Readonly<Record<string, readonly Row[]>>;

const growthOf = (list: unknown): string => `/v1/analytics/lists/${String(list)}/growth`;
const useOf = (tag: unknown): string => `/v1/analytics/tags/${String(tag)}/use`;

export async function countsOf({ service, everyList }: World): Promise<Counts> {
  const tags = (await ok(service.get('/v1/tags?limit=200'))).items();
  const counts: Record<string, readonly Row[]> = {};
  for (const path of [...[...everyList].map(growthOf), ...tags.map(({ tag_id }) => useOf(tag_id))])
    counts[path] = ((await ok(service.get(path))).body as { data: { rows: readonly Row[] } }).data.rows;
  return counts;
}

interface Subscription {
  readonly list_id: string;
  readonly status: string;
  readonly tags: readonly { readonly tag_id: string }[];
}

/** How often each row of today will say `erased` once they are: by subscription, and by tag in each list. */
export async function leavesOf({ service }: World, leaving: readonly Person[]): Promise<ReadonlyMap<string, number>> {
  const leaves = new Map<string, number>();
  const leave = (path: string): unknown => leaves.set(path, (leaves.get(path) ?? 0) + 1);
  for (const { email, contactId } of leaving) {
    if (contactId === undefined) continue;
    const { body } = await ok(service.get(`/v1/contacts?email=${encodeURIComponent(email)}`));
    for (const { list_id, status, tags } of (body as { data: { subscriptions: Subscription[] } }).data.subscriptions) {
      if (status === 'Subscribed') leave(growthOf(list_id));
      for (const { tag_id } of tags) leave(useOf(tag_id));
    }
  }
  return leaves;
}

/** Only the rows of today differ: by who was erased, and by who joined a list meanwhile and was erased, too. */
export function countsAfter(counts: Counts, leaves: ReadonlyMap<string, number>, { now, joined }: Meanwhile): Counts {
  const today = iso(now).slice(0, 10);
  const changed = (path: string, row: Row): Row => {
    const by = leaves.get(path) ?? 0;
    const came = joined.filter((list) => path === growthOf(list)).length;
    const less = (name: string) => (row[name] === undefined ? {} : { [name]: Number(row[name]) - by });
    const more = came === 0 ? {} : { joined: Number(row['joined']) + came };
    return {
      ...row,
      erased: Number(row['erased']) + by + came,
      ...more,
      ...less('net'),
      ...less('total'),
      ...less('in_use'),
    };
  };
  return Object.fromEntries(
    Object.entries(counts).map(([path, rows]) => [
      path,
      rows.map((row) => (row['from'] === today ? changed(path, row) : row)),
    ]),
  );
}

interface Meanwhile {
  readonly now: number;
  /** The list of each who came back. */
  readonly joined: readonly string[];
}
