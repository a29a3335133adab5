/** What a rebuild asks of the projector, and what it is answered: plain objects, for they cross threads. */
import type { Checkpoint } from '../readmodels/read-models.js';
import type { ParkedStream } from '../projector/parked.js';
import type { Storages } from '../projector/storage.js';

export type Order =
  /** Catch these storages up to where the live views are, and feed them from then on. */
  | {
      readonly type: 'feed';
      readonly id: string;
      readonly storages: Storages;
      /** Of the fill, as it stands. */
      readonly from: Checkpoint;
      /** Of the lease under which it was filled. */
      readonly epoch?: number;
      /** What a poison event does: park its stream, or end the feeding. */
      readonly park: boolean;
    }
  /** They are live from now on. */
  | { readonly type: 'switch'; readonly id: string }
  /** They are fed no more. */
  | { readonly type: 'discard'; readonly id: string }
  /** What has been live no more for a while is dropped. */
  | {
      readonly type: 'retire';
      /** The projector's count of what has given readers time anew: with another one the order comes too early. */
      readonly term: number;
    };

export type OrderAnswer =
  | { readonly type: 'fed' | 'switched' | 'discarded'; readonly id: string }
  /** The storages are not fed any more. */
  | { readonly type: 'lost'; readonly id: string; readonly reason: string; readonly poison?: Poison };

/** An event that cannot be folded, without its body. */
export type Poison = Omit<ParkedStream, 'storage'>;

export interface Orders {
  give(order: Order): void;
  take(): Order | undefined;
  isWaiting(): boolean;
  /** One listener, told of each order that is given. */
  onGiven(listener: () => void): void;
}

export function createOrders(): Orders {
  const waiting: Order[] = [];
  let given = (): void => undefined;
  return {
    give(order) {
      waiting.push(order);
      given();
    },
    take: () => waiting.shift(),
    isWaiting: () => waiting.length > 0,
    onGiven(listener) {
      given = listener;
    },
  };
}
