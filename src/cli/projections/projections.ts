/** `audience projections`: how far the views are, and rebuilding them. */
import type { Command } from 'commander';
import { storedViewStates, type StoredViewState } from '../../rebuild/rebuild-record.js';
import type { CommandLine } from '../shared/command-line.js';
import { withExamples } from '../shared/options.js';
import { registerRebuild } from './rebuild.js';
import { statusFrom } from './report.js';
import { writeItems } from '../shared/table.js';
import { whileOpen } from '../shared/while-open.js';

export function registerProjections(program: Command, line: CommandLine): void {
  const projections = program.command('projections').description('views: how far they are, and rebuilding them');
  const status = projections
    .command('status')
    .description('each view: version, storage, position, lag, parked streams')
    .action(() => show(line));
  withExamples(status, ['audience projections status', 'audience projections status --json']);
  registerRebuild(projections, line);
  withExamples(projections, [
    'audience projections status',
    'audience projections rebuild all --dry-run',
    'audience projections rebuild contacts memberships',
  ]);
}

async function show(line: CommandLine): Promise<void> {
  const service = await line.service();
  const views =
    service === undefined ? await whileOpen(line.place().openViews(), storedViewStates) : await statusFrom(service);
  if (service === undefined) line.stderr.write('No service runs on this data folder: the views as they were left.\n');
  const titles = ['view', 'version', 'storage', 'position', 'lag', 'parked', 'state'];
  await writeItems(line, views, { titles, rowOf });
}

function rowOf({
  name,
  version,
  state,
  storage_version,
  position,
  lag_ms,
  parked,
  rebuild_id,
}: StoredViewState): string[] {
  return [
    name,
    String(version),
    storage_version === null ? '-' : String(storage_version),
    position === '' ? '-' : position.replace(/^0+(?=\d)/, ''),
    lag_ms === null ? '-' : `${lag_ms} ms`,
    String(parked.length),
    rebuild_id === null ? state : 'being rebuilt',
  ];
}
