/** The members of a JSON object with their texts, for tests of what is computed over these bytes. */
import { memberSpans, nameOf } from '../../src/eventstore/json-text.js';

/**
 * The raw text of each member's value, by name. Of a name that comes twice the last one counts, as in JSON.parse.
 * @throws SyntaxError when the text is not a JSON object.
 */
export function memberTexts(text: string): ReadonlyMap<string, string> {
  // The whole grammar; the spans are then those of a valid text.
  const value: unknown = JSON.parse(text);
  const spans = typeof value === 'object' && value !== null && !Array.isArray(value) ? memberSpans(text) : undefined;
  if (spans === undefined) throw new SyntaxError('not a JSON object');
  return new Map(spans.map((span) => [nameOf(text, span), text.slice(span.start, span.end)]));
}
