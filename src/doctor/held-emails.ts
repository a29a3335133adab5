/** Checks for emails that wait for the operator. */
import { emails, reasonOf, type EmailDocument } from '../projections/emails.js';
import { everyPage } from '../projections/every-page.js';
import { checkpointName, hasStorages } from '../projector/storage.js';
import { green, yellow, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';

/** Returns undefined if there are no views. */
export async function checkHeldEmails(open: OpenPlace): Promise<Diagnosis | undefined> {
  await open.log();
  const views = await open.views();
  if (!hasStorages(await views.checkpoint(checkpointName))) return undefined;
  const reasons = new Map<string, number>();
  for await (const page of everyPage<EmailDocument>(views, emails, { where: { state: 'held' } }))
    for (const { document } of page) {
      const reason = reasonOf(document) ?? 'unknown';
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  if (reasons.size === 0) return green('no e-mail is held');
  const total = [...reasons.values()].reduce((sum, count) => sum + count);
  const told = [...reasons].map(([reason, count]) => `${count} for ${reason}`).join(', ');
  return yellow(
    `e-mails held: ${total} (${told})`,
    'Mend the reason, then run audience email release --reason REASON, or audience email cancel ID.',
  );
}
