/** What leaves the stand-in for EventStoreDB on one read or subscription: at the client's pace, and as its fault allows. */
import type { ServerWritableStream } from '@grpc/grpc-js';
import { once } from 'node:events';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { CallError } from './errors.js';
import { errorOf, type Strike } from './faults.js';
import type { ReadAnswer } from './reads.js';

/** Functions that answer a boolean say whether the call goes on. */
export interface Outlet {
  /** Aborted when the client has left or the connection is gone. */
  readonly signal: AbortSignal;
  begin(): Promise<boolean>;
  /** What comes before the events of a subscription. */
  confirm(message: ReadAnswer): Promise<boolean>;
  send(message: ReadAnswer): Promise<boolean>;
  sendEvent(message: ReadAnswer): Promise<boolean>;
  /** What was sent before arrives before it. */
  fail(error: CallError): void;
  end(): void;
}

interface OutletParts {
  readonly strike: Strike | undefined;
  readonly leader: () => { readonly host: string; readonly port: number };
  readonly reset: (peer: string) => void;
}

export function createOutlet(
  call: ServerWritableStream<ReadReq, ReadAnswer>,
  { strike, leader, reset }: OutletParts,
): Outlet {
  const gone = new AbortController();
  const { signal } = gone;
  const peer = call.getPeer();
  /** A subscription is dropped after it has been confirmed. */
  const strikesAfter = strike?.afterEvents ?? (strike?.type === 'drop' ? 0 : undefined);
  let events = 0;
  let isOver = false;
  call.on('cancelled', () => gone.abort());
  call.on('close', () => gone.abort());

  function fail(error: CallError): void {
    if (isOver) return;
    isOver = true;
    if (!signal.aborted) call.emit('error', error);
  }

  async function meet({ type, released }: Strike): Promise<boolean> {
    const error = errorOf(type, leader());
    if (error !== undefined) {
      fail(error);
      return false;
    }
    if (type === 'reset') {
      isOver = true;
      reset(peer);
      return false;
    }
    if (type === 'hang') await Promise.race([released, aborted(signal)]);
    return !signal.aborted;
  }

  const meetAt = async (count: number | undefined): Promise<boolean> =>
    strike === undefined || strikesAfter !== count ? true : meet(strike);

  async function send(message: ReadAnswer): Promise<boolean> {
    if (signal.aborted || isOver) return false;
    if (!call.write(message)) await once(call, 'drain', { signal }).catch(() => undefined);
    return !isAborted(signal);
  }

  return {
    signal,
    begin: () => meetAt(undefined),
    confirm: async (message) => (await send(message)) && meetAt(0),
    send,
    async sendEvent(message) {
      if (!(await send(message))) return false;
      events += 1;
      return strike === undefined ? true : meetAt(events);
    },
    fail,
    end() {
      if (isOver || signal.aborted) return;
      isOver = true;
      call.end();
    },
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** A function, because the answer changes while one waits. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;
