/** Work on several addresses at once, which takes its turn after all earlier work on one of them. */
import { comparedAddress, isAddress } from '../events/address.js';
import { createKeyedQueue } from '../flow/serial.js';

/**
 * Begins nothing after a failure, and rejects with its error: a row must not be saved before an earlier row of its address,
 * which an import that continues sends again.
 */
export function createAddressTurns() {
  const queue = createKeyedQueue<string>();
  let failure: { readonly error: unknown } | undefined;

  async function unlessFailed<Result>(work: () => Promise<Result>): Promise<Result> {
    if (failure !== undefined) throw failure.error;
    try {
      return await work();
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }

  return <Result>(given: readonly unknown[], work: () => Promise<Result>): Promise<Result> =>
    queue.run(new Set(given.map(compared)), () => unlessFailed(work));
}

/** What is no address is refused wherever it stands. */
function compared(given: unknown): string {
  const text = String(given).trim();
  return isAddress(text) ? comparedAddress(text) : text;
}
