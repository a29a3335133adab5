/** Lets mail of a scope go to an address again. */
import { useState } from 'preact/hooks';
import { useAction } from '../../answers.js';
import { Confirm } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Written } from '../../parts/text.js';

interface ReleaseProps {
  readonly email: string;
  /** `all`, or the id of a list. */
  readonly scope: string;
  /** The scope in words. */
  readonly mail: string;
  readonly onDone: () => void;
}

export function Release({ email, scope, mail, onDone }: ReleaseProps) {
  const [isOpen, setOpen] = useState(false);
  const [note, setNote] = useState('');
  const action = useAction((client) =>
    client.releaseSuppression({ body: { email, scope, reason: 'manual', ...(note !== '' && { note }) } }),
  );
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Release …
      </button>
      <Confirm
        title="Release mail"
        verb="Release"
        isOpen={isOpen}
        action={action}
        onClose={() => setOpen(false)}
        onConfirm={() =>
          void action.run().then((isDone) => {
            if (!isDone) return;
            setOpen(false);
            onDone();
          })
        }
      >
        <p>
          From now on <Written text={mail} /> may go to <Written text={email} /> again, whatever it was refused for. Do
          it only where the person wants that. What was refused stays on record.
        </p>
        <Field label="Note (optional)" value={note} onInput={setNote} />
      </Confirm>
    </>
  );
}
