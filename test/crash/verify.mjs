/** Everything that is checked after a restart. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkEmails, countEmails } from './check-emails.mjs';
import { checkReads } from './check-reads.mjs';
import { checkViews, readViews } from './check-views.mjs';
import { checkWrites } from './check-writes.mjs';
import { readEverything } from './final-reads.mjs';
import { replay } from './history.mjs';
import { checkTheChecks } from './self-check.mjs';

/** How long the mailer gets for what it can do at once. */
const settleLimitMs = 30_000;

export async function verify(stage) {
  const { log, journal, random, key } = stage;
  const problems = log.read();
  const head = log.events.at(-1).position;
  await readEverything({ url: stage.url(), key, journal, random, head });
  const settled = stage.options.email && (await mailSettled(stage, settleLimitMs));
  problems.push(...log.read());
  const { history, problems: misfits } = replay(log.events, { journal, keys: stage.keys() });
  problems.push(...misfits, ...checkWrites(journal, history), ...checkReads(journal, history));
  problems.push(
    ...checkEmails({ events: log.events, history, accepted: stage.accepted, settled: stage.options.email }),
  );
  if (stage.options.email && !settled) problems.push(`the e-mails were not done within ${settleLimitMs} ms`);
  const views = await checkViews(stage);
  problems.push(...views.problems);
  stage.assertAlive();
  return {
    problems,
    events: log.events.length,
    documents: views.documents,
    emails: countEmails(history, stage.accepted),
  };
}

/** Whether the checks see what they are there for. */
export function verifyTheChecks({ log, journal, keys, accepted, dataDir }) {
  const views = readViews(path.join(dataDir, 'views.db'));
  return checkTheChecks({ events: log.events, journal, keys: keys(), accepted, views });
}

/** Waits until no e-mail is under way or due; `untilSent`: until none is left to be sent again later either. */
export async function mailSettled({ log }, limitMs, untilSent = false) {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const now = new Date().toISOString();
    const isOpen = ({ type, next }) => {
      if (['EmailSent', 'EmailFailed'].includes(type)) return false;
      if (next !== null) return untilSent || next <= now;
      // A doubt without a next attempt is held.
      return ['EmailRequested', 'EmailDispatchStarted'].includes(type);
    };
    const open = log.lastOfEmails().filter(isOpen);
    if (open.length === 0) return true;
    if (Date.now() > deadline) return false;
    await sleep(100);
  }
}
