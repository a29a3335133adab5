/** `audience projections rebuild`: through the running service where there is one, else in this process. */
import type { Command } from 'commander';
import { createInterface } from 'node:readline/promises';
import { z } from 'zod';
import { liveProjections } from '../../projections/views.js';
import { paintFor } from '../shared/colours.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import {
  modeOf,
  rebuild as rebuildSchema,
  type Rebuild,
  type RebuildProgress,
  type RebuildRequest,
} from '../../rebuild/answers.js';
import { followRebuild, planRebuild, rebuildHere, type RebuildSummary } from '../../rebuild/command-rebuild.js';
import { withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { createProgressBar, type ProgressBar } from '../shared/progress-bar.js';
import { rebuiltAsJson, rebuiltInWords, statusFrom } from './report.js';
import type { ServiceClient } from '../shared/service-client.js';

const optionsSchema = z.object({
  dryRun: z.boolean().default(false),
  acceptDifferences: z.boolean().default(false),
  yes: z.boolean().default(false),
});

export function registerRebuild(projections: Command, line: CommandLine): void {
  const command = projections
    .command('rebuild')
    .description('builds views beside the live ones, compares, and switches')
    .argument('<name...>', 'views, or all')
    .option('--dry-run', 'everything but the switch')
    .option('--accept-differences', 'switches although the new views differ: the live ones were damaged')
    .option('--yes', 'does not ask before it accepts differences')
    .action(
      withExitCode(line, async (names: readonly string[], options: unknown) => {
        const { yes, ...choices } = optionsSchema.parse(options);
        const views = viewsIn(names);
        if (choices.acceptDifferences && !yes) await confirm(views);
        return await rebuild({ views, ...choices }, line);
      }),
    );
  withExamples(command, [
    'audience projections rebuild contacts memberships',
    'audience projections rebuild all --dry-run',
  ]);
}

/** As over HTTP they may also stand in one word, with commas. */
function viewsIn(words: readonly string[]): readonly string[] {
  const names = words.flatMap((word) => word.split(','));
  const known = liveProjections.map(({ name }) => name);
  const unknown = names.filter((name) => name !== 'all' && !known.includes(name));
  if (unknown.length > 0)
    throw new UsageError(`There is no view of that name. There are: ${known.join(', ')}; or all.`);
  return names.includes('all') ? known : [...new Set(names)];
}

/** @throws UsageError without a terminal, or after another answer than yes */
async function confirm(views: readonly string[]): Promise<void> {
  const refusal = 'Differences are accepted with --yes, or with the answer yes on a terminal. Nothing was done.';
  if (!process.stdin.isTTY) throw new UsageError(refusal);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal
    .question(`The new ${views.join(', ')} go live whatever they differ in. Was --dry-run looked at? Go on (yes/no)? `)
    // Ctrl-C and Ctrl-D are no yes.
    .catch(() => '')
    .finally(() => terminal.close());
  if (answer.trim().toLowerCase() !== 'yes') throw new UsageError(refusal);
}

async function rebuild(command: RebuildRequest, line: CommandLine): Promise<ExitCode> {
  const bar = createProgressBar(line.stderr, line.monotonic);
  const service = await line.service();
  const onProgress = (progress: RebuildProgress): void => report(bar, progress);
  const done =
    service === undefined
      ? rebuildHere({ views: command.views, mode: modeOf(command), onProgress }, line.place())
      : throughService(service, command, { line, onProgress });
  const rebuilt = await done.finally(() => bar.clear());
  const { stdout, env } = line;
  await stdout.write(line.json ? rebuiltAsJson(rebuilt) : rebuiltInWords(rebuilt, paintFor(stdout, env)));
  return rebuilt.outcome === 'differs' || rebuilt.outcome === 'poison' || rebuilt.outcome === null ? 1 : 0;
}

interface Display {
  readonly line: CommandLine;
  readonly onProgress: (progress: RebuildProgress) => void;
}

async function throughService(
  service: ServiceClient,
  command: RebuildRequest,
  display: Display,
): Promise<RebuildSummary> {
  const { kind, views } = planRebuild(command, await statusFrom(service));
  const { line, onProgress } = display;
  if (kind === 'preparation') {
    line.stderr.write(
      `The running service is of another version: ${views.join(', ')} are built for the start of this one.\n`,
    );
    return await rebuildHere({ views, mode: 'prepare', onProgress }, line.place());
  }
  const path = `/v1/projections/${views.join(',')}/rebuild`;
  const { status, data, message } = await service.ask({ method: 'POST', path, body: bodyOf(command) });
  if (status !== 200) throw new CommandFailedError(message, { type: 'refused' });
  const { rebuild_id } = rebuildSchema.parse(data);
  return await followRebuild({ rebuild_id, last: () => lastRebuild(service), onProgress, signal: line.signal });
}

const bodyOf = ({ dryRun, acceptDifferences = false }: RebuildRequest): object => ({
  dry_run: dryRun,
  accept_differences: acceptDifferences,
});

async function lastRebuild(service: ServiceClient): Promise<Rebuild> {
  const { status, data, message } = await service.ask({ method: 'GET', path: '/v1/projections/rebuild' });
  if (status === 200) return rebuildSchema.parse(data);
  throw new CommandFailedError(message, { type: status === 503 ? 'no_service' : 'refused' });
}

const phases = {
  filling: 'building',
  catching_up: 'catching up',
  comparing: 'comparing',
  switching: 'switching',
} as const;

function report(bar: ProgressBar, progress: RebuildProgress): void {
  const { stage, share, events, documents_compared } = progress;
  if (stage === 'comparing') bar.report({ phase: 'comparing documents', done: documents_compared });
  // Events read before an interruption are not counted: near enough.
  else bar.report({ phase: phases[stage], done: events, ...(share > 0 ? { total: Math.round(events / share) } : {}) });
}
