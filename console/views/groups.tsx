/** All groups. */
import { usePages } from '../answers.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Written } from '../parts/text.js';

export function Groups() {
  const pages = usePages('groups', (client, query, signal) => client.listGroups({ query, signal }));
  return (
    <Page title="Groups">
      <PagedTable
        pages={pages}
        caption="Groups"
        columns={['Name', 'Id']}
        keyOf={({ group_id }) => group_id}
        row={({ group_id, group_name }) => (
          <>
            <th scope="row">
              <Written text={group_name} />
            </th>
            <td>
              <Code>{group_id}</Code>
            </td>
          </>
        )}
        empty={<Empty request={'POST /v1/groups/create {"group_name": "Shop"}'}>There are no groups.</Empty>}
      />
    </Page>
  );
}
