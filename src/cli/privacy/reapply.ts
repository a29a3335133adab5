/** `audience privacy reapply`: brings back what the register has and the log lacks, while no service runs. */
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { EventReader } from '../../eventstore/event-store.js';
import { readLogId } from '../../eventstore/log-id.js';
import { CommandFailedError } from '../../failures.js';
import { applyRegister, type MissingLines } from '../../recovery/apply-register.js';
import { joinedLines, placesOf, readRegister } from '../../recovery/register-file.js';
import type { RegisterLine } from '../../recovery/register-line.js';
import type { CommandLine, CommandPlace } from '../shared/command-line.js';
import { counted } from '../shared/numbers.js';
import { withExamples } from '../shared/options.js';
import { whileOpen } from '../shared/while-open.js';
import { missingInWords, shownLine } from './missing-lines.js';

export function registerReapply(privacy: Command, line: CommandLine): void {
  const reapply = privacy
    .command('reapply')
    .description(
      'brings back what the register has and the log lacks, as each start does, for example after a register was put back',
    )
    .option('--erasure <id>', 'applies this erasure, although something has happened to the person since the restore')
    .action((options: unknown) => reapplyRegister(reapplyOptions.parse(options), line));
  withExamples(reapply, [
    'audience privacy reapply',
    'audience privacy reapply --erasure ers_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  ]);
}

const reapplyOptions = z.object({ erasure: z.string().optional() });

async function reapplyRegister({ erasure }: z.output<typeof reapplyOptions>, line: CommandLine): Promise<void> {
  const place = line.place();
  const { applied, reported } = await whileOpen(place.openCommands(), async ({ store, commands }) => {
    const all = await linesOf(place, store);
    const lines = erasure === undefined ? all : erasureIn(all, erasure);
    const erasures = new Set(erasure === undefined ? [] : [erasure]);
    return await applyRegister(store, { lines, commands, erasures, mode: 'late', clock: () => line.clock() });
  });
  if (line.json) {
    await line.stdout.write(
      `${JSON.stringify({ applied: applied.map(shownLine), reported: reported.map(shownLine) })}\n`,
    );
    return;
  }
  for (const words of missingInWords(reported)) line.stderr.write(`${words}\n`);
  await line.stdout.write(`${resultInWords({ applied, reported }, { place, erasure })}\n`);
}

async function linesOf(place: CommandPlace, log: EventReader): Promise<readonly RegisterLine[]> {
  const options = { logId: (await readLogId(log)) ?? '', key: await place.registerKey(log) };
  return joinedLines(placesOf(place).map((file) => readRegister(file, options)));
}

/** @throws CommandFailedError if the register has no such erasure */
function erasureIn(lines: readonly RegisterLine[], id: string): readonly RegisterLine[] {
  const found = lines.filter(({ type, data }) => type === 'ErasureRequested' && data['erasure_id'] === id);
  if (found.length > 0) return found;
  throw new CommandFailedError(`The register has no erasure ${id}: audience privacy status names those it has.`, {
    type: 'no_such_erasure',
  });
}

function resultInWords(
  { applied, reported }: MissingLines,
  { place, erasure }: { readonly place: CommandPlace; readonly erasure: string | undefined },
): string {
  const erasures = applied.filter(({ type }) => type === 'ErasureRequested').length;
  const next = erasures === 0 ? '' : ` The next start of the service carries out ${counted(erasures, 'erasure')}.`;
  if (applied.length > 0) return `Brought back: ${counted(applied.length, 'event')}.${next}`;
  if (erasure !== undefined) return `The log has ${erasure} already, or a later erasure of the person.`;
  const files = placesOf(place);
  return files.some((file) => existsSync(file))
    ? `${reported.length > 0 ? 'Nothing was brought back' : 'The log has all that the register has'}.`
    : `There is no register: ${files.join(', ')}. If the service has SEAL_DIR, set SEAL_DIR here, too.`;
}
