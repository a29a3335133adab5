/** One look at an EventStoreDB, for the start: is it there, may it still come, or is there something to be put right first? */
import { BACKWARDS, END } from '@eventstore/db-client';
import type { Connection } from './connection.js';
import { serverFaultOf, type FaultKind } from './faults.js';

/** `refused`, `tls`, `foreign`: it will not come by itself. `reason` is for people and holds no credentials. */
export type EventStoreDbCheck =
  | { readonly status: 'ready' }
  | { readonly status: 'unreachable' | 'not_ready' | 'refused' | 'tls' | 'foreign'; readonly reason: string };

const statuses: Partial<Record<FaultKind, Exclude<EventStoreDbCheck['status'], 'ready'>>> = {
  denied: 'refused',
  tls: 'tls',
  foreign: 'foreign',
  not_ready: 'not_ready',
  not_leader: 'not_ready',
};

/** One cheap read of the leader, with the right that following the log needs. Does not throw. */
export async function checkEventStoreDb(connection: Connection, silenceMs: number): Promise<EventStoreDbCheck> {
  try {
    await connection.read({
      start: (client, base) => client.readAll({ ...base, direction: BACKWARDS, fromPosition: END, maxCount: 1 }),
      take: () => true,
      silenceMs,
    });
    return { status: 'ready' };
  } catch (error) {
    const { kind, text } = serverFaultOf(error);
    const hint = text.includes('wrong version number')
      ? ' (the URL asks for TLS: does the server speak it, or is tls=false missing?)'
      : '';
    return { status: statuses[kind] ?? 'unreachable', reason: `EventStoreDB: ${text}${hint}` };
  }
}
