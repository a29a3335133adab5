/** By whom something was done, and on which request. */
import { to } from '../../addresses.js';
import { Code, Written } from '../../parts/text.js';
import type { KeyNames } from './key-names.js';

interface OriginProps {
  readonly actor: string | undefined;
  readonly requestId: string | undefined;
  readonly keyNames: KeyNames;
}

export const Origin = ({ actor, requestId, keyNames }: OriginProps) => (
  <>
    {actor !== undefined && (
      <>
        {' '}
        by {withoutKey.has(actor) ? 'the' : 'key'} {keyNames.has(actor) && <Written text={keyNames.get(actor)} />}{' '}
        <Code>{actor}</Code>
      </>
    )}
    {requestId !== undefined && (
      <>
        , request{' '}
        <a href={to('/log', undefined, { request: requestId })}>
          <Code>{requestId}</Code>
        </a>
      </>
    )}
  </>
);

/** Who acts without an API key. */
const withoutKey: ReadonlySet<string> = new Set(['mailer', 'recipient', 'service', 'cli']);
