/** A question before something is done. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Action } from '../answers.js';
import { ErrorNote } from './answer.js';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** The browser's own: it keeps the focus inside, and Escape closes it. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen && element.current?.open === false) element.current.showModal();
    if (!isOpen) element.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      {isOpen && (
        <>
          <h2>{title}</h2>
          {children}
        </>
      )}
    </dialog>
  );
}

interface ConfirmProps extends DialogProps {
  /** On the button: what it does, "Revoke". */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** Until then the button does nothing. */
  readonly isReady?: boolean;
  readonly action: Pick<Action<[]>, 'error' | 'isRunning'>;
  onConfirm(): void;
}

/** Says what will happen, and does it only after the button was pressed. */
export function Confirm(props: ConfirmProps) {
  const { verb, isDangerous = false, isReady = true, action, onConfirm, children, ...dialog } = props;
  return (
    <Dialog {...dialog}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onConfirm();
        }}
      >
        {children}
        <ErrorNote error={action.error} />
        <p class="buttons">
          <button type="button" onClick={dialog.onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'dangerous' : 'primary'} disabled={!isReady || action.isRunning}>
            {action.isRunning ? `${verb} …` : verb}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
