/** API keys: who may do what, until when, and when they were last used. */
import { useState } from 'preact/hooks';
import type { components } from '../../client/client.js';
import { usePages } from '../answers.js';
import { Empty, PagedTable } from '../parts/answer.js';
import { Page } from '../parts/page.js';
import { Code, Mark, Time, Written } from '../parts/text.js';
import { session } from '../session.js';
import { CreateKey } from './keys/create-key.js';
import { RevokeKey } from './keys/revoke-key.js';
import { RotateKey } from './keys/rotate-key.js';

type ApiKey = components['schemas']['ApiKey'];

const kinds: Readonly<Record<string, 'good' | 'bad' | 'plain'>> = { active: 'good', revoked: 'bad' };

export function Keys() {
  const [asked, setAsked] = useState<{ readonly what: 'create' | 'rotate' | 'revoke'; readonly key?: ApiKey }>();
  const pages = usePages('keys', (client, query, signal) => client.listApiKeys({ query, signal }));
  const close = (): void => {
    setAsked(undefined);
    pages.reload();
  };
  const own = session.value?.key;
  return (
    <Page title="Keys">
      <p class="quiet">
        You are signed in with <Written text={own?.name} />. A key gives no scope and no time that it does not have
        itself. Keys of the configuration are not in this table.
      </p>
      <p>
        <button type="button" class="primary" onClick={() => setAsked({ what: 'create' })}>
          Create a key
        </button>
      </p>
      <PagedTable
        pages={pages}
        caption="API keys"
        columns={['Name', 'State', 'Scopes', 'Last used', 'Ends', 'Changes']}
        keyOf={({ key_id }) => key_id}
        row={(key) => (
          <>
            <th scope="row">
              <Written text={key.name} />
              <br />
              <Code>{key.key_id}</Code>
            </th>
            <td>
              <Mark kind={kinds[key.state] ?? 'plain'}>{key.state}</Mark>
            </td>
            <td>{key.scopes.join(', ')}</td>
            <td>{key.last_used_at === null ? 'never, or not known' : <Time at={key.last_used_at} />}</td>
            <td>
              <KeyEnd apiKey={key} />
            </td>
            <td>
              {key.state === 'active' && (
                <div class="buttons">
                  <button type="button" onClick={() => setAsked({ what: 'rotate', key })}>
                    Rotate<span class="unseen"> {key.key_id}</span>
                  </button>
                  <button type="button" onClick={() => setAsked({ what: 'revoke', key })}>
                    Revoke<span class="unseen"> {key.key_id}</span>
                  </button>
                </div>
              )}
            </td>
          </>
        )}
        empty={
          <Empty request={'POST /v1/keys {"name": "Shop", "scopes": ["contacts:write"]}'}>
            There are no keys except those of the configuration.
          </Empty>
        }
      />
      <CreateKey isOpen={asked?.what === 'create'} onClose={close} />
      <RotateKey apiKey={asked?.what === 'rotate' ? asked.key : undefined} onClose={close} />
      <RevokeKey apiKey={asked?.what === 'revoke' ? asked.key : undefined} onClose={close} />
    </Page>
  );
}

function KeyEnd({ apiKey }: { readonly apiKey: ApiKey }) {
  if (apiKey.revoked_at !== null)
    return (
      <>
        revoked <Time at={apiKey.revoked_at} />
      </>
    );
  return (
    <>
      {apiKey.expires_at === null ? 'no end' : <Time at={apiKey.expires_at} />}
      {apiKey.previous_until !== null && (
        <>
          <br />
          <span class="quiet">
            the secret before: until <Time at={apiKey.previous_until} />
          </span>
        </>
      )}
    </>
  );
}
