/** Random commands over HTTP under a clock that the test sets: exports as of random times hold what a plain list of what was done holds, and what the auditor answers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usually } from '../support/amount.js';
import { command, doAll, emailsOf } from '../support/audit-commands.js';
import { worldAt, type Done } from '../support/audit-model.js';
import { startAuditedService, type AuditedService } from '../support/audited-service.js';
import { exported, linesOf } from '../support/exporting.js';

interface Subscription {
  readonly list_id: string;
  readonly list_name: string | null;
  readonly status: string;
  readonly since: string;
  readonly tags: readonly { readonly tag_id: string; readonly tag_name: string }[];
}

const iso = (time: number): string => new Date(time).toISOString();

const byKey = <Value>(key: (value: Value) => string) => {
  return (a: Value, b: Value): number => (key(a) < key(b) ? -1 : 1);
};

/** The contacts of this run as the model has them. */
function contactsIn(journal: readonly Done[], time: number) {
  const { contacts, lists, tags } = worldAt(journal, time);
  const found = [...contacts].map(([email, contact]) => ({
    email,
    firstName: contact.firstName,
    subscriptions: [...contact.in]
      .map(([list_id, { status, tags: held }]) => ({
        list_id,
        list_name: lists.get(list_id),
        status,
        tags: [...held.keys()].map((tag) => tags.get(tag)).sort(),
      }))
      .sort(byKey(({ list_id }) => list_id)),
  }));
  return found.sort(byKey(({ email }) => email));
}

const shown = ({ email, firstName, subscriptions }: Record<string, unknown>) => ({
  email,
  firstName,
  subscriptions: (subscriptions as Subscription[]).map(({ list_id, list_name, status, tags }) => ({
    list_id,
    list_name,
    status,
    tags: tags.map(({ tag_name }) => tag_name).sort(),
  })),
});

/** What `GET /v1/audit/contacts/{contact}/at` answers, in the words of an export. */
async function answered(service: AuditedService, contactId: string, time: number) {
  const { data } = await service.get(`/v1/audit/contacts/${contactId}/at?time=${iso(time)}`);
  const { subscriptions } = data as { subscriptions: (Subscription & { because: { at: string } })[] };
  return subscriptions.map(({ list_id, list_name, status, because, tags }) => ({
    list_id,
    list_name,
    status,
    since: because.at,
    tags: tags.map(({ tag_id, tag_name }) => ({ tag_id, tag_name })),
  }));
}

/** Members of a list by status, from `GET /v1/audit/lists/{list_id}/at`. */
async function membersOf(service: AuditedService, list: string, time: number) {
  const text = await service.text(`/v1/audit/lists/${list}/at?time=${iso(time)}`);
  const lines = text.split('\n').slice(0, -1);
  const [head, ...members] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const count = (status: string): number => members.filter((member) => member['status'] === status).length;
  return {
    list_name: head?.['list_name'],
    state: head?.['state'],
    subscribed: count('Subscribed'),
    unsubscribed: count('Unsubscribed'),
  };
}

test('exports as of random times', { timeout: 300_000 }, async () => {
  const service = await startAuditedService();
  const begun = Date.UTC(2026, 0, 1, 23, 59, 50);
  await service.store.append(
    'service',
    [
      {
        id: '00000000-0000-4000-8000-000000000000',
        type: 'ServiceInitialised',
        data: '{"log_id":"l","secret_fingerprint":"f"}',
        metadata: JSON.stringify({
          at: iso(begun),
          $correlationId: 'c',
          $causationId: 'c',
          request_id: 'r',
          actor: 'test',
          schema: 1,
        }),
      },
    ],
    { expectedRevision: 'no_stream' },
  );
  let runs = 0;
  let start = begun;
  const commands = fc.array(command, { minLength: 200, maxLength: 300, size: 'max' });
  const random = fc.infiniteStream(fc.nat());
  const property = fc.asyncProperty(commands, random, async (given, numbers) => {
    const run = `x${(runs += 1)}`;
    const { journal, everyList, end } = await doAll(service, given, { run, start });
    const pick = (below: number): number => (numbers.next().value as number) % Math.max(1, below);
    for (let question = 0; question < 6; question += 1) {
      const time = (journal[pick(journal.length)]?.at ?? start) - 1 + pick(3);
      const asOf = async (what: 'contacts' | 'lists' | 'growth') =>
        linesOf((await exported(service.store, { what, time: iso(time) })).file);
      const emails = emailsOf(run);
      const contacts = (await asOf('contacts')).filter(({ email }) => emails.includes(String(email)));
      expect(contacts.map(shown).sort(byKey(({ email }) => String(email)))).toEqual(contactsIn(journal, time));
      const some = contacts[pick(contacts.length)];
      if (some !== undefined) {
        const { data } = await service.get(
          `/v1/audit/contacts/${encodeURIComponent(String(some['email']))}/at?time=${iso(time)}`,
        );
        expect(data).toMatchObject({ contact_id: some['contact_id'], created_at: some['created_at'] });
        expect(some['subscriptions']).toEqual(await answered(service, encodeURIComponent(String(some['email'])), time));
      }
      const lists = new Map((await asOf('lists')).map((list) => [list['list_id'], list]));
      const list = everyList[pick(everyList.length)] ?? '';
      const members = await membersOf(service, list, time);
      if (members.state === 'not_created') expect(lists.has(list)).toBe(false);
      else expect(lists.get(list)).toMatchObject(members);
      await checkGrowth(await asOf('growth'), lists);
    }
    start = end + 10;
  });
  await fc.assert(property, { numRuns: usually(1, 6), endOnFailure: true });
});

/** Of every list the last day's total is the number of the subscribed. */
async function checkGrowth(
  growth: readonly Record<string, unknown>[],
  lists: ReadonlyMap<unknown, Record<string, unknown>>,
): Promise<void> {
  const totals = new Map(growth.map(({ list_id, total }) => [list_id, total]));
  const subscribed = new Map([...lists].map(([id, list]) => [id, list['subscribed']]));
  expect(totals).toEqual(subscribed);
}
