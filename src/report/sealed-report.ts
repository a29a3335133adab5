/** The report that the command line makes. It refuses to make one of a log that is not the sealed one. */
import type { EventReader } from '../eventstore/event-store.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import { CommandFailedError } from '../failures.js';
import type { KnownSeal } from '../integrity/seal.js';
import { createTreeCheck, ProofError } from '../integrity/proofs.js';
import type { ComparedSeal } from '../integrity/compare-seals.js';
import type { Report } from './report-answer.js';
import { createReport, type ReportRequest, type ReportSources } from './report.js';

interface SealedReportOptions {
  readonly log: EventReader;
  /** Undefined if no tree of the log is kept. */
  readonly tree: TreeSource | undefined;
  readonly audit: ReportSources['audit'];
  /** The seals of the service, the newest first. */
  readonly kept: readonly ComparedSeal[];
  /** A seal that was kept elsewhere. */
  readonly given: ComparedSeal | undefined;
}

/** @throws CommandFailedError `seal` if the log is not the sealed one; and as `createReport` */
export async function sealedReport(request: ReportRequest, options: SealedReportOptions): Promise<Report> {
  const { log, tree, audit, kept, given } = options;
  if (given?.state === 'not_checked') return refuse(`the seal cannot be compared: ${given.reason}`);
  if (given !== undefined && given.state !== 'holds')
    return refuse(`the log is not the one that was sealed: ${given.reason}. audience audit verify --seal says more`);
  const all = given === undefined ? kept : [given, ...kept];
  const holding = all.filter(({ state }) => state === 'holds').map(({ seal }) => seal);
  const failing = kept.find(({ state }) => state === 'fails');
  const demandInTree = createTreeCheck({ log, source: tree, holding: holding[0] });
  const seals = { holding, failing: failing && failingSeal(failing), demandInTree };
  try {
    return await createReport({ audit, tree, seals }, request);
  } catch (error) {
    if (error instanceof AlteredLogError || error instanceof ProofError) return refuse(error.message);
    throw error;
  }
}

const failingSeal = ({ seal, reason }: ComparedSeal): Pick<KnownSeal, 'count' | 'sealed_at'> & { reason: string } => ({
  count: seal.count,
  sealed_at: seal.sealed_at,
  reason: reason ?? '',
});

function refuse(reason: string): never {
  throw new CommandFailedError(`No page was made: ${reason}.`, { type: 'seal' });
}
