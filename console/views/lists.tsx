/** All lists, and how many are subscribed to each. */
import { useAnswer, usePages } from '../answers.js';
import { to } from '../addresses.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Written, formatNumber } from '../parts/text.js';
import { may } from '../session.js';

export function Lists() {
  const pages = usePages('lists', (client, cursor, signal) =>
    client.listLists({ query: { limit: 25, ...(cursor !== undefined && { cursor }) }, signal }),
  );
  const isCounted = may('analytics:read');
  return (
    <Page title="Lists">
      <PagedTable
        pages={pages}
        caption="Lists"
        columns={['Name', ...(isCounted ? [{ number: 'Subscribed' }] : []), 'Id']}
        keyOf={({ list_id }) => list_id}
        row={({ list_id, list_name }) => (
          <>
            <th scope="row">
              <a href={to('/lists', list_id)}>
                <Written text={list_name} />
              </a>
            </th>
            {isCounted && (
              <td class="number">
                <Subscribed listId={list_id} />
              </td>
            )}
            <td>
              <Code>{list_id}</Code>
            </td>
          </>
        )}
        empty={
          <Empty request={'POST /v1/lists/create {"list_name": "News"}'}>
            There are no lists yet. People are subscribed to lists; each is counted here.
          </Empty>
        }
      />
    </Page>
  );
}

/** As it is at the end of today. */
function Subscribed({ listId }: { readonly listId: string }) {
  const today = new Date().toISOString().slice(0, 10);
  const { data, error } = useAnswer(
    (client, signal) => client.getListGrowth({ path: { list_id: listId }, query: { from: today }, signal }),
    [listId, today],
  );
  if (error !== undefined) return <span title="The count could not be asked for">?</span>;
  const total = data?.data.rows.at(-1)?.total;
  return <>{total === undefined ? '' : formatNumber(total)}</>;
}
