/** One list: how it grew, who is in it, and who was in it at any time. */
import { useLocation } from 'preact-iso';
import { AudienceError } from '../../client/client.js';
import { to } from '../addresses.js';
import { useAnswer } from '../answers.js';
import { ErrorNote } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Written } from '../parts/text.js';
import { may } from '../session.js';
import { AsItWas } from './list/as-it-was.js';
import { Difference } from './list/difference.js';
import { Growth } from './list/growth.js';
import { Members } from './list/members.js';

const parts = [
  { name: 'growth', text: 'Growth', scope: 'analytics:read', Part: Growth },
  { name: 'members', text: 'Members', scope: 'contacts:read', Part: Members },
  { name: 'at', text: 'As it was', scope: 'audit:read', Part: AsItWas },
  { name: 'difference', text: 'Difference', scope: 'audit:read', Part: Difference },
] as const;

export function List({ id = '' }: { readonly id?: string }) {
  const { show } = useLocation().query;
  const list = useAnswer((client, signal) => client.getList({ path: { list_id: id }, signal }), [id]);
  const offered = parts.filter(({ scope }) => may(scope));
  const { name: shown, Part } = offered.find(({ name }) => name === show) ?? offered[0] ?? {};
  const isGone = list.error instanceof AudienceError && list.error.statusCode === 404;
  return (
    <Page title="List" heading={list.data === undefined ? 'List' : <Written text={list.data.data.list_name} />}>
      <p class="quiet">
        <Code>{id}</Code>
      </p>
      {isGone ? (
        <p class="note">There is no such list now. If there was one, its history is still here.</p>
      ) : (
        <ErrorNote error={list.error} />
      )}
      <nav class="sections" aria-label="Parts of this page">
        {offered.map(({ name, text }) => (
          <a key={name} href={to('/lists', id, { show: name })} aria-current={name === shown ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {Part !== undefined && <Part key={id} id={id} />}
    </Page>
  );
}
