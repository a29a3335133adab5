/** What was decided and written. */
import { Counter, type Registry } from '@prometheus-io/client';
import type { CommandEnd } from '../commands/command-handler.js';

interface AppendedEvent {
  readonly type: string;
  readonly data: object;
}

const reasonOf = (data: object): string => ('reason' in data ? String(data.reason) : 'none');

export function countCommands(registry: Registry) {
  const registers = [registry];
  const commands = new Counter({
    name: 'audience_commands_total',
    help: 'Commands by outcome: changed, unchanged (the state was already as wanted), refused.',
    labelNames: ['outcome'],
    registers,
  });
  const conflicts = new Counter({
    name: 'audience_version_conflicts_total',
    help: 'Appends that met a stream which another process had changed, and were decided again.',
    registers,
  });
  const appends = new Counter({ name: 'audience_appends_total', help: 'Appends to the event log.', registers });
  const events = new Counter({
    name: 'audience_events_appended_total',
    help: 'Events that this process appended, by type.',
    labelNames: ['type'],
    registers,
  });
  const suppressed = new Counter({
    name: 'audience_addresses_suppressed_total',
    help: 'Addresses that refuse mail since this process noted it, by reason.',
    labelNames: ['reason'],
    registers,
  });
  return {
    onOutcome: (outcome: CommandEnd): void => commands.inc({ outcome }),
    onConflict: (): void => conflicts.inc(),
    onAppended(appended: { readonly events: readonly { readonly event: AppendedEvent }[] }): void {
      appends.inc();
      for (const { event } of appended.events) {
        events.inc({ type: event.type });
        if (event.type === 'AddressSuppressed') suppressed.inc({ reason: reasonOf(event.data) });
      }
    },
  };
}
