/** E-mails that are being sent while an erasure waits for them: said once, and cut off where this process has sent for too long. */
import type { RunningEmail } from './erase.js';

/** An e-mail that this process is sending is waited for as long as this, in milliseconds. Then its connection is destroyed. */
const sendingMs = 60_000;

interface AwaitedEmailsOptions {
  /** Of this process, where it has one. */
  readonly mailer: { cutOff(stream: string): boolean } | undefined;
  readonly logger: Record<'info' | 'warn', (about: object, message: string) => void>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export function createAwaitedEmails({ mailer, logger, now }: AwaitedEmailsOptions) {
  /** By stream, since when. */
  const awaited = new Map<string, number>();
  return {
    /** Another process's attempt is waited for until its run has ended or its deadline has passed: then a mailer judges it. */
    waitFor(erasure_id: string, emails: readonly RunningEmail[]): void {
      for (const { stream, email_id, until } of emails) {
        const since = awaited.get(stream);
        if (since === undefined) {
          awaited.set(stream, now());
          logger.info({ erasure_id, email_id, until }, 'an erasure waits for an e-mail that is being sent');
        } else if (now() - since >= sendingMs && mailer?.cutOff(stream) === true) {
          awaited.set(stream, now());
          logger.warn({ erasure_id, email_id }, 'the connection of an e-mail was cut: an erasure waits for it');
        }
      }
    },
    /** No erasure waits any more. */
    forget: (): void => awaited.clear(),
  };
}
