/** The seals that the service has kept: which of them it has verified, and by when. */
import type { AnswerOf, components } from '../../../client/client.js';
import { usePages } from '../../answers.js';
import { Empty, PagedTable } from '../../parts/answer.js';
import { saveJson } from '../../parts/save.js';
import { Code, Mark, Time, Written, formatNumber } from '../../parts/text.js';

type SealState = components['schemas']['SealState'];
type Look = readonly [kind: 'good' | 'plain' | 'warn' | 'bad', text: string];

/** Green is what was verified, and nothing else. */
const looks: Readonly<Record<string, Look>> = {
  verified: ['good', 'verified'],
  unverified: ['plain', 'not verified yet'],
  newer_than_log: ['warn', 'newer than the log'],
  does_not_hold: ['bad', 'does not hold'],
};

export function Seals() {
  const pages = usePages('seals', (client, query, signal) => client.listSeals({ query, signal }));
  return (
    <section aria-labelledby="seals">
      <h2 id="seals">Seals</h2>
      {pages.data !== undefined && <HowFar {...pages.data} />}
      <p class="quiet">
        A seal that lies beside the log proves nothing against a person who can write there and has the key. What counts
        is a copy that somebody else keeps: compare it with the one here, or give it to <code>verify.mjs</code>.
      </p>
      <PagedTable
        pages={pages}
        caption="Seals, the newest first"
        columns={['Sealed', { number: 'Events' }, 'State', 'Read by', 'Key', 'File']}
        keyOf={({ file }) => file}
        row={(seal) => <SealRow {...seal} />}
        empty={<Empty request="audience audit seal --out seal.json">There are no seals.</Empty>}
      />
    </section>
  );
}

function HowFar({ count, verified_count, verified_at, fault }: AnswerOf<'listSeals'>) {
  if (fault !== null)
    return (
      <p class="note note-bad" role="alert">
        The log cannot be verified: <Written text={fault} />
      </p>
    );
  if (verified_at === null)
    return <p class="note">The process that answers has not verified the log. It has {formatNumber(count)} events.</p>;
  return (
    <p>
      The service has read the first {formatNumber(verified_count)} of {formatNumber(count)} events since its start and
      found them intact, by <Time at={verified_at} isExact />.
    </p>
  );
}

function SealRow({ file, seal, key_fingerprint, state, reason, verified_at }: SealState) {
  const [kind, text] = looks[state] ?? ['plain', state];
  return (
    <>
      <th scope="row">{seal === null ? <Written text={file} /> : <Time at={seal.sealed_at} isExact />}</th>
      <td class="number">{seal !== null && formatNumber(seal.count)}</td>
      <td>
        <Mark kind={kind}>{text}</Mark> {reason !== null && <Written text={reason} />}
      </td>
      <td>
        <Time at={verified_at} isExact />
      </td>
      <td>{key_fingerprint !== null && <Code>{key_fingerprint.slice(0, 16)}…</Code>}</td>
      <td>
        {seal !== null && (
          <button type="button" onClick={() => saveJson(seal, `seal-${file}`)}>
            Download
          </button>
        )}
      </td>
    </>
  );
}
