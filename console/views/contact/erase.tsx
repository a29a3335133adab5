/** Erases a person, after the address was typed once more; and says how far the erasure is. */
import { useState } from 'preact/hooks';
import { useAction, useAnswer, useReloads } from '../../answers.js';
import { Show } from '../../parts/answer.js';
import { Confirm } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Code, Mark, Time, Written } from '../../parts/text.js';

interface EraseProps {
  readonly email: string;
  readonly isOpen: boolean;
  onClose(): void;
  readonly onDone: () => void;
}

export function Erase({ email, isOpen, onClose, onDone }: EraseProps) {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [erasureId, setErasureId] = useState<string>();
  const action = useAction(async (client) => {
    const { data } = await client.requestErasure({ body: { email, ...(reason !== '' && { reason }) } });
    setErasureId(data.erasure_id);
  });
  const close = (): void => {
    setTyped('');
    onClose();
  };
  return (
    <>
      {erasureId !== undefined && <Erasure id={erasureId} />}
      <Confirm
        title="Erase the person"
        verb="Erase"
        isDangerous
        isOpen={isOpen}
        isReady={typed.trim() === email}
        action={action}
        onClose={close}
        onConfirm={() =>
          void action.run().then((isDone) => {
            if (!isDone) return;
            close();
            onDone();
          })
        }
      >
        <p>
          This cannot be undone. Everything personal about <Written text={email} /> is removed for good: profile,
          consents, and sender, recipient, subject and text of every e-mail. E-mails that wait are cancelled.
        </p>
        <p>
          What stays, under a pseudonym: which lists and tags there were, what happened when, by which key and request.
          Mail that is refused stays refused.
        </p>
        <p>Whether the request comes from the person is checked by people, before.</p>
        <Field label="Type the address to confirm" value={typed} onInput={setTyped} isRequired />
        <Field
          label="Reason (optional)"
          value={reason}
          onInput={setReason}
          hint="A code. It stays in the log: nothing personal."
        />
      </Confirm>
    </>
  );
}

function Erasure({ id }: { readonly id: string }) {
  const answer = useAnswer(
    async (client, signal) => (await client.getErasure({ path: { erasure_id: id }, signal })).data,
    [id],
  );
  return (
    <div class="note" role="status">
      <Show answer={answer}>
        {({ status, completed_at: at, emails }) => (
          <p>
            Erasure <Code>{id}</Code>: <Mark kind={at === null ? 'warn' : 'good'}>{status}</Mark>{' '}
            {at !== null && (
              <>
                <Time at={at} isExact />, with {emails} e-mails
              </>
            )}
            {at === null && <Again reload={answer.reload} />}
          </p>
        )}
      </Show>
    </div>
  );
}

/** As long as it is shown. */
function Again({ reload }: { readonly reload: () => void }) {
  useReloads({ reload }, 1_000);
  return null;
}
