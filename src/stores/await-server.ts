/** Waits at a start for a server that is not there yet, and gives up on one that cannot be used. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** The result of one check. Reasons hold neither credentials nor personal data. */
export type ServerVerdict = { readonly status: 'ready' } | { readonly status: string; readonly reason: string };

export interface AwaitServerOptions {
  /** Statuses that may pass. Default: `unreachable` and `not_ready`. */
  readonly waitsFor?: readonly string[];
  /** Called after each try with the reason why the server is not there yet, and with the status of the check. */
  readonly onWaiting?: (reason: string, status: string) => void;
  readonly signal?: AbortSignal | undefined;
}

interface AwaitedServer extends AwaitServerOptions {
  readonly name: string;
  readonly check: () => Promise<ServerVerdict>;
}

export class ServerRefusedError extends Error {
  override readonly name = 'ServerRefusedError';

  /**
   * @param kind `address`: it cannot be used. `refused`: what answers there cannot. `absent`: it was not ready in time.
   * @param reason in the words of the server, or of the adapter
   */
  constructor(
    message: string,
    readonly kind: 'address' | 'refused' | 'absent',
    readonly reason: string,
  ) {
    super(message);
  }
}

const mayPass = ['unreachable', 'not_ready'];
const timeoutMs = 60_000;
const backOffMs = { first: 250, most: 5_000 };

/** Resolves when the server is ready. @throws ServerRefusedError when it cannot be used, or was not ready in time. @throws the signal's reason */
export async function awaitServer({
  name,
  check,
  waitsFor = mayPass,
  onWaiting,
  signal,
}: AwaitedServer): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = backOffMs.first; ; pause = Math.min(backOffMs.most, pause * 2)) {
    const verdict = await unlessAborted(check(), signal);
    if (!('reason' in verdict)) return;
    const { status, reason } = verdict;
    // Else waiting does not help: credentials, certificates, an address that cannot be used.
    if (!waitsFor.includes(status))
      throw new ServerRefusedError(
        `${name} cannot be used: ${explanations[status] ?? status}. ${reason}`,
        'refused',
        reason,
      );
    if (performance.now() + pause > deadline)
      throw new ServerRefusedError(`${name} was not there within ${timeoutMs / 1_000} s: ${reason}`, 'absent', reason);
    onWaiting?.(reason, status);
    await unlessAborted(sleep(pause), signal);
  }
}

/** Rejects with the signal's reason as soon as it is aborted; the work itself goes on. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  const settled = new AbortController();
  const aborted = once(signal, 'abort', { signal: settled.signal });
  try {
    await Promise.race([work, aborted]);
    signal.throwIfAborted();
    return await work;
  } finally {
    settled.abort();
  }
}

const explanations: Readonly<Record<string, string>> = {
  refused: 'it refuses these credentials, or what this user may do is not enough',
  tls: 'no secure connection can be made (certificate, or TLS on one side only)',
  foreign: 'what answers there is not EventStoreDB',
  unusable: 'the address, or the server it leads to, is not usable',
};
