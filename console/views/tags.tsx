/** All tags, and how each was used. */
import { useAnswer, usePages } from '../answers.js';
import { to } from '../addresses.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Written, formatNumber } from '../parts/text.js';
import { may } from '../session.js';

export function Tags() {
  const pages = usePages('tags', (client, cursor, signal) =>
    client.listTags({ query: { limit: 25, ...(cursor !== undefined && { cursor }) }, signal }),
  );
  const isCounted = may('analytics:read');
  return (
    <Page title="Tags">
      <PagedTable
        pages={pages}
        caption="Tags"
        columns={['Name', ...(isCounted ? [{ number: 'In use' }] : []), 'Id']}
        keyOf={({ tag_id }) => tag_id}
        row={({ tag_id, tag_name }) => (
          <>
            <th scope="row">
              <a href={to('/tags', tag_id)}>
                <Written text={tag_name} />
              </a>
            </th>
            {isCounted && (
              <td class="number">
                <InUse tagId={tag_id} />
              </td>
            )}
            <td>
              <Code>{tag_id}</Code>
            </td>
          </>
        )}
        empty={<Empty request={'POST /v1/tags/create {"tag_name": "VIP"}'}>There are no tags yet.</Empty>}
      />
    </Page>
  );
}

/** Contacts in lists that bear it, at the end of today. */
function InUse({ tagId }: { readonly tagId: string }) {
  const today = new Date().toISOString().slice(0, 10);
  const { data, error } = useAnswer(
    (client, signal) => client.getTagUse({ path: { tag_id: tagId }, query: { from: today }, signal }),
    [tagId, today],
  );
  if (error !== undefined) return <span title="The count could not be asked for">?</span>;
  const inUse = data?.data.rows.at(-1)?.in_use;
  return <>{inUse === undefined ? '' : formatNumber(inUse)}</>;
}
