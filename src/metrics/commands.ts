/** Counts commands, appends, conflicts and events. */
import { Counter, type Registry } from '@prometheus-io/client';
import type { Listener } from '../flow/observe.js';

const reasonOf = (data: object): string => ('reason' in data ? String(data.reason) : 'none');

export function countCommands(registry: Registry): Listener {
  const registers = [registry];
  const countCommand = countBy(registry, 'outcome', {
    name: 'audience_commands_total',
    help: 'Commands by outcome: changed, unchanged (the state was already as wanted), refused.',
  });
  const conflicts = new Counter({
    name: 'audience_version_conflicts_total',
    help: 'Appends that met a stream which another process had changed, and were decided again.',
    registers,
  });
  const appends = new Counter({ name: 'audience_appends_total', help: 'Appends to the event log.', registers });
  const countEvent = countBy(registry, 'type', {
    name: 'audience_events_appended_total',
    help: 'Events that this process appended, by type.',
  });
  const suppressed = new Counter({
    name: 'audience_addresses_suppressed_total',
    help: 'Addresses that refuse mail since this process noted it, by reason.',
    labelNames: ['reason'],
    registers,
  });
  return {
    command(end) {
      if (end.status === 'refused') countCommand('refused');
      else if (end.status === 'accepted') countCommand(end.events.length > 0 ? 'changed' : 'unchanged');
    },
    conflict: () => conflicts.inc(),
    append(append) {
      if ('error' in append) return;
      appends.inc();
      for (const { event } of append.events) {
        countEvent(event.type);
        if (event.type === 'AddressSuppressed') suppressed.inc({ reason: reasonOf(event.data) });
      }
    },
  };
}

/** Counts by the value of one label. Adds to the counter when the metrics are read, because each `inc` builds a text of its labels. */
function countBy(
  registry: Registry,
  label: string,
  { name, help }: { readonly name: string; readonly help: string },
): (value: string) => void {
  const counts = new Map<string, number>();
  new Counter({
    ...{ name, help, labelNames: [label], registers: [registry] },
    collect() {
      for (const [value, count] of counts) this.inc({ [label]: value }, count);
      counts.clear();
    },
  });
  return (value) => void counts.set(value, (counts.get(value) ?? 0) + 1);
}
