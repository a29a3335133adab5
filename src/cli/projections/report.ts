/** The result of a rebuild, in words or as JSON. */
import { viewState, type Rebuild } from '../../rebuild/answers.js';
import type { StoredViewState } from '../../rebuild/rebuild-record.js';
import type { Paint } from '../shared/colours.js';
import { formatCount } from '../shared/numbers.js';
import { printable } from '../../events/printable.js';
import { table } from '../shared/table.js';
import type { ServiceClient } from '../shared/service-client.js';
import { itemsFrom } from '../shared/through-service.js';

export const rebuiltAsJson = (rebuilt: Rebuild): string => `${JSON.stringify(rebuilt)}\n`;

export function rebuiltInWords({ outcome, results, poison, fault }: Rebuild, paint: Paint): string {
  const words = {
    switched: paint.good('Rebuilt: the new views are live.'),
    checked: paint.good('Equal: the live views are what the log says. Nothing was switched.'),
    differs: paint.bad(
      'Different: the live views are not what the log says. Nothing was switched. If they were damaged: --accept-differences.',
    ),
    poison: paint.bad('Stopped: an event cannot be folded. The live views are untouched.'),
  };
  const head = outcome === null ? paint.bad(`Given up: ${fault ?? 'no reason known'}`) : words[outcome];
  return [`${head}\n`, ...resultLines(results, paint), ...poisonLines(poison)].join('');
}

function resultLines(results: Rebuild['results'], paint: Paint): readonly string[] {
  if (results.length === 0) return [];
  const rows = results.map(({ name, storage_version, documents, live_documents, differing, is_changed, hash }) => [
    name,
    String(storage_version),
    documents === null ? '-' : formatCount(documents),
    live_documents === null ? '-' : formatCount(live_documents),
    differing === null ? '-' : `${formatCount(differing)}${is_changed ? ' (expected)' : ''}`,
    hash ?? '-',
  ]);
  const titles = ['view', 'storage', 'documents', 'before', 'differ', 'sha-256'];
  const different = results.filter(({ differences }) => differences.length > 0);
  return [
    table(rows, { titles, width: undefined, emphasise: paint.bold }),
    ...different.map(({ name, differences }) => `${name}: ${differences.map(printable).join(', ')}\n`),
  ];
}

function poisonLines(poison: Rebuild['poison']): readonly string[] {
  if (poison === null) return [];
  const { view, stream, position, event_id, event_type, reason, data, metadata } = poison;
  return [
    `  view      ${view}\n  event     ${event_type} ${event_id}\n  position  ${position}\n  stream    ${stream}\n`,
    `  reason    ${printable(reason)}\n`,
    ...(data === null ? [] : [`  data      ${printable(data)}\n`]),
    ...(metadata === null ? [] : [`  metadata  ${printable(metadata)}\n`]),
  ];
}

/** @throws CommandFailedError */
export const statusFrom = (service: ServiceClient): Promise<readonly StoredViewState[]> =>
  itemsFrom(service, '/v1/projections', { item: viewState });
