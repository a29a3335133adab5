/** Shows stored events to readers who may not see persons or messages: their digests, which the leaf covers, take their place. */
import { digestOf } from '../eventstore/leaf.js';
import { isNamed, memberSpans } from '../eventstore/json-text.js';

/** The members of an event's data that a reader may not see. */
export type HiddenMembers = readonly ('person' | 'message')[];

export const hiddenFrom = (scopes: ReadonlySet<string>): HiddenMembers => [
  ...(scopes.has('contacts:read') ? [] : (['person'] as const)),
  ...(scopes.has('email:read') ? [] : (['message'] as const)),
];

/** What cannot be read as an object is replaced by one digest as a whole: what it holds is not known. */
export function redacted(data: string, hidden: HiddenMembers): string {
  if (hidden.length === 0) return data;
  const spans = typeof jsonOrText(data) === 'object' ? memberSpans(data) : undefined;
  if (spans === undefined) return digestOf(data);
  let text = data;
  for (const span of spans.toReversed())
    if (hidden.some((name) => isNamed(data, span, name)))
      text = text.slice(0, span.start) + digestOf(data.slice(span.start, span.end)) + text.slice(span.end);
  return text;
}

export function jsonOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
