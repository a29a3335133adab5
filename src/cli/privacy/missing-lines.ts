/** Lines of the register whose events the log lacks, as `privacy status` and `privacy reapply` show them. */
import type { RegisterLine } from '../../recovery/register-line.js';

/** Returns what `--json` shows of a line, which holds no personal data. */
export const shownLine = ({ type, stream, revision, event_id, data, metadata }: RegisterLine) => ({
  type,
  stream,
  revision,
  event_id,
  at: metadata['at'],
  data,
});

/** Returns a sentence for each line that an operator must decide on, with what to do. People are named by their pseudonym. */
export const missingInWords = (reported: readonly RegisterLine[]): readonly string[] =>
  reported.map((line) => `for you to decide: ${lineInWords(line)}. ${decisionOf(line)}`);

export function lineInWords({ type, stream, data, metadata }: RegisterLine): string {
  const { erasure_id, subject_key, key_id, scope, list_id } = data;
  const about = erasure_id === undefined ? (key_id ?? stream) : `${text(erasure_id)} of ${text(subject_key)}`;
  const within = scope ?? list_id;
  return `${type} ${text(about)}${within === undefined ? '' : ` (${text(within)})`} of ${text(metadata['at'])}`;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '-');

function decisionOf({ type, data }: RegisterLine): string {
  switch (type) {
    case 'ErasureRequested':
      return `To erase the person, stop the service and run audience privacy reapply --erasure ${text(data['erasure_id'])}.`;
    case 'AddressReleased':
      return 'To let mail through again, run audience suppressions release with the address.';
    case 'ApiKeyRotated':
      return `To end the secret, rotate or revoke the key: audience keys rotate ${text(data['key_id'])}.`;
    default:
      return 'This version cannot read the line or its stream. Use the version of the service that wrote the line.';
  }
}
