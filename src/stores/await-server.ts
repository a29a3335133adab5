/** Waits at a start for a server that may still come, and gives up on one that never will. */
import { setTimeout as sleep } from 'node:timers/promises';

/** What one look at a server showed. Reasons hold neither credentials nor personal data. */
export type ServerVerdict =
  | { readonly status: 'ready' }
  /** It may still come. */
  | { readonly status: 'unreachable' | 'not_ready'; readonly reason: string }
  /** Waiting does not help: credentials, certificates, an address that cannot be used. */
  | { readonly status: string; readonly reason: string };

export interface AwaitedServer {
  /** What the operator calls it. */
  readonly name: string;
  readonly check: () => Promise<ServerVerdict>;
  /** Told at each try that found nobody. */
  readonly onWaiting: (reason: string) => void;
  /** Milliseconds. */
  readonly patience?: number;
}

/** The start cannot go on, for this reason. */
export class ServerRefusedError extends Error {
  override readonly name = 'ServerRefusedError';
}

const patienceMs = 60_000;
const backOffMs = { first: 250, most: 5_000 };

/** Resolves when the server is ready. @throws ServerRefusedError when it never will be, or was not in time. */
export async function awaitServer({ name, check, onWaiting, patience = patienceMs }: AwaitedServer): Promise<void> {
  const deadline = performance.now() + patience;
  for (let pause = backOffMs.first; ; pause = Math.min(backOffMs.most, pause * 2)) {
    const verdict = await check();
    if (!('reason' in verdict)) return;
    const { status, reason } = verdict;
    if (status !== 'unreachable' && status !== 'not_ready')
      throw new ServerRefusedError(`${name} cannot be used: ${explanations[status] ?? status}. ${reason}`);
    if (performance.now() + pause > deadline)
      throw new ServerRefusedError(`${name} was not there within ${patience / 1_000} s: ${reason}`);
    onWaiting(reason);
    await sleep(pause);
  }
}

const explanations: Readonly<Record<string, string>> = {
  refused: 'it refuses these credentials, or what this user may do is not enough',
  tls: 'no secure connection can be made (certificate, or TLS on one side only)',
  foreign: 'what answers there is not EventStoreDB',
  unusable: 'the address, or the server it leads to, is not usable',
};
