/** The two ways in which a command fails: it cannot be understood, or it cannot be done. */

/** The command cannot be understood; the message says why and holds no personal data. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed; the message is for the operator and holds no personal data. Exit code 1. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
  /** One word for programs, such as `not_found`. */
  readonly type: string;

  constructor(message: string, options: { readonly type?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.type = options.type ?? 'failed';
  }
}
