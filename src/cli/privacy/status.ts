/** `audience privacy status`: erasures, the register, what the register has and the log lacks, and digests that no erasure explains. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { EventReader } from '../../eventstore/event-store.js';
import { UsageError } from '../../failures.js';
import { erasureStatus, type ErasureStatus, type RegisterStatus } from '../../privacy/erasure-status.js';
import type { PlaceStatus } from '../../recovery/examine-register.js';
import { isScavenged } from '../../privacy/person-in-stores.js';
import { whileOpen } from '../shared/while-open.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { counted, formatCount } from '../shared/numbers.js';
import { createProgressBar } from '../shared/progress-bar.js';
import { writeItems } from '../shared/table.js';
import { lineInWords, missingInWords, shownLine } from './missing-lines.js';
import { printable } from '../../events/printable.js';

export function registerStatus(privacy: Command, line: CommandLine): void {
  const status = privacy
    .command('status')
    .description(
      'erasures and the register; exit code 1 if the log lacks something of the register, or has digests that no erasure explains',
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
    const { erasures, register, digests } = found;
    const { applied, reported } = found.missing;
    if (line.json) {
      const missing = { applied: applied.map(shownLine), reported: reported.map(shownLine) };
      await line.stdout.write(`${JSON.stringify({ erasures, register, missing, digests, ...started })}\n`);
    } else await writeItems(line, erasures, { titles: ['erasure', 'requested', 'completed', 'reason', 'went'], rowOf });
    for (const words of registerInWords(register)) line.stderr.write(`${words}\n`);
    writeSome(
      applied.map((one) => `not in the log: ${lineInWords(one)}`),
      line,
    );
    writeSome(missingInWords(reported), line);
    if (applied.length > 0)
      line.stderr.write(
        `The log lacks ${counted(applied.length, 'event')} of the register, which the next start brings back, or audience privacy reapply.\n`,
      );
    for (const { position, stream, message } of digests) line.stderr.write(`${position}  ${stream}  ${message}\n`);
    return applied.length + reported.length + digests.length > 0 ? 1 : 0;
  });
}

async function statusOf(log: EventReader, line: CommandLine) {
  const bar = createProgressBar(line.stderr, line.monotonic);
  const { signal } = line;
  const place = line.place();
  return await erasureStatus(log, {
    places: place,
    registerKey: await place.registerKey(log),
    clock: () => line.clock(),
    openViews: place.openViews,
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

/** Lines of one kind that are written as text. */
const mostNamed = 20;

function writeSome(all: readonly string[], { stderr }: CommandLine): void {
  for (const words of all.slice(0, mostNamed)) stderr.write(`${words}\n`);
  if (all.length > mostNamed) stderr.write(`and ${formatCount(all.length - mostNamed)} more: use --json to see all\n`);
}

function registerInWords({ places, is_checked, without_line }: RegisterStatus): readonly string[] {
  return [
    ...places.map(placeInWords),
    ...(is_checked
      ? []
      : ['The lines of the register were not checked, because the secret of the log is not at hand.']),
    ...(without_line === 0
      ? []
      : [`The register is being built by the service: ${counted(without_line, 'event')} of the log to go.`]),
    ...(places.length > 1
      ? []
      : ['There is no second place for the register (SEAL_DIR): with the data folder, the newest register is lost.']),
  ];
}

function placeInWords({ file, lines, invalid, lacks, away }: PlaceStatus): string {
  const name = `Register ${printable(file)}`;
  if (away !== null) return `${name} cannot be read: ${printable(away)}.`;
  const faults = [
    ...(lacks === 0 ? [] : [`${counted(lacks, 'line')} of the other place missing`]),
    ...(invalid.length === 0 ? [] : [`without effect, because damaged or with a wrong MAC: ${numbersOf(invalid)}`]),
  ];
  return `${name}: ${[counted(lines, 'line'), ...faults].join('; ')}.`;
}

function numbersOf(invalid: readonly number[]): string {
  const named = invalid.slice(0, mostNamed).join(', ');
  const more = invalid.length > mostNamed ? ` and ${formatCount(invalid.length - mostNamed)} more` : '';
  return `${invalid.length === 1 ? 'line' : 'lines'} ${named}${more}`;
}
