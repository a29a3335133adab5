/** The report on a person, made of a log that is the sealed one: of another one, or of an altered one, none is made. */
import path from 'node:path';
import type { Report } from './report-answer.js';
import { createReport, type ReportRequest, type ReportSources } from './report.js';
import type { EventReader } from '../eventstore/event-store.js';
import { AlteredEventError, type LinkSource } from '../eventstore/link-source.js';
import { readLogId } from '../eventstore/log-id.js';
import type { TreeSource } from '../eventstore/tree.js';
import { CommandFailedError } from '../failures.js';
import { comparedSeals, compareSeals, type SealedLogReader } from '../evidence/holding-seal.js';
import { openLinks, type LogPlace } from '../evidence/open-links.js';
import { AlteredBlockError } from '../evidence/prove.js';
import { newestSeals, sealsName } from '../evidence/seal-folder.js';
import type { Seal } from '../evidence/seal.js';
import { openHeadCheck } from '../evidence/verify-head.js';

interface SealedReportOptions {
  readonly log: EventReader & SealedLogReader;
  readonly place: LogPlace & { readonly dataDir: string };
  readonly audit: ReportSources['audit'];
  /** One that was kept elsewhere. Undefined: those of the data folder say what they can. */
  readonly given: Seal | undefined;
}

/** @throws CommandFailedError `seal`: why no page was made; and as `createReport` */
export async function sealedReport(request: ReportRequest, options: SealedReportOptions): Promise<Report> {
  const { log, place, audit, given } = options;
  const links = await openLinks(log, place);
  try {
    const { source } = links;
    const { tree } = source;
    const own = newestSeals(path.join(place.dataDir, sealsName), comparedSeals);
    const known = tree === undefined ? { seal: undefined } : await compareSeals(own, log, tree);
    const compared = given && (await comparedWith(given, log, tree));
    const sources = { audit, tree, ...known, ...compared };
    if (sources.seal !== undefined) await demandOwnEnd(source, options);
    return await createReport(sources, request);
  } catch (error) {
    if (error instanceof AlteredEventError || error instanceof AlteredBlockError) return refuse(error.message);
    throw error;
  } finally {
    await links.close();
  }
}

/** A page that names a seal is not made of events that another program has appended either. On a server this cannot be found out. */
async function demandOwnEnd(source: LinkSource, { log, place }: SealedReportOptions): Promise<void> {
  const { sealed, end, difference } = await openHeadCheck(source, { key: await place.headKey(log) });
  if (end === undefined) return;
  const { count } = end;
  const linkThere = sealed && log.headAt?.(sealed.count)?.head;
  const found = difference({ logId: (await readLogId(log)) ?? '', count, kept: count, linkThere });
  if (found !== undefined) refuse(found.message);
}

/** @throws CommandFailedError the log is not the one that was sealed, or that cannot be told */
async function comparedWith(
  seal: Seal,
  log: SealedReportOptions['log'],
  tree: TreeSource | undefined,
): Promise<Partial<ReportSources>> {
  if (tree === undefined)
    return refuse('there are no views that keep the evidence of this log, to compare with the seal');
  const { failing, ...found } = await compareSeals([seal], log, tree);
  return failing === undefined
    ? found
    : refuse(`the log is not the one that was sealed: ${failing.reason}. audience audit verify --seal tells more`);
}

function refuse(reason: string): never {
  throw new CommandFailedError(`No page was made: ${reason}.`, { type: 'seal' });
}
