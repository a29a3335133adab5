/** `audience projections rebuild`: asks the running service for a rebuild, and follows it to its end. */
import type { Command } from 'commander';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { commandRetry, withRetry } from '../../eventstore/with-retry.js';
import { liveProjections } from '../../projections/views.js';
import { paintFor } from '../shared/colours.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import {
  rebuild as rebuildSchema,
  type Rebuild,
  type RebuildProgress,
  type RebuildRequest,
} from '../../rebuild/answers.js';
import { isOpen } from '../../rebuild/rebuild-record.js';
import { withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { createProgressBar, type ProgressBar } from '../shared/progress-bar.js';
import { rebuiltAsJson, rebuiltInWords } from './report.js';
import type { ServiceClient } from '../shared/service-client.js';
import { demandService } from '../shared/through-service.js';

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

const why = ', and none is named with --url or AUDIENCE_URL. Start the service: only the service rebuilds views.';

async function rebuild(request: RebuildRequest, line: CommandLine): Promise<ExitCode> {
  const service = await demandService(line, why);
  const { rebuild_id } = await startRebuild(service, request);
  const bar = createProgressBar(line.stderr, line.monotonic);
  const rebuilt = await followRebuild({
    rebuild_id,
    last: () => lastRebuild(service),
    onProgress: (progress) => report(bar, progress),
    signal: line.signal,
  }).finally(() => bar.clear());
  const { stdout, env } = line;
  await stdout.write(line.json ? rebuiltAsJson(rebuilt) : rebuiltInWords(rebuilt, paintFor(stdout, env)));
  return rebuilt.outcome === 'switched' || rebuilt.outcome === 'checked' ? 0 : 1;
}

async function startRebuild(service: ServiceClient, request: RebuildRequest): Promise<Rebuild> {
  const { views, dryRun: dry_run, acceptDifferences: accept_differences } = request;
  const path = `/v1/projections/${views.join(',')}/rebuild`;
  const { status, data, message } = await service.ask({
    method: 'POST',
    path,
    body: { dry_run, accept_differences },
  });
  if (status !== 200) throw new CommandFailedError(message, { type: 'refused' });
  return rebuildSchema.parse(data);
}

async function lastRebuild(service: ServiceClient): Promise<Rebuild> {
  const { status, data, message } = await service.ask({ method: 'GET', path: '/v1/projections/rebuild' });
  if (status === 200) return rebuildSchema.parse(data);
  throw new CommandFailedError(message, { type: status === 503 ? 'no_service' : 'refused' });
}

interface FollowedRebuild {
  readonly rebuild_id: string;
  /** Asks for the last rebuild of the service. */
  readonly last: () => Promise<Rebuild>;
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly signal: AbortSignal;
}

const pollMs = 250;

/** Resolves when the rebuild has ended, also after a restart of the service. @throws CommandFailedError if another rebuild has begun */
export async function followRebuild({ rebuild_id, last, onProgress, signal }: FollowedRebuild): Promise<Rebuild> {
  for (;;) {
    const record = await withRetry(last, { retry: commandRetry, signal });
    if (record.rebuild_id !== rebuild_id) throw new CommandFailedError('Another rebuild has begun since.');
    if (!isOpen(record)) return record;
    if (record.progress !== null) onProgress(record.progress);
    await sleep(pollMs, undefined, { signal });
  }
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
