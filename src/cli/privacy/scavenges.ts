/** Erasures whose data are still in the files of EventStoreDB: they go with the next scavenge. */
import type { Erasure } from '../../commands/erasures.js';
import { contactStream } from '../../events/streams.js';
import type { EventReader } from '../../eventstore/event-store.js';
import { emails, type EmailDocument } from '../../projections/emails.js';
import { everyPage } from '../../projections/every-page.js';
import type { CommandLine } from '../command-line.js';
import { whileOpen } from '../while-open.js';

interface Scavenging {
  waitsForScavenge(stream: string): Promise<boolean>;
  scavenge(): Promise<readonly string[]>;
}

/** A log on EventStoreDB. */
export const isScavenged = (log: EventReader): log is EventReader & Scavenging => 'waitsForScavenge' in log;

/** Ids of those that are completed and wait. @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function waitingForScavenge(
  log: Scavenging,
  { erasures, line }: { readonly erasures: readonly Erasure[]; readonly line: CommandLine },
): Promise<ReadonlySet<string>> {
  const waiting = new Set<string>();
  return await whileOpen(line.openViews(), async (views) => {
    for (const { erasure_id, subject_key, completed } of erasures) {
      if (completed === null) continue;
      if (await log.waitsForScavenge(contactStream(subject_key))) waiting.add(erasure_id);
      const query = { where: { recipient_key: subject_key }, sort: 'requested_position' };
      for await (const page of everyPage<EmailDocument>(views, emails, query))
        for (const { document } of page)
          if (!waiting.has(erasure_id) && (await log.waitsForScavenge(document.stream))) waiting.add(erasure_id);
    }
    return waiting;
  });
}
