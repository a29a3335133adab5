/** How many e-mails retention would erase, and how many are erased, as the views have them. */
import { emails, type EmailDocument } from '../projections/emails.js';
import { everyPage } from '../projections/every-page.js';
import { createEmailWorklist } from '../projections/email-worklist.js';
import { checkpointName, hasStorages } from '../projector/storage.js';
import type { ReadModelReader } from '../readmodels/read-models.js';

/** False: no service has built them yet. @throws ReadModelsUnavailableError */
export const hasViews = async (views: ReadModelReader): Promise<boolean> =>
  hasStorages(await views.checkpoint(checkpointName));

/** Those that were sent, failed or cancelled before this time. @throws ReadModelsUnavailableError */
export async function countDue(views: ReadModelReader, before: string): Promise<number> {
  let due = 0;
  for await (const page of createEmailWorklist(views).emailsEndedBefore(before)) due += page.length;
  return due;
}

/** By time, or with their person. @throws ReadModelsUnavailableError */
export async function countErased(views: ReadModelReader): Promise<number> {
  let erased = 0;
  for await (const page of everyPage<EmailDocument>(views, emails))
    erased += page.filter(({ document }) => document.erased_at !== null).length;
  return erased;
}
