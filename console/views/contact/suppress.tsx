/** Refuses mail to an address from now on. */
import { useState } from 'preact/hooks';
import { useAction } from '../../answers.js';
import { Confirm } from '../../parts/dialog.js';
import { Choice, Field } from '../../parts/field.js';
import { Written } from '../../parts/text.js';

interface SuppressProps {
  readonly email: string;
  readonly isOpen: boolean;
  onClose(): void;
  readonly onDone: () => void;
}

const reasons = [
  ['manual', 'manual: somebody asked for it'],
  ['unsubscribe', 'unsubscribe: newsletters only'],
  ['complaint', 'complaint: called spam'],
  ['hard_bounce', 'hard bounce: there is no such mailbox'],
  ['repeated_bounces', 'repeated bounces: the mail server keeps refusing'],
] as const;
type Reason = (typeof reasons)[number][0];

export function Suppress({ email, isOpen, onClose, onDone }: SuppressProps) {
  const [reason, setReason] = useState<Reason>('manual');
  const [note, setNote] = useState('');
  const action = useAction((client) =>
    client.suppress({ body: { email, reason, scope: 'all', ...(note !== '' && { note }) } }),
  );
  return (
    <Confirm
      title="Suppress mail"
      verb="Suppress"
      isOpen={isOpen}
      action={action}
      onClose={onClose}
      onConfirm={() =>
        void action.run().then((isDone) => {
          if (!isDone) return;
          setNote('');
          onClose();
          onDone();
        })
      }
    >
      <p>
        From now on mail to <Written text={email} /> is refused: newsletters of every list, and for every reason but
        “unsubscribe” all other mail, too. The statuses in lists stay. It holds until it is released.
      </p>
      <Choice label="Reason" value={reason} options={reasons} onChange={(value) => setReason(value)} />
      <Field label="Note (optional)" value={note} onInput={setNote} />
    </Confirm>
  );
}
