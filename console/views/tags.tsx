/** All tags, and how each was used. */
import type { components } from '../../client/client.js';
import { usePages, type PageOf } from '../answers.js';
import { to } from '../addresses.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Written, formatNumber } from '../parts/text.js';
import { may } from '../session.js';

type Counted = components['schemas']['TagCount'];
type Shown = Omit<Counted, 'in_use'> & Partial<Counted>;

export function Tags() {
  const isCounted = may('analytics:read');
  const pages = usePages<PageOf<Shown>>(
    isCounted ? 'tags counted' : 'tags',
    (client, query, signal) =>
      isCounted ? client.listTagCounts({ query, signal }) : client.listTags({ query, signal }),
    25,
  );
  return (
    <Page title="Tags">
      <PagedTable
        pages={pages}
        caption="Tags"
        columns={['Name', ...(isCounted ? [{ number: 'In use' }] : []), 'Id']}
        keyOf={({ tag_id }) => tag_id}
        row={({ tag_id, tag_name, in_use }) => (
          <>
            <th scope="row">
              <a href={to('/tags', tag_id)}>
                <Written text={tag_name} />
              </a>
            </th>
            {isCounted && <td class="number">{in_use !== undefined && formatNumber(in_use)}</td>}
            <td>
              <Code>{tag_id}</Code>
            </td>
          </>
        )}
        empty={<Empty request={'POST /v1/tags/create {"tag_name": "VIP"}'}>There are no tags.</Empty>}
      />
    </Page>
  );
}
