/** The mail that an address refuses now or refused at a time, and how it came to that. */
import type { components } from '../../../client/client.js';
import { useAnswer } from '../../answers.js';
import { Show } from '../../parts/answer.js';
import { Mark, Time, Written } from '../../parts/text.js';
import { may } from '../../session.js';
import { activeAt } from './active-at.js';
import type { KeyNames } from './key-names.js';
import { Origin } from './origin.js';
import { Release } from './release.js';

interface RefusalsProps {
  readonly email: string;
  /** Of the log as the page knows it; another one asks again. */
  readonly position: string | undefined;
  /** Undefined: now. */
  readonly at: string | undefined;
  readonly keyNames: KeyNames;
  /** By their ids. */
  readonly listNames: ReadonlyMap<string, string>;
  readonly onChanged: () => void;
}

type Step = components['schemas']['SuppressionStep'];

const reasonInWords = (reason: string): string =>
  reason === 'repeated_bounces' ? "the recipient's mail server keeps refusing" : reason.replaceAll('_', ' ');

export function Refusals({ email, position, at: time, keyNames, listNames, onChanged }: RefusalsProps) {
  const mailOf = (scope: string | null): string =>
    scope === null || scope === 'all' ? 'all mail' : `mail of the list ${listNames.get(scope) ?? scope}`;
  function happened({ type, scope, reason }: Step): string {
    if (type === 'BounceCounted') return `The mail server of the address refused an email (${reason ?? 'not known'}).`;
    if (type === 'SuppressionErased') return 'What was said about the person was erased.';
    const change = type === 'AddressReleased' ? 'may go out again' : 'is refused';
    return `From then on, ${mailOf(scope)} ${change}: ${reasonInWords(reason ?? 'not known')}.`;
  }
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
                    <Mark kind="bad">suppressed</Mark> <Written text={mailOf(scope)} />: {reasonInWords(reason)}, since{' '}
                    <Time at={since} />{' '}
                    {time === undefined && may('suppressions:write') && (
                      <Release email={email} scope={scope} mail={mailOf(scope)} onDone={onChanged} />
                    )}
                  </li>
                ))}
              </ul>
              {history.length > 0 && (
                <details open={active.length > 0}>
                  <summary>How it came to that</summary>
                  <ul>
                    {history.map((step) => (
                      <li key={step.event_id}>
                        <Time at={step.at} isExact />: <Written text={happened(step)} />
                        <Origin actor={step.actor} requestId={step.request_id} keyNames={keyNames} />{' '}
                        {step.note !== null && <Written text={step.note} />}
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
