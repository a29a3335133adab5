/** All lists, and how many are subscribed to each. */
import type { components } from '../../client/client.js';
import { usePages, type PageOf } from '../answers.js';
import { to } from '../addresses.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Written, formatNumber } from '../parts/text.js';
import { may } from '../session.js';

type Counted = components['schemas']['ListCount'];
type Shown = Omit<Counted, 'subscribed'> & Partial<Counted>;

export function Lists() {
  const isCounted = may('analytics:read');
  const pages = usePages<PageOf<Shown>>(
    isCounted ? 'lists counted' : 'lists',
    (client, query, signal) =>
      isCounted ? client.listListCounts({ query, signal }) : client.listLists({ query, signal }),
    25,
  );
  return (
    <Page title="Lists">
      <PagedTable
        pages={pages}
        caption="Lists"
        columns={['Name', ...(isCounted ? [{ number: 'Subscribed' }] : []), 'Id']}
        keyOf={({ list_id }) => list_id}
        row={({ list_id, list_name, subscribed }) => (
          <>
            <th scope="row">
              <a href={to('/lists', list_id)}>
                <Written text={list_name} />
              </a>
            </th>
            {isCounted && <td class="number">{subscribed !== undefined && formatNumber(subscribed)}</td>}
            <td>
              <Code>{list_id}</Code>
            </td>
          </>
        )}
        empty={<Empty request={'POST /v1/lists/create {"list_name": "News"}'}>There are no lists.</Empty>}
      />
    </Page>
  );
}
