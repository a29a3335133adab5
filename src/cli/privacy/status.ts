/** `audience privacy status`: erasures as the log has them, those that it lacks, and digests that no erasure explains. */
import type { Command } from 'commander';
import path from 'node:path';
import { erasureDecider, type Erasure, type ErasuresState } from '../../commands/erasures.js';
import { codec } from '../../events/codec.js';
import { erasuresStream } from '../../events/streams.js';
import { createFindings, type Finding } from '../../evidence/verify-findings.js';
import { isRedacted } from '../../eventstore/chain.js';
import type { EventReader } from '../../eventstore/event-store.js';
import { missingErasures, readRegister, registerName, type RegisterEntry } from '../../privacy/register.js';
import { readLogId } from '../../projector/start.js';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';
import { createProgressBar } from '../progress-bar.js';
import { writeItems } from '../table.js';
import { count } from './count.js';

export function registerStatus(privacy: Command, line: CommandLine): void {
  const status = privacy
    .command('status')
    .description(
      'erasures, unfinished and completed; exit code 1 where the log lacks one of the register, or holds digests without an erasure',
    )
    .action(() => showStatus(line));
  withExamples(status, ['audience privacy status', 'audience privacy status --json']);
}

async function showStatus(line: CommandLine): Promise<void> {
  const log = await line.openLog();
  try {
    const state = await erasuresIn(log);
    const missing = missingErasures(await registered(log, line), state);
    const digests = await unexplained(log, line);
    const erasures = [...state.all.values()].sort((one, other) => (one.erasure_id < other.erasure_id ? -1 : 1));
    if (missing.length + digests.length > 0) line.exitWith(1);
    if (line.json) await line.stdout.write(`${JSON.stringify({ erasures, missing, digests })}\n`);
    else await writeItems(line, erasures, { titles: ['erasure', 'requested', 'completed', 'reason', 'went'], rowOf });
    if (missing.length > 0)
      line.stderr.write(
        `The log lacks ${count(missing.length, 'erasure')} of the register: audience privacy reapply\n`,
      );
    for (const { position, stream, message } of digests) line.stderr.write(`${position}  ${stream}  ${message}\n`);
  } finally {
    await log.close();
  }
}

const rowOf = ({ erasure_id, requested_at, completed, reason }: Erasure): string[] => [
  erasure_id,
  requested_at,
  completed?.at ?? 'unfinished',
  reason ?? '-',
  completed === null ? '-' : `${count(completed.contacts, 'contact')}, ${count(completed.emails, 'e-mail')}`,
];

async function erasuresIn(log: EventReader): Promise<ErasuresState> {
  let state = erasureDecider.initial;
  for await (const batch of log.readStream(erasuresStream))
    for (const stored of batch) {
      const { event, metadata } = codec.decode(stored);
      if (erasureDecider.knows(event)) state = erasureDecider.evolve(state, event, metadata);
    }
  return state;
}

async function registered(log: EventReader, { dataDir, env }: CommandLine): Promise<readonly RegisterEntry[]> {
  const logId = (await readLogId(log)) ?? '';
  const folders = [dataDir, env['SEAL_DIR'] ?? ''].filter((folder) => folder !== '');
  return folders.flatMap((folder) => readRegister(path.join(folder, registerName), logId));
}

async function unexplained(log: EventReader, { stderr, monotonic, signal }: CommandLine): Promise<readonly Finding[]> {
  const findings = createFindings();
  const bar = createProgressBar(stderr, monotonic);
  let done = 0;
  try {
    for await (const batch of log.readAll({ signal })) {
      for (const event of batch) findings.take(event, isRedacted(event.data));
      bar.report({ phase: 'reading', done: (done += batch.length) });
    }
  } finally {
    bar.clear();
  }
  return findings.all().filter(({ kind }) => kind === 'digest');
}
