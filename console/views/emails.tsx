/** E-mail: what needs a person first, each state with its e-mails, and what became of all over time. */
import { useLocation } from 'preact-iso';
import { to } from '../addresses.js';
import { usePages } from '../answers.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Time, Written, formatNumber } from '../parts/text.js';
import { may } from '../session.js';
import { ChangeMany } from './emails/change-many.js';
import { Outcomes } from './emails/outcomes.js';
import { EmailMark, states, stateTexts, type State } from './emails/states.js';

export function Emails() {
  const { query } = useLocation();
  const isOverTime = query['show'] === 'outcomes' && may('analytics:read');
  const state = states.find((name) => name === query['state']) ?? 'held';
  return (
    <Page title="E-mail">
      <nav class="sections" aria-label="Parts of this page">
        {states.map((name) => (
          <a
            key={name}
            href={to('/emails', undefined, { state: name })}
            aria-current={!isOverTime && name === state ? 'page' : undefined}
          >
            {stateTexts[name].name}
          </a>
        ))}
        {may('analytics:read') && (
          <a href={to('/emails', undefined, { show: 'outcomes' })} aria-current={isOverTime ? 'page' : undefined}>
            Over time
          </a>
        )}
      </nav>
      {isOverTime ? <Outcomes /> : <InState key={state} state={state} />}
    </Page>
  );
}

function InState({ state }: { readonly state: State }) {
  const pages = usePages(`emails ${state}`, (client, request, signal) =>
    client.listEmails({ query: { state, ...request }, signal }),
  );
  return (
    <>
      <p class="quiet">{stateTexts[state].meaning}</p>
      {may('email:write') && <ChangeMany state={state} onDone={pages.reload} />}
      <PagedTable
        pages={pages}
        caption={`E-mails: ${stateTexts[state].name}`}
        columns={['E-mail', 'State', 'Requested', 'Sent', { number: 'Attempts' }, 'Last failure']}
        keyOf={({ email_id }) => email_id}
        row={(email) => (
          <>
            <th scope="row">
              <a href={to('/emails', email.email_id)}>
                <Code>{email.email_id}</Code>
              </a>
            </th>
            <td>
              <EmailMark email={email} />
            </td>
            <td>
              <Time at={email.requested_at} />
            </td>
            <td>
              <Time at={email.sent_at} />
            </td>
            <td class="number">{formatNumber(email.attempts)}</td>
            <td>
              <Written text={email.last_error} />
            </td>
          </>
        )}
        empty={
          <Empty request={'POST /v1/email/send {"from_email": …, "to_email": …, "subject": …, "mail_template": …}'}>
            No emails in this state.
          </Empty>
        }
      />
    </>
  );
}
