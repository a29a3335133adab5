/** One list: how it grew, who is in it, and who was in it at any time. */
import { useLocation } from 'preact-iso';
import type { AudienceClient } from '../../client/client.js';
import { to } from '../addresses.js';
import { isUnknown, useAnswer } from '../answers.js';
import { ErrorNote, Show } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Time, Written } from '../parts/text.js';
import { Unknown } from '../parts/unknown.js';
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
  const list = useAnswer((client, signal) => client.getList({ path: { list_id: id }, signal }), [id]);
  if (isUnknown(list.error)) return <Gone id={id} />;
  return (
    <Page title="List" heading={list.data === undefined ? 'List' : <Written text={list.data.data.list_name} />}>
      <p class="quiet">
        <Code>{id}</Code>
      </p>
      <ErrorNote error={list.error} />
      <Parts id={id} offered={parts.filter(({ scope }) => may(scope))} />
    </Page>
  );
}

/** A list that does not exist now: it was deleted, or there never was one. */
function Gone({ id }: { readonly id: string }) {
  const past = useAnswer((client, signal) => pastOf(client, id, signal), [id]);
  if (past.data === undefined)
    return (
      <Page title="List">
        <Show answer={past}>{() => null}</Show>
      </Page>
    );
  const { isKnown, deletedAt } = past.data;
  if (isKnown !== true)
    return (
      <Unknown what="list" id={id}>
        {isKnown === undefined && 'If there was one, it was deleted.'}
      </Unknown>
    );
  return (
    <Page title="List">
      <p class="quiet">
        <Code>{id}</Code>
      </p>
      <p class="note">
        This list was deleted at <Time at={deletedAt} isExact />. Its history is still here.
      </p>
      <Parts id={id} offered={parts.filter(({ scope, name }) => may(scope) && name !== 'members')} />
    </Page>
  );
}

interface PartsProps {
  readonly id: string;
  readonly offered: readonly (typeof parts)[number][];
}

function Parts({ id, offered }: PartsProps) {
  const { show } = useLocation().query;
  const { name: shown, Part } = offered.find(({ name }) => name === show) ?? offered[0] ?? {};
  return (
    <>
      <nav class="sections" aria-label="Parts of this page">
        {offered.map(({ name, text }) => (
          <a key={name} href={to('/lists', id, { show: name })} aria-current={name === shown ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {Part !== undefined && <Part key={id} id={id} />}
    </>
  );
}

interface Past {
  /** Whether the list exists or existed before. Undefined if the key may not see that. */
  readonly isKnown: boolean | undefined;
  readonly deletedAt?: string | undefined;
}

/** Returns what is known of a list that does not exist now. */
async function pastOf(client: AudienceClient, id: string, signal: AbortSignal): Promise<Past> {
  try {
    if (may('analytics:read')) {
      const { data } = await client.getListGrowth({ path: { list_id: id }, query: { interval: 'month' }, signal });
      return { isKnown: true, deletedAt: data.deleted_at ?? undefined };
    }
    if (!may('audit:read')) return { isKnown: undefined };
    const query = { stream: 'lists', types: 'ListDeleted', list_id: id };
    for await (const { at } of client.events({ ...query, signal }))
      return { isKnown: true, deletedAt: at ?? undefined };
    return { isKnown: true };
  } catch (error) {
    if (isUnknown(error)) return { isKnown: false };
    throw error;
  }
}
