/** Waits at a start for a server that is not there yet, and gives up on one that cannot be used. */
import { pause, unlessAborted } from '../flow/abort.js';
import { backOff } from '../flow/backoff.js';

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
const pauses = { first: 250, most: 5_000 };

/** Resolves when the server is ready. @throws ServerRefusedError when it cannot be used, or was not ready in time. @throws the signal's reason */
export async function awaitServer({
  name,
  check,
  waitsFor = mayPass,
  onWaiting,
  signal,
}: AwaitedServer): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let round = 0; ; round += 1) {
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
    const pauseMs = backOff(round, pauses);
    if (performance.now() + pauseMs > deadline)
      throw new ServerRefusedError(`${name} was not there within ${timeoutMs / 1_000} s: ${reason}`, 'absent', reason);
    onWaiting?.(reason, status);
    await pause(pauseMs, signal);
    signal?.throwIfAborted();
  }
}

const explanations: Readonly<Record<string, string>> = {
  refused: 'it refuses these credentials, or what this user may do is not enough',
  tls: 'no secure connection can be made (certificate, or TLS on one side only)',
  foreign: 'what answers there is not EventStoreDB',
  unusable: 'the address, or the server it leads to, is not usable',
};
