/** A contact for a key that may see people, but no histories: who it is now, and in which lists. */
import { isUnknown, useAnswer } from '../../answers.js';
import { Show, Table } from '../../parts/answer.js';
import { Page } from '../../parts/page.js';
import { Unknown } from '../../parts/unknown.js';
import { Code, Mark, Written } from '../../parts/text.js';

export function PresentOnly({ id }: { readonly id: string }) {
  const answer = useAnswer(
    async (client, signal) => {
      const { data } = await client.getDocument({ path: { name: 'contacts', id }, signal });
      const { email } = data.document;
      if (typeof email !== 'string') return null;
      return (await client.findContact({ query: { email }, signal })).data;
    },
    [id],
  );
  if (isUnknown(answer.error))
    return (
      <Unknown what="contact" id={id}>
        If there was one, it was erased. Keys with the scope audit:read see its history.
      </Unknown>
    );
  return (
    <Page title="Contact">
      <p class="quiet">
        <Code>{id}</Code> Its history is shown to keys with the scope audit:read.
      </p>
      <Show answer={answer}>
        {(contact) =>
          contact === null ? (
            <p class="note">This person was erased.</p>
          ) : (
            <>
              <p>
                <Written text={contact.email} /> <Written text={contact.firstName} />{' '}
                <Written text={contact.lastName} />
              </p>
              <Table caption="Lists" columns={['List', 'Status', 'Tags']}>
                {contact.subscriptions.map(({ list_id: list, list_name: name, status, tags }) => (
                  <tr key={list}>
                    <th scope="row">
                      <Written text={name} />
                    </th>
                    <td>
                      <Mark kind={status === 'Subscribed' ? 'good' : 'warn'}>{status}</Mark>
                    </td>
                    <td>
                      {tags.map((tag) => (
                        <span key={tag.tag_id} class="tag">
                          <Written text={tag.tag_name} />
                        </span>
                      ))}
                    </td>
                  </tr>
                ))}
              </Table>
            </>
          )
        }
      </Show>
    </Page>
  );
}
