/** The seal that the export of a person names. */
import { expect, test } from 'vitest';
import { exportPerson, personExportAsJson } from '../../src/privacy/export.js';
import { createSeal, type Seal } from '../../src/integrity/seal.js';
import { auditedLog, contactStream } from '../support/auditing.js';
import { exampleEvents as e } from '../support/examples.js';
import { testKey } from '../support/proofs.js';

test('an export names a seal only if it covers the history and the emails that come after the head of the document', async () => {
  let seal: Seal | undefined;
  const log = await auditedLog(() => seal);
  await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
  await log.append(`email-${'1'.repeat(32)}`, e.emailRequested);
  // An event of nobody.
  await log.at(3, e.otherListCreated);
  const request = { email: 'ada@example.com', stream: contactStream, askedBy: 'test' };
  const sealOfExport = async (count: number) => {
    const state = { log_id: 'log', seq: 1, restores: 0, count, root: 'ab'.repeat(32), final: false };
    seal = createSeal(state, testKey(7), 0);
    let text = '';
    for await (const piece of personExportAsJson(await exportPerson(log.audit, request))) text += piece;
    const made = JSON.parse(text) as { emails: readonly unknown[]; seal: { count: number } | null };
    return [made.emails.length, made.seal?.count ?? null];
  };
  expect(await sealOfExport(3)).toEqual([1, null]);
  expect(await sealOfExport(4)).toEqual([1, 4]);
});
