/** The event feed before and after an erasure. */
import { withDigests } from '../../../src/eventstore/leaf.js';
import { ok } from '../../support/answers.js';
import type { Service } from '../../support/service.js';
import type { Person } from './unmistakable-people.js';

interface FeedEvent {
  readonly stream: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Every event as a line. */
export async function feedOf(service: Service): Promise<readonly string[]> {
  const { text } = await ok(service.get('/v1/audit/events?format=ndjson'));
  return text.split('\n').filter((line) => line !== '');
}

/** The same lines with digests in place of personal data in the streams of those who leave, and nothing else changed. */
export function feedAfter(lines: readonly string[], leaving: readonly Person[]): readonly string[] {
  const ids = new Set(leaving.flatMap((person) => [...person.ids]));
  const events = lines.map((line) => JSON.parse(line) as FeedEvent);
  const names = new Set(
    events.flatMap(({ stream, data }) => (ids.has(String(data['contact_id'] ?? data['email_id'])) ? [stream] : [])),
  );
  return events.map(({ data, ...event }, at) =>
    names.has(event.stream)
      ? JSON.stringify({ ...event, data: JSON.parse(withDigests(JSON.stringify(data))) as unknown })
      : (lines[at] ?? ''),
  );
}
