/** `audience projections`: how far the views are, and rebuilding them. */
import type { Command } from 'commander';
import { readParked } from '../../projector/parked.js';
import { isOpen, readRecord } from '../../rebuild/rebuild-record.js';
import { checkpointName, isOf } from '../../projector/storage.js';
import { liveProjections } from '../../projections/views.js';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';
import { registerRebuild } from './rebuild.js';
import { statusFrom, type ViewStatus } from './report.js';
import { writeItems } from '../table.js';
import { whileOpen } from '../while-open.js';

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
  const views = service === undefined ? await fromStore(line) : await statusFrom(service);
  if (service === undefined) line.stderr.write('No service runs on this data folder: the views as they were left.\n');
  const titles = ['view', 'version', 'storage', 'position', 'lag', 'parked', 'state'];
  await writeItems(line, views, { titles, rowOf });
}

const fromStore = (line: CommandLine): Promise<readonly ViewStatus[]> =>
  whileOpen(line.openViews(), async (reader) => {
    const checkpoint = await reader.checkpoint(checkpointName);
    const parked = checkpoint === null ? [] : [...(await readParked(reader)).values()];
    // A store that no version with rebuilds has opened has no table of them.
    const record = await readRecord(reader).catch(() => undefined);
    const open = record !== undefined && isOpen(record) ? record : undefined;
    return liveProjections.map((view): ViewStatus => {
      const storage = checkpoint?.storages[view.name];
      const isLive = isOf(view, storage);
      return {
        name: view.name,
        version: view.version,
        state: isLive ? 'live' : 'missing',
        storage_version: isLive ? (storage ?? null) : null,
        position: checkpoint?.position ?? '',
        lag_ms: null,
        parked: parked.filter((stream) => stream.view === view.name).map(({ storage: _, ...stream }) => stream),
        rebuild_id: open?.views.includes(view.name) === true ? open.rebuild_id : null,
      };
    });
  });

function rowOf({ name, version, state, storage_version, position, lag_ms, parked, rebuild_id }: ViewStatus): string[] {
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
