/** Ends a key for ever. */
import { useState } from 'preact/hooks';
import type { components } from '../../../client/client.js';
import { useAction } from '../../answers.js';
import { Confirm } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Written } from '../../parts/text.js';
import { session } from '../../session.js';

interface RevokeKeyProps {
  /** Undefined: none is asked for. */
  readonly apiKey: components['schemas']['ApiKey'] | undefined;
  onClose(): void;
}

export function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const [reason, setReason] = useState('');
  const action = useAction((client) =>
    client.revokeApiKey({ path: { key_id: apiKey?.key_id ?? '' }, body: reason === '' ? {} : { reason } }),
  );
  const isOwn = apiKey !== undefined && apiKey.key_id === session.value?.key.key_id;

  function close(): void {
    setReason('');
    onClose();
  }

  return (
    <Confirm
      title="Revoke a key"
      verb="Revoke"
      isDangerous
      isOpen={apiKey !== undefined}
      action={action}
      onClose={close}
      onConfirm={() =>
        void action.run().then((isDone) => {
          if (isDone) close();
        })
      }
    >
      <p>
        <Written text={apiKey?.name} /> is refused from now on, for ever. Requests that use it fail, and its open
        streams are cut.
      </p>
      {isOwn && <p class="note note-bad">You are signed in with this key.</p>}
      <Field label="Reason (optional)" value={reason} onInput={setReason} hint="Stays in the log: nothing personal." />
    </Confirm>
  );
}
