/** `audience privacy status`: erasures as the log has them, those that it lacks, and digests that no erasure explains. */
import { readLogId } from '../../eventstore/log-id.js';
import type { Command } from 'commander';
import path from 'node:path';
import { z } from 'zod';
import { erasureDecider, type Erasure, type ErasuresState } from '../../commands/erasures.js';
import { codec } from '../../events/codec.js';
import { erasuresStream } from '../../events/streams.js';
import { createFindings, type Finding } from '../../evidence/verify-findings.js';
import { isRedacted } from '../../eventstore/chain.js';
import type { EventReader } from '../../eventstore/event-store.js';
import { isScavenged, waitsOf, type ErasureWaits } from '../../privacy/person-in-stores.js';
import { missingErasures, readRegister, registerName, type RegisterEntry } from '../../privacy/register.js';
import { UsageError } from '../../failures.js';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';
import { counted, createProgressBar } from '../progress-bar.js';
import { writeItems } from '../table.js';
import { whileOpen } from '../while-open.js';

export function registerStatus(privacy: Command, line: CommandLine): void {
  const status = privacy
    .command('status')
    .description(
      'erasures, unfinished and completed; exit code 1 where the log lacks one of the register, or holds digests without an erasure',
    )
    .option('--scavenge', 'starts a scavenge of EventStoreDB, where its credentials allow it')
    .action((options: unknown) => showStatus(statusOptions.parse(options), line));
  withExamples(status, ['audience privacy status', 'audience privacy status --json']);
}

const statusOptions = z.object({ scavenge: z.boolean().default(false) });

async function showStatus({ scavenge }: z.output<typeof statusOptions>, line: CommandLine): Promise<void> {
  await whileOpen(line.openLog(), async (log) => {
    const started = scavenge ? { scavenges: await startScavenge(log, line) } : {};
    const state = await erasuresIn(log);
    const registers = await registersFor(log, line);
    const registered = registers.flatMap(({ entries }) => entries);
    const missing = missingErasures(registered, state);
    const digests = await unexplained(log, line);
    const sorted = [...state.all.values()].sort((one, other) => (one.erasure_id < other.erasure_id ? -1 : 1));
    const erasures = await withWaits(sorted, log, line);
    if (missing.length + digests.length > 0) line.exitWith(1);
    if (line.json)
      await line.stdout.write(
        `${JSON.stringify({ erasures, registers: registers.map(ageOf), missing, digests, ...started })}\n`,
      );
    else {
      await writeItems(line, erasures, { titles: ['erasure', 'requested', 'completed', 'reason', 'went'], rowOf });
      line.stderr.write(registersInWords(registers, line.clock()));
    }
    if (missing.length > 0)
      line.stderr.write(
        `The log lacks ${counted(missing.length, 'erasure')} of the register: audience privacy reapply\n`,
      );
    for (const { position, stream, message } of digests) line.stderr.write(`${position}  ${stream}  ${message}\n`);
  });
}

async function startScavenge(log: EventReader, { stderr }: CommandLine): Promise<readonly string[]> {
  if (!isScavenged(log))
    throw new UsageError('--scavenge is for EventStoreDB: the embedded log has nothing to scavenge');
  const ids = await log.scavenge();
  stderr.write(`Started: ${ids.join(', ')}\n`);
  return ids;
}

type Shown = Erasure & ErasureWaits;

/** The views are opened only where something may wait. */
async function withWaits(erasures: readonly Erasure[], log: EventReader, line: CommandLine): Promise<readonly Shown[]> {
  const mayWait = isScavenged(log) || erasures.some(({ completed }) => completed === null);
  if (!mayWait) return erasures.map((one) => ({ ...one, waits_for_scavenge: false, waits_for_emails: [] }));
  return await whileOpen(line.openViews(), async (views) => {
    const shown: Shown[] = [];
    for (const one of erasures) shown.push({ ...one, ...(await waitsOf(one, { log, views })) });
    return shown;
  });
}

const unfinished = ({ waits_for_emails }: Shown): string =>
  ['unfinished', ...waits_for_emails.map(({ email_id }) => `waits for ${email_id}, which is being sent`)].join(', ');

const rowOf = (shown: Shown): string[] => {
  const { erasure_id, requested_at, completed, reason, waits_for_scavenge } = shown;
  return [
    erasure_id,
    requested_at,
    completed === null ? unfinished(shown) : `${completed.at}${waits_for_scavenge ? ', waits for a scavenge' : ''}`,
    reason ?? '-',
    completed === null ? '-' : `${counted(completed.contacts, 'contact')}, ${counted(completed.emails, 'e-mail')}`,
  ];
};

async function erasuresIn(log: EventReader): Promise<ErasuresState> {
  let state = erasureDecider.initial;
  for await (const batch of log.readStream(erasuresStream))
    for (const stored of batch) {
      const { event, metadata } = codec.decode(stored);
      if (erasureDecider.knows(event)) state = erasureDecider.evolve(state, event, metadata);
    }
  return state;
}

/** Where registers may be. */
export const registersOf = ({ dataDir, env }: CommandLine): readonly string[] =>
  [dataDir, env['SEAL_DIR'] ?? ''].filter((folder) => folder !== '').map((folder) => path.join(folder, registerName));

interface Register {
  readonly file: string;
  readonly entries: readonly RegisterEntry[];
}

async function registersFor(log: EventReader, line: CommandLine): Promise<readonly Register[]> {
  const logId = (await readLogId(log)) ?? '';
  return registersOf(line).map((file) => ({ file, entries: readRegister(file, logId) }));
}

/** Whether there was an erasure after the newest one it cannot tell. */
const ageOf = ({ file, entries }: Register) => {
  const newest =
    entries
      .map(({ requested_at }) => requested_at)
      .sort()
      .at(-1) ?? null;
  return { file, erasures: entries.length, newest };
};

const dayMs = 86_400_000;

function registersInWords(registers: readonly Register[], now: number): string {
  const lines = registers.map(ageOf).map(({ file, erasures, newest }) => {
    const days = Math.floor((now - Date.parse(newest ?? '')) / dayMs);
    const age = newest === null ? '' : `, the newest of ${newest}, ${counted(days, 'day')} ago`;
    return `Register ${file}: ${counted(erasures, 'erasure')}${age}.\n`;
  });
  if (registers.length < 2)
    lines.push('No second place for the register (SEAL_DIR): a copy of this folder knows of no later erasure.\n');
  return lines.join('');
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
