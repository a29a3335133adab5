/** The mail that an address refuses now or refused at a time, and how it came to that. */
import { useAnswer } from '../../answers.js';
import { Show } from '../../parts/answer.js';
import { activeAt } from './active-at.js';
import { Code, Mark, Time, Written } from '../../parts/text.js';

interface RefusalsProps {
  readonly email: string;
  /** Of the log as the page knows it; another one asks again. */
  readonly position: string | undefined;
  /** Undefined: now. */
  readonly at: string | undefined;
}

export function Refusals({ email, position, at: time }: RefusalsProps) {
  const answer = useAnswer(
    async (client, signal) => (await client.findSuppressions({ body: { email }, signal })).data,
    [email, position],
  );
  return (
    <section aria-labelledby="refusals">
      <h2 id="refusals">Refused mail, {time === undefined ? 'now' : 'then'}</h2>
      <Show answer={answer}>
        {({ active: present, history }) => {
          const active = time === undefined ? present : activeAt(history, time);
          return (
            <>
              {active.length === 0 && <p>{time === undefined ? 'Mail is not refused.' : 'Mail was not refused.'}</p>}
              <ul class="plain">
                {active.map(({ scope, reason, since }) => (
                  <li key={`${scope} ${reason}`}>
                    <Mark kind="bad">suppressed</Mark> {scope === 'all' ? 'all mail' : <Code>{scope}</Code>}:{' '}
                    {reason.replaceAll('_', ' ')}, since <Time at={since} />
                  </li>
                ))}
              </ul>
              {history.length > 0 && (
                <details>
                  <summary>How it came to that</summary>
                  <ul>
                    {history.map(({ event_id: id, type, scope, reason, note, at, actor }) => (
                      <li key={id}>
                        <Time at={at} isExact />: {type} {scope} {reason} by key <Code>{actor}</Code>{' '}
                        {note !== null && <Written text={note} />}
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </>
          );
        }}
      </Show>
    </section>
  );
}
