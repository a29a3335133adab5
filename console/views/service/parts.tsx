/** Whether each part of the service is ready, from `/health/ready`. */
import type { ComponentChildren } from 'preact';
import { AudienceError, type components } from '../../../client/client.js';
import { useAnswer, useReloads } from '../../answers.js';
import { Show } from '../../parts/answer.js';
import { Code, Mark, Time, Written, formatNumber, plainPosition } from '../../parts/text.js';
import { to } from '../../addresses.js';
import { may } from '../../session.js';
import { ConfirmClock } from './confirm-clock.js';

type Readiness = components['schemas']['Readiness'];
type Kind = 'good' | 'warn' | 'bad' | 'plain';

interface Part {
  readonly name: string;
  readonly kind: Kind;
  readonly state: string;
  readonly more: ComponentChildren;
}

export function Parts() {
  const answer = useAnswer(async (client, signal) => {
    try {
      return { isReady: true, parts: (await client.getReady({ signal })).data };
    } catch (error) {
      // While it is not ready, the parts come with the refusal.
      if (error instanceof AudienceError && error.statusCode === 503 && isReadiness(error.data))
        return { isReady: false, parts: error.data };
      throw error;
    }
  }, []);
  useReloads(answer, 2_000);
  return (
    <section aria-labelledby="parts">
      <h2 id="parts">Now</h2>
      <Show answer={answer}>
        {({ isReady, parts }) => (
          <>
            <p role="status">
              {isReady ? <Mark kind="good">ready</Mark> : <Mark kind="bad">not ready</Mark>}{' '}
              {isReady ? 'The service and everything that it needs are available.' : 'Something is missing. See below.'}
            </p>
            <ul class="parts">
              {partsOf(parts).map(({ name, kind, state, more }) => (
                <li key={name} class="panel">
                  <h3>{name}</h3>
                  <p>
                    <Mark kind={kind}>{state}</Mark>
                  </p>
                  <div class="quiet">{more}</div>
                </li>
              ))}
            </ul>
          </>
        )}
      </Show>
    </section>
  );
}

const isReadiness = (data: unknown): data is Readiness =>
  typeof data === 'object' && data !== null && 'event_store' in data;

const partsOf = (parts: Readiness): readonly Part[] =>
  [
    logPart(parts),
    integrityPart(parts),
    viewsPart(parts),
    mailerPart(parts),
    erasuresPart(parts),
    clockPart(parts),
  ].flatMap((part) => part ?? []);

function logPart({ event_store: store }: Readiness): Part {
  const [kind, state]: [Kind, string] = !store.reachable
    ? ['bad', 'out of reach']
    : store.writable
      ? ['good', 'takes writes']
      : ['bad', 'takes no writes'];
  return {
    name: 'Log',
    kind,
    state,
    more: store.head && <>Its last event: {<Code>{plainPosition(store.head)}</Code>}</>,
  };
}

/** Green is only for what was read back. */
function integrityPart({ integrity }: Readiness): Part | undefined {
  if (integrity === undefined) return undefined;
  const name = 'Integrity';
  if (integrity.fault !== null)
    return { name, kind: 'bad', state: 'cannot be checked', more: <Written text={integrity.fault} /> };
  if (integrity.read_back_at === null) return { name, kind: 'plain', state: 'not read back yet', more: null };
  const more = <>{formatNumber(integrity.read_back_count)} events were read back and are unaltered.</>;
  return { name, kind: 'good', state: 'unaltered', more };
}

function viewsPart({ projections, read_models: models }: Readiness): Part {
  const name = 'Views';
  const { caught_up: isCaughtUp, lag_ms: lag, projector, missing, parked } = projections;
  if (!models.reachable) return { name, kind: 'bad', state: 'out of reach', more: null };
  if (missing.length > 0) return { name, kind: 'bad', state: 'being built', more: <>Missing: {missing.join(', ')}</> };
  const more = (
    <>
      Lag {formatNumber(lag)} ms; this process is {projector === 'leading' ? 'the one that folds' : projector}.
    </>
  );
  if (parked.length > 0) return { name, kind: 'warn', state: `${formatNumber(parked.length)} streams parked`, more };
  return isCaughtUp
    ? { name, kind: 'good', state: 'caught up', more }
    : { name, kind: 'warn', state: 'catching up', more };
}

function mailerPart({ mailer }: Readiness): Part | undefined {
  if (mailer === undefined)
    return { name: 'Mailer', kind: 'plain', state: 'not in this process', more: 'This process does not send email.' };
  const { running, relay, worklist_readable: isReadable } = mailer;
  const name = 'Mailer';
  const more = (
    <>
      {formatNumber(running)} being sent, at most {formatNumber(relay?.connections ?? 0)} connections.{' '}
      <a href={to('/emails')}>E-mail</a>
    </>
  );
  if (relay?.refuses !== undefined)
    return {
      name,
      kind: 'bad',
      state: 'refused by the mail server',
      more: (
        <>
          Since <Time at={relay.refuses.since} />: <Written text={relay.refuses.reason} />{' '}
          {relay.refuses.enhanced_code ?? relay.refuses.smtp_code ?? relay.refuses.tls_code ?? ''}. E-mails wait.
        </>
      ),
    };
  return isReadable
    ? { name, kind: 'good', state: 'working', more }
    : { name, kind: 'bad', state: 'cannot see what waits', more };
}

function erasuresPart({ erasures }: Readiness): Part | undefined {
  if (erasures === undefined) return undefined;
  const { waiting, why } = erasures;
  return waiting === 0
    ? { name: 'Erasures', kind: 'good', state: 'none waits', more: null }
    : {
        name: 'Erasures',
        kind: 'warn',
        state: `${formatNumber(waiting)} waiting`,
        more: (
          <ul>
            {why.slice(0, 5).map(({ erasure_id: id, reason }) => (
              <li key={id}>
                <Code>{id}</Code>: {reason.replaceAll('_', ' ')}
              </li>
            ))}
          </ul>
        ),
      };
}

/** Returns the state of the clock, or undefined while the clock is trusted, which is the usual case. */
function clockPart({ clock }: Readiness): Part | undefined {
  if (clock.trusted) return undefined;
  const why =
    clock.reason === 'ahead'
      ? 'It is more than a day ahead of the last time that was known to be right.'
      : 'It was set within the last ten minutes.';
  const more = (
    <>
      {why} Until the clock is trusted, in {formatNumber(Math.ceil((clock.trusted_in_seconds ?? 0) / 60))} minutes, no
      email is given up and nothing expires for good.
      {may('clock') ? <ConfirmClock /> : ' A key with the scope clock can confirm it.'}
    </>
  );
  return { name: 'Clock', kind: 'warn', state: 'not trusted', more };
}
