/** The contacts whose address or name begins with what was typed. */
import { useEffect, useState } from 'preact/hooks';
import type { AnswerOf } from '../../../client/client.js';
import { to } from '../../addresses.js';
import { useAnswer } from '../../answers.js';
import { Show } from '../../parts/answer.js';
import { Written, formatNumber } from '../../parts/text.js';

type Found = AnswerOf<'searchContacts'>;

const limit = 20;
/** One letter says little. */
const fewestCharacters = 2;
/** Milliseconds that the keyboard rests before it is asked. */
const rest = 500;

export function Contacts({ text }: { readonly text: string }) {
  const sought = useSettled(text);
  const isEnough = [...sought].length >= fewestCharacters;
  const answer = useAnswer(
    async (client, signal) =>
      isEnough ? await client.searchContacts({ body: { text: sought, limit }, signal }) : null,
    [sought],
  );
  if (!isEnough) return null;
  return (
    <section aria-labelledby="contacts">
      <h2 id="contacts">Contacts</h2>
      <Show answer={answer}>{(found) => found !== null && <Hits found={found} />}</Show>
    </section>
  );
}

function Hits({ found: { data, incomplete } }: { readonly found: Found }) {
  return (
    <>
      <p class="quiet" role="status">
        {howMany(data.length)}
        {incomplete === true && ' Some events cannot be read: contacts may be missing.'}
      </p>
      <ul class="plain">
        {data.map(({ contact_id: id, email, firstName, lastName }) => (
          <li key={id}>
            <a href={to('/contacts', id)}>
              <Written text={[firstName, lastName].filter(Boolean).join(' ') || email} />
            </a>{' '}
            <span class="quiet">
              <Written text={email} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function howMany(count: number): string {
  if (count === 0) return 'No address and no name begins so.';
  if (count === 1) return '1 contact.';
  return count < limit ? `${formatNumber(count)} contacts.` : `The first ${formatNumber(limit)}: type more.`;
}

/** The text once it has rested. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), rest);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
