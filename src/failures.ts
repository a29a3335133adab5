/** Why a command ends early: it cannot be understood, it cannot be done, or it was interrupted. */

/** The command cannot be understood; the message says why and holds no personal data. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface Failure {
  readonly type?: string;
  readonly cause?: unknown;
  /** Where it is said, also a check ends with it. */
  readonly exitCode?: 1 | 2;
}

/** The command failed; the message is for the operator and holds no personal data. Exit code 1, unless it says another. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
  readonly type: string;
  readonly exitCode: 1 | 2 | undefined;

  constructor(message: string, { type = 'failed', cause, exitCode }: Failure = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.type = type;
    this.exitCode = exitCode;
  }
}

/** A check came to no answer: the cause says why. Exit code 2. */
export class NotCheckedError extends Error {
  override readonly name = 'NotCheckedError';

  constructor(cause: unknown) {
    super('not checked', { cause });
  }
}

export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Why nothing is copied, in words for the operator. What the message does not name was not written. */
export const refusedError = (message: string, cause?: unknown): CommandFailedError =>
  new CommandFailedError(`Refused: ${message}`, { type: 'refused', cause });
