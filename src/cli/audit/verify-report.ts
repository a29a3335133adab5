/** What verification came to, in words or as one JSON object. */
import type { CheckedSeal } from '../../evidence/seal-files.js';
import { sealHolds, type Verification } from '../../evidence/verify.js';
import type { Paint } from '../shared/colours.js';
import { printable } from '../../events/printable.js';
import { formatCount, duration } from '../shared/numbers.js';

export interface VerificationReport {
  readonly result: Verification;
  readonly linked: number;
  readonly seals: readonly CheckedSeal[];
  readonly milliseconds: number;
}

export function verifiedAsJson({ result, linked, seals, milliseconds }: VerificationReport): string {
  const { linked: _, holding: __, ...rest } = result;
  const sealed = seals.map(({ seal, check }) => ({
    count: seal.count,
    sealed_at: seal.sealed_at,
    holds: sealHolds(result, seal),
    key_fingerprint: check.fingerprint,
    signed: check.isSigned,
    expected_key: check.isExpected ?? null,
  }));
  return `${JSON.stringify({ ...rest, linked, seals: sealed, milliseconds: Math.round(milliseconds) })}\n`;
}

export function verifiedInWords(verified: VerificationReport, paint: Paint): string {
  const { result, milliseconds } = verified;
  const facts = [
    `  events    ${formatCount(result.count)}`,
    `  head      ${result.head}`,
    `  position  ${result.position}`,
    `  time      ${duration(milliseconds / 1_000)}`,
  ];
  const lines = [
    ...facts,
    ...(result.intact ? reach(verified) : []),
    ...sealedHead(result),
    ...sealLines(verified),
    ...redacted(result),
    ...findings(result),
  ];
  return [...verdict(result, paint), ...lines.map(printable)].map((line) => `${line}\n`).join('');
}

function verdict(result: Verification, paint: Paint): readonly string[] {
  if (result.intact) return [paint.good('The record is intact.')];
  const { kind, message, position, stream, revision, type, event_id } = result.difference;
  if (kind === 'log') return [paint.bad(`THE SEAL IS OF ANOTHER LOG: ${message}. Nothing more was compared.`), 'Read:'];
  return [
    paint.bad(printable(`THE RECORD IS NOT AS IT WAS WRITTEN: ${message}.`)),
    ...[
      ...(position === null ? [] : [`  position  ${position}`]),
      ...(stream === null ? [] : [`  stream    ${stream}${revision === null ? '' : `@${revision}`}`]),
      ...(event_id === null ? [] : [`  event     ${type ?? '?'} ${event_id}`]),
      'Read, with links that agree with each other:',
    ].map(printable),
  ];
}

function reach({ result, linked, seals }: VerificationReport): readonly string[] {
  if (linked === result.count) return [];
  if (linked > 0)
    return [`The last ${formatCount(result.count - linked)} events have no stored link yet to compare with.`];
  return seals.length === 0
    ? ['There are no stored links, and no seal was given: the log agrees with itself, and no more is known.']
    : [];
}

/** What the sealed head adds: links alone do not say who computed them. */
function sealedHead({ intact, count: events, sealed_head: found }: Verification): readonly string[] {
  if (found === null || !intact) return [];
  if (found.count === null) return ['The log has no sealed head yet: who wrote it is not checked.'];
  const later = events - found.count;
  return [
    found.checked
      ? `The sealed head is that of event ${formatCount(found.count)}, made with the secret of this log.`
      : 'The sealed head was not checked, for the secret of this log is not known here: somebody without it may have written or rewritten events, or cut off the last ones.',
    ...(later > 0 ? [`The last ${formatCount(later)} events are not sealed yet.`] : []),
  ];
}

function sealLines({ seals, result }: VerificationReport): readonly string[] {
  if (seals.length === 0 && result.intact)
    return ['No seal was given: a rewrite with the secret, and an older copy of the whole folder, are not found.'];
  return seals.flatMap(({ seal, check }) => {
    const holds = sealHolds(result, seal);
    const { fingerprint, isExpected } = check;
    return [
      ...(holds === true
        ? [`The history up to event ${formatCount(seal.count)} is the one that was sealed at ${seal.sealed_at}.`]
        : [
            `The seal of ${seal.sealed_at} (${formatCount(seal.count)} events) ${holds === false ? 'does not hold' : 'was not reached'}.`,
          ]),
      `  key       ${fingerprint}${isExpected === true ? ', as expected' : ''}`,
      ...(isExpected === undefined
        ? ['Compare this fingerprint with the one that the sealer made known (--public-key).']
        : []),
    ];
  });
}

const redacted = ({ redacted: events }: Verification): readonly string[] =>
  events === 0
    ? []
    : [`Of ${formatCount(events)} events the personal data were replaced by their digest, which changes no link.`];

function findings({ findings: found }: Verification): readonly string[] {
  if (found.length === 0) return [];
  const each = found.map(({ position, stream, message }) => `  ${position}  ${stream}  ${message}`);
  return [
    '',
    `Beside that, rules are broken (${formatCount(found.length)}), which is no alteration of the record:`,
    ...each,
  ];
}
