/** A contact at two times, side by side: only what differs, or everything. */
import { useState } from 'preact/hooks';
import { Table } from '../../parts/answer.js';
import { Mark, Time, Written } from '../../parts/text.js';
import type { Erasure } from './history.js';
import { fieldTexts, fields, subscriptionsOf, wasErased, type ContactAt } from './state.js';

interface CompareProps {
  readonly first: ContactAt;
  readonly second: ContactAt;
  readonly erasure: Erasure | undefined;
}

export function Compare({ first, second, erasure }: CompareProps) {
  const [isWhole, setWhole] = useState(false);
  const [before, after] = first.time <= second.time ? [first, second] : [second, first];
  const [earlier, later] = [factsOf(before, erasure), factsOf(after, erasure)];
  const keys = [...new Set([...earlier.keys(), ...later.keys()])];
  const rows = keys.map((key) => {
    const [was, is] = [earlier.get(key), later.get(key)];
    const { name = '', isTime = false } = is ?? was ?? {};
    return { key, name, isTime, was: was?.value, is: is?.value };
  });
  const differing = rows.filter(({ was, is }) => was !== is);
  return (
    <section aria-labelledby="compared">
      <h3 id="compared">Two times compared</h3>
      <p role="status">
        {differing.length === 0 ? 'Nothing differs.' : `${differing.length} of ${rows.length} facts differ.`}
      </p>
      <label class="check">
        <input type="checkbox" checked={isWhole} onChange={({ currentTarget }) => setWhole(currentTarget.checked)} />
        Show what is equal, too
      </label>
      <p class="quiet">
        From <Time at={before.time} isExact /> to <Time at={after.time} isExact />
      </p>
      <Table caption="Differences" columns={['Fact', 'Then', 'Later', 'Difference']}>
        {(isWhole ? rows : differing).map(({ key, name, isTime, was, is }) => (
          <tr key={key}>
            <th scope="row">
              <Written text={name} />
            </th>
            <td>
              <Value value={was} isTime={isTime} />
            </td>
            <td>
              <Value value={is} isTime={isTime} />
            </td>
            <td>{was === is ? 'equal' : <Mark kind="info">{differenceOf(was, is)}</Mark>}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function differenceOf(was: string | undefined, is: string | undefined): string {
  if (was === undefined) return 'came';
  return is === undefined ? 'went' : 'changed';
}

interface Fact {
  readonly name: string;
  readonly value: string;
  readonly isTime?: true;
}

interface ValueProps {
  readonly value: string | undefined;
  readonly isTime: boolean;
}

const Value = ({ value, isTime }: ValueProps) =>
  isTime && value !== undefined ? <Time at={value} isExact /> : <Written text={value} />;

function factsOf(state: ContactAt, erasure: Erasure | undefined): ReadonlyMap<string, Fact> {
  const facts = new Map<string, Fact>();
  facts.set('contact', { name: 'Contact', value: existenceOf(state, erasure) });
  for (const field of fields) {
    const value = state.profile?.[field];
    if (value !== null && value !== undefined) facts.set(field, { name: fieldTexts[field], value });
  }
  for (const { list_id: id, list_name: name, status, tags, consent } of subscriptionsOf(state)) {
    const list = name ?? id;
    facts.set(`name ${id}`, { name: `Name of the list ${id}`, value: list });
    if (status !== null) facts.set(`status ${id}`, { name: `Status in ${list}`, value: status });
    if (consent !== null)
      facts.set(`consent ${id}`, { name: `Consent for ${list}`, value: consent.because.at, isTime: true });
    for (const tag of tags) facts.set(`tag ${id} ${tag.tag_id}`, { name: `Tag in ${list}`, value: tag.tag_name });
  }
  return facts;
}

function existenceOf(state: ContactAt, erasure: Erasure | undefined): string {
  const { existed } = state;
  if (wasErased(state, erasure)) return 'erased';
  if (existed === null) return 'not known';
  return existed ? 'there' : 'not there yet';
}
