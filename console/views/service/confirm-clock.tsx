/** A button that trusts the clock of the service, after a question. */
import { useState } from 'preact/hooks';
import { useAction } from '../../answers.js';
import { Confirm } from '../../parts/dialog.js';

export function ConfirmClock() {
  const [isAsked, setIsAsked] = useState(false);
  const action = useAction((client) => client.confirmClock());
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={() => setIsAsked(true)}>
          Confirm the clock
        </button>
      </p>
      <Confirm
        title="Confirm the clock"
        verb="Confirm"
        isOpen={isAsked}
        action={action}
        onClose={() => setIsAsked(false)}
        onConfirm={() =>
          void action.run().then((isDone) => {
            if (isDone) setIsAsked(false);
          })
        }
      >
        <p>
          Compare the clock of the service with the right time first. Once it is trusted, emails can be given up, old
          content can be erased, and keys expire for good.
        </p>
      </Confirm>
    </>
  );
}
