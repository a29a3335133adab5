/** Thousands of random commands over HTTP under a clock that the test sets: at random times the auditor knows what a plain list of what was done knows. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContactDocument } from '../../src/projections/contacts.js';
import { usually } from '../support/amount.js';
import { command, doAll } from '../support/audit-commands.js';
import { checkContact, checkList, questionOn, type AnsweredContact } from '../support/audit-oracle.js';
import { startAuditedService, type AuditedService } from '../support/audited-service.js';
import { exampleEvents, toAppend } from '../support/examples.js';
import { freshFold } from '../support/fresh-fold.js';
import { overHttp } from '../support/auditors.js';

const pathOf = (email: string): string => `/v1/audit/contacts/${encodeURIComponent(email)}`;

/** The views tell what made each status so in the auditor's words; what they hold of deleted lists is shown to nobody. */
async function checkViews(service: AuditedService): Promise<number> {
  const views = await freshFold(service.store);
  const living = new Set(views['lists']?.map(({ document }) => document['list_id']));
  for (const { document } of views['contacts'] ?? []) {
    const { email, subscriptions } = document as ContactDocument;
    const { data } = await service.get(`${pathOf(String(email))}/at?time=9999-12-31`);
    const told = (data as AnsweredContact).subscriptions.map(({ list_id, status, because }) => ({
      list_id,
      status,
      because,
    }));
    const held = Object.entries(subscriptions).map(([list_id, { status, because }]) => ({
      list_id,
      status,
      because: expect.objectContaining({ ...because, type: `Contact${status}` }) as unknown,
    }));
    expect(told).toEqual(held.filter(({ list_id }) => living.has(list_id)).sort(byId));
  }
  return views['contacts']?.length ?? 0;
}
const byId = (a: { list_id: string }, b: { list_id: string }): number => (a.list_id < b.list_id ? -1 : 1);

test('at random times the auditor knows what the list of what was done knows', { timeout: 300_000 }, async () => {
  const service = await startAuditedService();
  await service.store.append('service', [toAppend(exampleEvents.serviceInitialised)], {
    expectedRevision: 'no_stream',
  });
  const auditor = overHttp(service);
  let runs = 0;
  let done = 0;
  // Time never runs backwards in the streams that all runs share.
  let start = Date.UTC(2026, 0, 1);
  const commands = fc.array(command, { minLength: 300, maxLength: 500, size: 'max' });
  const random = fc.infiniteStream(fc.nat());
  const property = fc.asyncProperty(commands, random, async (given, numbers) => {
    const run = `r${(runs += 1)}`;
    const { journal, everyList, end } = await doAll(service, given, { run, start });
    const pick = (below: number): number => (numbers.next().value as number) % Math.max(1, below);
    for (let question = 0; question < 40; question += 1) {
      const asking = { auditor, ...questionOn({ run, journal, everyList, start }, pick) };
      await checkContact(asking);
      await checkList(asking);
    }
    done += given.length;
    start = end + 10;
  });
  await fc.assert(property, { numRuns: usually(1, 8), endOnFailure: true });
  expect(done).toBeGreaterThan(usually(250, 2_000));
  expect(await checkViews(service)).toBeGreaterThan(usually(1, 20));
});
