/** One e-mail: what became of it, attempt by attempt, and what may be done about it. */
import { useState } from 'preact/hooks';
import { isUnknown, useAction, useAnswer } from '../answers.js';
import { Show } from '../parts/answer.js';
import { Confirm } from '../parts/dialog.js';
import { Page } from '../parts/page.js';
import { Code, Time, Written, formatNumber } from '../parts/text.js';
import { Unknown } from '../parts/unknown.js';
import { may } from '../session.js';
import { EmailHistory } from './emails/history.js';
import { bounceText } from './emails/reasons.js';
import { EmailMark, stateTexts, type Email } from './emails/states.js';

export function EmailPage({ id = '' }: { readonly id?: string }) {
  const answer = useAnswer((client, signal) => client.getEmail({ path: { email_id: id }, signal }), [id]);
  if (isUnknown(answer.error)) return <Unknown what="email" id={id} />;
  return (
    <Page title="E-mail">
      <p class="quiet">
        <Code>{id}</Code>
      </p>
      <Show answer={answer}>
        {({ data }) => (
          <>
            <Facts email={data} />
            {may('email:write') && <Changes email={data} onDone={answer.reload} />}
            {may('audit:read') && <EmailHistory key={stageOf(data)} email={data} />}
          </>
        )}
      </Show>
    </Page>
  );
}

const unverified = ', according to a report that is not verified';

/** What has changed when there is more to tell. */
const stageOf = ({ state, attempts, bounced, complained }: Email): string =>
  [state, attempts, bounced?.at, complained?.at].join();

const Facts = ({ email }: { readonly email: Email }) => (
  <dl>
    <dt>State</dt>
    <dd>
      <EmailMark email={email} /> {stateTexts[email.state].meaning}
    </dd>
    <dt>Requested</dt>
    <dd>
      <Time at={email.requested_at} isExact />
    </dd>
    <dt>Sent</dt>
    <dd>
      <Time at={email.sent_at} isExact />
    </dd>
    <dt>Attempts</dt>
    <dd>{formatNumber(email.attempts)}</dd>
    <dt>Next attempt</dt>
    <dd>
      <Time at={email.next_attempt_at} />
    </dd>
    <dt>Last failure</dt>
    <dd>
      <Written text={email.last_error} />
    </dd>
    {email.bounced !== null && (
      <>
        <dt>Bounced</dt>
        <dd>
          <Time at={email.bounced.at} />: {bounceText(email.bounced.kind)}
          {!email.bounced.verified && unverified}
        </dd>
      </>
    )}
    {email.complained !== null && (
      <>
        <dt>Called spam</dt>
        <dd>
          <Time at={email.complained.at} />
          {!email.complained.verified && unverified}
        </dd>
      </>
    )}
  </dl>
);

interface ChangesProps {
  readonly email: Email;
  readonly onDone: () => void;
}

function Changes({ email: { email_id, state }, onDone }: ChangesProps) {
  const [asked, setAsked] = useState<'release' | 'cancel'>();
  const action = useAction((client) =>
    asked === 'release' ? client.releaseEmail({ path: { email_id } }) : client.cancelEmail({ path: { email_id } }),
  );
  const isReleasable = state === 'held' || state === 'failed';
  const isCancellable = ['held', 'deferred', 'requested', 'in_doubt'].includes(state);
  const confirm = (): void =>
    void action.run().then((isDone) => {
      if (!isDone) return;
      setAsked(undefined);
      onDone();
    });
  return (
    <>
      <p class="buttons">
        {isReleasable && (
          <button type="button" onClick={() => setAsked('release')}>
            Release
          </button>
        )}
        {isCancellable && (
          <button type="button" class="dangerous" onClick={() => setAsked('cancel')}>
            Cancel the e-mail
          </button>
        )}
      </p>
      <Confirm
        title={asked === 'release' ? 'Release the e-mail' : 'Cancel the e-mail'}
        verb={asked === 'release' ? 'Release' : 'Cancel the e-mail'}
        isDangerous={asked === 'cancel'}
        isOpen={asked !== undefined}
        action={action}
        onClose={() => setAsked(undefined)}
        onConfirm={confirm}
      >
        <p>
          {asked === 'release'
            ? 'The email is sent as soon as possible. If a mail server already has it, the recipient gets it twice.'
            : 'It ends here and is never sent.'}
        </p>
      </Confirm>
    </>
  );
}
