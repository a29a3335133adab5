/** Whether the log is what was written, as far as that can be told in a second or two, and how far it was verified before. */
import type { EventReader } from '../eventstore/event-store.js';
import type { SqliteEventReader } from '../eventstore/sqlite/reader.js';
import { readLogId } from '../eventstore/log-id.js';
import { keptChain, keptFault } from '../evidence/link-blocks.js';
import { readVerifiedHead } from '../evidence/verified-head.js';
import { openHeadCheck } from '../evidence/verify-head.js';
import { longestTail, verifyTail } from '../evidence/verify-on.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';

const altered = 'Keep the file as it is, run audience audit verify, and put the log back from the last good backup.';
const whole = 'Run audience audit verify, which reads the whole log.';

export async function checkVerification(open: OpenPlace): Promise<Diagnosis> {
  const log = await open.log();
  return isEmbedded(log) ? await embedded(log, open) : await beside(log, open);
}

const isEmbedded = (log: EventReader): log is SqliteEventReader => 'fileHead' in log && 'headAt' in log;

async function embedded(log: SqliteEventReader, { place, views }: OpenPlace): Promise<Diagnosis> {
  const key = await place.headKey(log);
  const logId = (await readLogId(log)) ?? '';
  const check = await openHeadCheck(log, { key });
  const { sealed, end: until = log.chainHead() } = check;
  if (until.count === 0) return green('the log is empty');
  const verified = await readVerifiedHead(await views(), logId);
  const linkThere = sealed && log.headAt(sealed.count)?.head;
  const difference =
    check.difference({ logId, count: until.count, kept: until.count, linkThere }) ??
    (await verifyTail({ source: log, until, verified })) ??
    (await verifyTail({ source: log, until, verified: undefined }));
  if (difference !== undefined) return red(difference.message, altered);
  return intact({ count: until.count, verified: verified?.count, isSealChecked: key !== undefined });
}

interface Intact {
  readonly count: number;
  /** By the service. */
  readonly verified: number | undefined;
  readonly isSealChecked: boolean;
}

function intact({ count, verified, isSealChecked }: Intact): Diagnosis {
  if (!isSealChecked)
    return yellow('the links fit, but the seal of the last one was not checked: it needs the secret', whole);
  if (count <= longestTail) return green(`all ${count} events are as they were written`);
  const last = `the last ${longestTail} of ${count} events are as they were written`;
  return verified === undefined
    ? yellow(`${last}; of the others no verification is on record`, whole)
    : green(`${last}, and the service has verified the first ${verified}`);
}

/** Of a log that others keep, the links are beside the views. */
async function beside(log: EventReader, { place, views }: OpenPlace): Promise<Diagnosis> {
  const kept = await keptChain(await views());
  if (kept.checkpoint === null)
    return yellow(
      'no links of this log are kept beside the views yet',
      'Start the service, which computes them as it folds the views.',
    );
  const key = await place.headKey(log);
  const fault = key && keptFault(kept, key);
  if (fault !== undefined)
    return red(
      `the links beside the views were altered: ${fault}`,
      'Put the views back from a backup, and run audience audit verify.',
    );
  const said = `the links of ${kept.head.count} events are kept beside the views`;
  return key === undefined
    ? yellow(`${said}, and their seal was not checked: it needs the secret`, whole)
    : green(`${said}, and end as they were sealed`);
}
