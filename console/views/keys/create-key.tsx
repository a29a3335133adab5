/** Creates a key, and shows its secret once. */
import { useState } from 'preact/hooks';
import { useAction } from '../../answers.js';
import { Confirm, Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Secret } from '../../parts/secret.js';
import { allScopes, scopeTexts } from '../../scopes.js';
import { may, type Scope } from '../../session.js';

interface CreateKeyProps {
  readonly isOpen: boolean;
  onClose(): void;
}

export function CreateKey({ isOpen, onClose }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [end, setEnd] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set());
  const [secret, setSecret] = useState<string | null>();

  const action = useAction(async (client) => {
    const body = { name, scopes: [...chosen], ...(end !== '' && { expires_at: new Date(end).toISOString() }) };
    const { data } = await client.createApiKey({ body });
    setSecret(data.secret);
  });

  function toggle(scope: Scope, isOn: boolean): void {
    const next = new Set(chosen);
    if (isOn) next.add(scope);
    else next.delete(scope);
    setChosen(next);
  }

  function close(): void {
    setName('');
    setEnd('');
    setChosen(new Set());
    setSecret(undefined);
    onClose();
  }

  if (secret !== undefined)
    return (
      <Dialog title="The key was created" isOpen={isOpen} onClose={close}>
        {secret === null ? (
          <p>The answer got lost and was repeated without the secret. Rotate the key to get a new one.</p>
        ) : (
          <Secret label="API key" value={secret} />
        )}
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </Dialog>
    );

  return (
    <Confirm
      title="Create a key"
      verb="Create"
      isOpen={isOpen}
      isReady={name !== '' && chosen.size > 0}
      action={action}
      onClose={close}
      onConfirm={() => void action.run()}
    >
      <Field label="Name" value={name} onInput={setName} isRequired hint="Stands in the log as who acted, by its id." />
      <fieldset>
        <legend>What it may do</legend>
        {allScopes.filter(may).map((scope) => (
          <label class="check" key={scope}>
            <input
              type="checkbox"
              checked={chosen.has(scope)}
              onChange={({ currentTarget }) => toggle(scope, currentTarget.checked)}
            />
            <span>
              <code>{scope}</code> {scopeTexts[scope]}
            </span>
          </label>
        ))}
      </fieldset>
      <Field label="Ends (optional)" type="datetime-local" value={end} onInput={setEnd} hint="In your time zone." />
    </Confirm>
  );
}
