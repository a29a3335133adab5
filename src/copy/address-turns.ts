/** Runs work on several addresses after all earlier work on any of these addresses. */
import { comparedAddress, isAddress } from '../events/address.js';
import { createKeyedQueue } from '../flow/serial.js';

/**
 * Creates the turns. After a failure no work begins, and each call rejects with the error of the failure. Otherwise a row
 * would be saved before an earlier row of its address, because an import that continues sends the earlier row again.
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

/** Returns the address in the form in which addresses are compared. The service refuses what is not an address. */
function compared(given: unknown): string {
  const text = String(given).trim();
  return isAddress(text) ? comparedAddress(text) : text;
}
