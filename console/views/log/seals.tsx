/** The seals that the service has kept, and whether the log still fits them. */
import type { AnswerOf, components } from '../../../client/client.js';
import { usePages } from '../../answers.js';
import { Empty, PagedTable } from '../../parts/answer.js';
import { saveJson } from '../../parts/save.js';
import { Code, Mark, Time, Written, formatNumber } from '../../parts/text.js';

type SealState = components['schemas']['SealState'];
type Look = readonly [kind: 'good' | 'plain' | 'warn' | 'bad', text: string];

/** Green is only for what was compared and fits. */
const looks: Readonly<Record<string, Look>> = {
  holds: ['good', 'holds'],
  not_checked: ['plain', 'not compared yet'],
  excused: ['warn', 'of events that a restore removed'],
  fails: ['bad', 'does not hold'],
  ignored: ['warn', 'ignored'],
};

export function Seals() {
  const pages = usePages('seals', (client, query, signal) => client.listSeals({ query, signal }));
  return (
    <section aria-labelledby="seals">
      <h2 id="seals">Seals</h2>
      {pages.data !== undefined && <HowFar {...pages.data} />}
      <p class="quiet">
        A seal beside the log proves nothing against a person who can write there and has the key. Keep copies where
        that person cannot write, and compare them with the seals here or with <code>verify.mjs</code>.
      </p>
      <PagedTable
        pages={pages}
        caption="Seals, the newest first"
        columns={['Sealed', { number: 'Number' }, { number: 'Events' }, 'State', 'Root', 'Key', 'File']}
        keyOf={({ file }) => file}
        row={(seal) => <SealRow {...seal} />}
        empty={<Empty request="audience audit seal --out seal.json">There are no seals.</Empty>}
      />
    </section>
  );
}

function HowFar({ count, read_back_count, read_back_at, fault }: AnswerOf<'listSeals'>) {
  if (fault !== null)
    return (
      <p class="note note-bad" role="alert">
        The log cannot be read back: <Written text={fault} />
      </p>
    );
  const events = count === null ? 'a number of events that is not known yet' : `${formatNumber(count)} events`;
  if (read_back_count === null || read_back_at === null)
    return <p class="note">The log has {events}. This process has not read them back.</p>;
  return (
    <p>
      The log has {events}. The service has read back {formatNumber(read_back_count)} of them and found them unaltered,
      last at <Time at={read_back_at} isExact />.
    </p>
  );
}

function SealRow({ file, seal, key_fingerprint, state, reason }: SealState) {
  const [kind, text] = looks[state] ?? ['plain', state];
  return (
    <>
      <th scope="row">{seal === null ? <Written text={file} /> : <Time at={seal.sealed_at} isExact />}</th>
      <td class="number">{seal !== null && formatNumber(seal.seq)}</td>
      <td class="number">{seal !== null && formatNumber(seal.count)}</td>
      <td>
        <Mark kind={kind}>{text}</Mark> {reason !== null && <Written text={reason} />}
      </td>
      <td>{seal !== null && <Code>{seal.root.slice(0, 16)}…</Code>}</td>
      <td>{key_fingerprint !== null && <Code>{key_fingerprint.slice(0, 16)}…</Code>}</td>
      <td>
        {seal !== null && (
          <button type="button" onClick={() => saveJson(seal, file)}>
            Download
          </button>
        )}
      </td>
    </>
  );
}
