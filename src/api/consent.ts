/** The optional `consent` of a contact: how the person agreed, as evidence. Kept as it was given, but for spaces around it and the zone of its time. */
import { isIP } from 'node:net';
import { parseTime } from '../audit/times.js';
import type { Consent } from '../commands/contact.js';
import { isObject } from './envelope.js';
import { checkText, control, controlButTabAndLineBreak, type Check, type TextRules } from './fields.js';

/** How far the clock of a caller may be ahead of ours. */
const maxSkewMs = 5 * 60_000;

/** Scoped addresses mean something on one machine only. */
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');

const plain = (maxCharacters: number): TextRules => ({ forbidden: control, maxCharacters });
const rules = {
  source: plain(255),
  // As it was shown to the person, over several lines perhaps.
  statement: { forbidden: controlButTabAndLineBreak, maxCharacters: 2_000 },
  ip: { forbidden: control, form: { fits: isAddress, code: 'invalid_ip' } },
  legal_basis: plain(100),
} as const satisfies Record<string, TextRules>;

/**
 * A consent with at least one field; undefined where there is none. Absent, `null`, blank and unknown fields are not
 * kept. `clock` tells milliseconds since the epoch.
 */
export function consentCheck(clock: () => number): Check<Consent | undefined> {
  const checks: Record<keyof Consent, Check<string | undefined>> = {
    source: (value) => optional(value, rules.source),
    statement: (value) => optional(value, rules.statement),
    ip: (value) => optional(value, rules.ip),
    legal_basis: (value) => optional(value, rules.legal_basis),
    occurred_at: (value) => pastMoment(value, clock),
  };
  const fields = ['source', 'statement', 'ip', 'legal_basis', 'occurred_at'] as const;
  return (value) => {
    if (value === undefined || value === null) return { value: undefined };
    if (!isObject(value)) return { code: 'not_an_object' };
    const consent: Consent = {};
    for (const field of fields) {
      const result = checks[field](Object.hasOwn(value, field) ? value[field] : undefined);
      if ('code' in result) return { ...result, field: `consent.${field}` };
      if (result.value !== undefined) consent[field] = result.value;
    }
    return { value: Object.keys(consent).length === 0 ? undefined : consent };
  };
}

function optional(value: unknown, rules: TextRules): ReturnType<Check<string | undefined>> {
  const isBlank = value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  return isBlank ? { value: undefined } : checkText(value, rules);
}

/** In UTC with milliseconds. A date alone is refused: it leaves open when it was. */
function pastMoment(value: unknown, clock: () => number): ReturnType<Check<string | undefined>> {
  const result = optional(value, { forbidden: control });
  if ('code' in result || result.value === undefined) return result;
  const hasTime = /^\S{11,}$/.test(result.value);
  const time = hasTime ? parseTime(result.value, 'end') : undefined;
  if (time === undefined) return { code: 'invalid_moment' };
  return Date.parse(time) > clock() + maxSkewMs ? { code: 'in_the_future' } : { value: time };
}
