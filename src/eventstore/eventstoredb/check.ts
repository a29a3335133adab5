/** One look at an EventStoreDB, for the start: is it there, may it still come, or is there something to be put right first? */
import { openConnection, type Connection } from './connection.js';
import { faultOf, NotSentError, type Fault } from './faults.js';
import { allRequest } from './messages.js';
import { firstNode } from './url.js';

/** `reason` is for people and holds no credentials. */
export type EventStoreDbCheck =
  | { readonly status: 'ready' }
  /** It may still come. */
  | { readonly status: 'unreachable' | 'not_ready'; readonly reason: string }
  /** It will not come by itself: wrong credentials or too few rights, certificates, or no EventStoreDB at all. */
  | { readonly status: 'refused' | 'tls' | 'foreign'; readonly reason: string };

export interface CheckOptions {
  readonly connection: Connection;
  readonly url: string;
  readonly silenceMs: number;
}

/** One cheap read of the leader, with the right that following the log needs. Does not throw. */
export async function checkEventStoreDb({ connection, url, silenceMs }: CheckOptions): Promise<EventStoreDbCheck> {
  const fault = await look(connection, silenceMs);
  if (fault === undefined) return { status: 'ready' };
  return meaning(fault.searching ? ((await reasonOfSeed(url, silenceMs)) ?? fault) : fault);
}

async function look(
  connection: Connection,
  silenceMs: number,
): Promise<(Fault & { readonly searching: boolean }) | undefined> {
  try {
    await connection.read({
      request: allRequest(undefined, { backwards: true, count: 1 }),
      take: () => true,
      silenceMs,
    });
    return undefined;
  } catch (error) {
    return { ...faultOf(error), searching: error instanceof NotSentError };
  }
}

/** Wrong certificates look like absent nodes while the client searches a cluster for its leader: ask a node itself. */
async function reasonOfSeed(url: string, silenceMs: number): Promise<Fault | undefined> {
  const seed = openConnection(firstNode(url));
  const fault = await look(seed, silenceMs);
  seed.close();
  return fault?.kind === 'tls' || fault?.kind === 'foreign' ? fault : undefined;
}

function meaning({ kind, text }: Fault): EventStoreDbCheck {
  const reason = `EventStoreDB: ${text}`;
  switch (kind) {
    case 'denied':
      return { status: 'refused', reason };
    case 'tls':
    case 'foreign':
      return { status: kind, reason };
    case 'not_ready':
    case 'not_leader':
      return { status: 'not_ready', reason };
    default:
      return { status: 'unreachable', reason };
  }
}
