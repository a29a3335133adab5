/** When the mailer looks for work: as soon as the views may show a new e-mail. */
import { isEmailStream } from '../events/streams.js';
import type { SubscriberRunner } from '../flow/subscriber.js';

/** E-mails of other processes are looked for at most this often, in milliseconds. */
const othersMailMs = 200;

interface WakeOptions {
  /** Other processes append, too. */
  readonly isShared: boolean;
  /** Calls with what this process has appended. */
  readonly onAppended: (listener: (append: { readonly stream: string; readonly position: string }) => void) => void;
  /** Calls when the views have moved on from this position, or have caught up for the first time. */
  readonly onMoved: (listener: (from: string) => void) => void;
}

export function wakeForMail(runner: Pick<SubscriberRunner, 'wake'>, options: WakeOptions): void {
  const { isShared, onAppended, onMoved } = options;
  /** Position of the last e-mail event of this process: until the views have passed it, each move of theirs may show a new e-mail. */
  let mailUntil = '';
  onAppended(({ stream, position }) => {
    if (isEmailStream(stream)) mailUntil = position;
  });
  onMoved((from) => {
    if (from === '' || from < mailUntil) runner.wake();
    else if (isShared) runner.wake(othersMailMs);
  });
}
