/** Whether each stream is in order (revisions go up by one, times never back), and each event can be read in one way only. A log with correct links may still be wrong in this. */
import type { LinkedEvent } from '../eventstore/chain.js';
import { hasRepeatedName, isNamed, memberSpans, type MemberSpan } from '../eventstore/json-text.js';
import { differenceAt, type Difference } from './verify-difference.js';

interface End {
  revision: number;
  at: string;
}

/** As it is written: UTC with milliseconds, so that texts sort as the times do. */
const time = /^"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"$/;

export function createStreamChecks() {
  const ends = new Map<string, End>();
  return {
    check(event: LinkedEvent, ordinal: number): Difference | undefined {
      const { stream } = event;
      const end = ends.get(stream);
      const revision = Number(event.revision);
      const metadata = memberSpans(event.metadata) ?? [];
      const at = timeIn(event.metadata, metadata);
      const wrong = wrongRevision(end, revision) ?? wrongTime(end, at) ?? wrongNames(event, metadata);
      if (wrong !== undefined) {
        const message = `event ${ordinal}, revision ${revision} of stream ${stream}, ${wrong.message}`;
        return differenceAt(event, { kind: wrong.kind, ordinal, message });
      }
      if (end === undefined) ends.set(stream, { revision, at: at ?? '' });
      else {
        end.revision = revision;
        end.at = at ?? '';
      }
      return undefined;
    },
  };
}

type Wrong = Pick<Difference, 'message'> & { readonly kind: 'revision' | 'time' | 'names' };
type Spans = readonly MemberSpan[];

function timeIn(metadata: string, spans: Spans): string | undefined {
  const at = spans.find((span) => isNamed(metadata, span, 'at'));
  return at && time.exec(metadata.slice(at.start, at.end))?.[1];
}

function wrongRevision(end: End | undefined, revision: number): Wrong | undefined {
  const expected = end === undefined ? 0 : end.revision + 1;
  if (revision === expected) return undefined;
  return { kind: 'revision', message: `should be revision ${expected}` };
}

function wrongTime(end: End | undefined, at: string | undefined): Wrong | undefined {
  if (at === undefined) return { kind: 'time', message: 'has no time that can be read' };
  if (end === undefined || at >= end.at) return undefined;
  return { kind: 'time', message: 'says that it happened before the event before it' };
}

function wrongNames({ data, metadata }: LinkedEvent, ofMetadata: Spans): Wrong | undefined {
  if (!hasRepeatedName(data, memberSpans(data) ?? []) && !hasRepeatedName(metadata, ofMetadata)) return undefined;
  return { kind: 'names', message: 'has a member twice, which can be read in two ways' };
}
