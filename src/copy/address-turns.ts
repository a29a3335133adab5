/** Work on several addresses at once, which takes its turn after all earlier work on one of them. */
import { comparedAddress, isAddress } from '../events/address.js';

export function createAddressTurns() {
  /** The last work on each address that has some. */
  const underWay = new Map<string, Promise<unknown>>();

  return async <Result>(given: readonly unknown[], work: () => Promise<Result>): Promise<Result> => {
    const addresses = new Set(given.map(compared));
    const before = new Set([...addresses].flatMap((address) => underWay.get(address) ?? []));
    const result = Promise.all(before).then(work);
    for (const address of addresses) underWay.set(address, result);
    try {
      return await result;
    } finally {
      for (const address of addresses) if (underWay.get(address) === result) underWay.delete(address);
    }
  };
}

/** What is no address is refused wherever it stands. */
function compared(given: unknown): string {
  const text = String(given).trim();
  return isAddress(text) ? comparedAddress(text) : text;
}
