/** `audience privacy status`: erasures as the log has them, what it lacks of the register, and digests that no erasure explains. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { EventReader } from '../../eventstore/event-store.js';
import { UsageError } from '../../failures.js';
import { erasureStatus, type ErasureStatus, type RegisterStatus } from '../../privacy/erasure-status.js';
import { isScavenged } from '../../privacy/person-in-stores.js';
import { whileOpen } from '../shared/while-open.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { counted, formatCount } from '../shared/numbers.js';
import { createProgressBar } from '../shared/progress-bar.js';
import { writeItems } from '../shared/table.js';
import { printable } from '../../events/printable.js';

export function registerStatus(privacy: Command, line: CommandLine): void {
  const status = privacy
    .command('status')
    .description(
      'erasures, unfinished and completed; exit code 1 where the log lacks something of the register, or holds digests without an erasure',
    )
    .option('--scavenge', 'starts a scavenge of EventStoreDB, where its credentials allow it')
    .action(withExitCode(line, (options: unknown) => showStatus(statusOptions.parse(options), line)));
  withExamples(status, ['audience privacy status', 'audience privacy status --json']);
}

const statusOptions = z.object({ scavenge: z.boolean().default(false) });

async function showStatus({ scavenge }: z.output<typeof statusOptions>, line: CommandLine): Promise<ExitCode> {
  return await whileOpen(line.place().openLog(), async (log) => {
    const started = scavenge ? { scavenges: await startScavenge(log, line) } : {};
    const found = await statusOf(log, line);
    const { erasures, registers, missing, digests } = found;
    if (line.json)
      await line.stdout.write(`${JSON.stringify({ erasures, registers, missing, digests, ...started })}\n`);
    else {
      await writeItems(line, erasures, { titles: ['erasure', 'requested', 'completed', 'reason', 'went'], rowOf });
      line.stderr.write(registersInWords(registers, line.clock()));
    }
    const lacking = missingInWords(missing);
    for (const words of lacking.slice(0, mostNamed)) line.stderr.write(`${words}\n`);
    if (lacking.length > mostNamed)
      line.stderr.write(`and ${formatCount(lacking.length - mostNamed)} more, all of them with --json\n`);
    if (lacking.length > 0)
      line.stderr.write(`The log lacks ${formatCount(lacking.length)} of the register: audience privacy reapply\n`);
    for (const { position, stream, message } of digests) line.stderr.write(`${position}  ${stream}  ${message}\n`);
    return lacking.length + digests.length > 0 ? 1 : 0;
  });
}

async function statusOf(log: EventReader, line: CommandLine) {
  const bar = createProgressBar(line.stderr, line.monotonic);
  const { signal } = line;
  return await erasureStatus(log, {
    places: line.place(),
    openViews: line.place().openViews,
    signal,
    onProgress: (done) => bar.report({ phase: 'reading', done }),
  }).finally(() => bar.clear());
}

async function startScavenge(log: EventReader, { stderr }: CommandLine): Promise<readonly string[]> {
  if (!isScavenged(log))
    throw new UsageError('--scavenge is for EventStoreDB: the embedded log has nothing to scavenge');
  const ids = await log.scavenge();
  stderr.write(`Started: ${ids.join(', ')}\n`);
  return ids;
}

const unfinished = ({ waits_for_emails }: ErasureStatus): string =>
  ['unfinished', ...waits_for_emails.map(({ email_id }) => `waits for ${email_id}, which is being sent`)].join(', ');

const rowOf = (shown: ErasureStatus): string[] => {
  const { erasure_id, requested_at, completed, reason, waits_for_scavenge } = shown;
  return [
    erasure_id,
    requested_at,
    completed === null ? unfinished(shown) : `${completed.at}${waits_for_scavenge ? ', waits for a scavenge' : ''}`,
    reason ?? '-',
    completed === null ? '-' : `${counted(completed.contacts, 'contact')}, ${counted(completed.emails, 'e-mail')}`,
  ];
};

/** On a terminal. */
const mostNamed = 20;

/** Nothing in it is personal: people are named by their pseudonym. */
function missingInWords({ erasures, keys, refusals }: Awaited<ReturnType<typeof statusOf>>['missing']): string[] {
  return [
    ...erasures.map(
      ({ erasure_id, subject_key, requested_at }) => `${erasure_id} of ${subject_key}, of ${requested_at}`,
    ),
    ...keys.map(({ kind, key_id, at }) => `${key_id} ${kind === 'key_revoked' ? 'revoked' : 'rotated'} at ${at}`),
    ...refusals.map(
      ({ kind, subject_key, scope, reason, at }) =>
        `${subject_key} ${kind === 'mail_refused' ? 'refused' : 'released'} ${scope} (${reason}) at ${at}`,
    ),
  ].map((words) => `not in the log: ${words}`);
}

const dayMs = 86_400_000;

function registersInWords(registers: readonly RegisterStatus[], now: number): string {
  const lines = registers.map(({ file, erasures, keys, refusals, newest }) => {
    const days = Math.floor((now - Date.parse(newest ?? '')) / dayMs);
    const age = newest === null ? '' : `, the newest of ${newest}, ${counted(days, 'day')} ago`;
    const rest = `${counted(keys, 'change')} of API keys, ${counted(refusals, 'change')} of refused mail`;
    return `Register ${printable(file)}: ${counted(erasures, 'erasure')}, ${rest}${age}.\n`;
  });
  if (registers.length < 2)
    lines.push('No second place for the register (SEAL_DIR): a copy of this folder knows of no later erasure.\n');
  return lines.join('');
}
