/** What verification came to, in words or as one JSON object. */
import type { SealCheck, Seal } from '../../evidence/seal.js';
import type { Verification } from '../../evidence/verify.js';
import type { Paint } from '../colours.js';
import { count, duration } from '../progress-bar.js';

export interface Verified {
  readonly result: Verification;
  readonly linked: number;
  readonly seal: { readonly seal: Seal; readonly check: SealCheck } | undefined;
  readonly milliseconds: number;
}

export function verifiedAsJson({ result, linked, seal, milliseconds }: Verified): string {
  const sealed =
    seal === undefined
      ? null
      : {
          count: seal.seal.count,
          sealed_at: seal.seal.sealed_at,
          key_fingerprint: seal.check.fingerprint,
          signed: seal.check.isSigned,
          expected_key: seal.check.isExpected ?? null,
        };
  const { linked: _, ...rest } = result;
  return `${JSON.stringify({ ...rest, linked, seal: sealed, milliseconds: Math.round(milliseconds) })}\n`;
}

export function verifiedInWords(verified: Verified, paint: Paint): string {
  const { result, milliseconds } = verified;
  const facts = [
    `  events    ${count(result.count)}`,
    `  head      ${result.head}`,
    `  position  ${result.position}`,
    `  time      ${duration(milliseconds / 1_000)}`,
  ];
  const lines = [
    ...verdict(result, paint),
    ...facts,
    ...(result.intact ? reach(verified) : []),
    ...sealLines(verified),
    ...redacted(result),
    ...findings(result),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function verdict(result: Verification, paint: Paint): readonly string[] {
  if (result.intact) return [paint.good('The record is intact.')];
  const { message, position, stream, revision, type, event_id } = result.difference;
  return [
    paint.bad(`THE RECORD IS NOT AS IT WAS WRITTEN: ${message}.`),
    ...(position === null ? [] : [`  position  ${position}`]),
    ...(stream === null ? [] : [`  stream    ${stream}${revision === null ? '' : `@${revision}`}`]),
    ...(event_id === null ? [] : [`  event     ${type ?? '?'} ${event_id}`]),
    'Intact before it:',
  ];
}

function reach({ result, linked, seal }: Verified): readonly string[] {
  if (linked === result.count) return [];
  if (linked > 0) return [`The last ${count(result.count - linked)} events have no stored link yet to compare with.`];
  return seal === undefined
    ? ['There are no stored links, and no seal was given: the log agrees with itself, and no more is known.']
    : [];
}

function sealLines({ seal, result }: Verified): readonly string[] {
  if (seal === undefined) return [];
  const { count: events, sealed_at } = seal.seal;
  const { fingerprint, isExpected } = seal.check;
  return [
    ...(result.intact ? [`The history up to event ${count(events)} is the one that was sealed at ${sealed_at}.`] : []),
    `  key       ${fingerprint}${isExpected === true ? ', as expected' : ''}`,
    ...(isExpected === undefined
      ? ['Compare this fingerprint with the one that the sealer made known (--public-key).']
      : []),
  ];
}

const redacted = ({ redacted: events }: Verification): readonly string[] =>
  events === 0
    ? []
    : [`Of ${count(events)} events the personal data were replaced by their digest, which changes no link.`];

function findings({ findings: found }: Verification): readonly string[] {
  if (found.length === 0) return [];
  const each = found.map(({ position, stream, message }) => `  ${position}  ${stream}  ${message}`);
  return ['', `Beside that, rules are broken (${count(found.length)}), which is no alteration of the record:`, ...each];
}
