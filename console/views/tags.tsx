/** All tags, and how each was used. */
import { usePages } from '../answers.js';
import { to } from '../addresses.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Written } from '../parts/text.js';

export function Tags() {
  const pages = usePages('tags', (client, cursor, signal) =>
    client.listTags({ query: { limit: 50, ...(cursor !== undefined && { cursor }) }, signal }),
  );
  return (
    <Page title="Tags">
      <PagedTable
        pages={pages}
        caption="Tags"
        columns={['Name', 'Id']}
        keyOf={({ tag_id }) => tag_id}
        row={({ tag_id, tag_name }) => (
          <>
            <td>
              <a href={to('/tags', tag_id)}>
                <Written text={tag_name} />
              </a>
            </td>
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
