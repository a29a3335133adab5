/** Why a command ends early: it cannot be understood, it cannot be done, or it was interrupted. */

/** The command cannot be understood; the message says why and holds no personal data. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed; the message is for the operator and holds no personal data. Exit code 1. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
  readonly type: string;

  constructor(message: string, options: { readonly type?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.type = options.type ?? 'failed';
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
