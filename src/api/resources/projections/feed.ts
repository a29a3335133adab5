/** The progress of a rebuild as server-sent events: `progress` until it is over, then `result`, and the stream ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isOpen, type RebuildRecord } from '../../../rebuild/rebuild-record.js';

export interface RebuildFeed {
  readonly rebuilds: { status(): Promise<RebuildRecord | undefined> };
  readonly show: (record: RebuildRecord) => Promise<object>;
  readonly signal: AbortSignal;
  readonly isStopping: () => boolean;
}

const lookMs = 250;
/** Something is sent at least this often, so that a dead connection is noticed. */
const heartbeatMs = 15_000;

export async function* pollRebuild({ rebuilds, show, signal, isStopping }: RebuildFeed): AsyncGenerator<string> {
  let last = '';
  let silent = 0;
  while (!signal.aborted && !isStopping()) {
    const record = await rebuilds.status();
    if (record === undefined) return;
    const isOver = !isOpen(record);
    const data = JSON.stringify(await show(record));
    silent += lookMs;
    if (data !== last) {
      yield `event: ${isOver ? 'result' : 'progress'}\ndata: ${data}\n\n`;
      silent = 0;
    } else if (silent >= heartbeatMs) {
      yield ': still here\n\n';
      silent = 0;
    }
    if (isOver) return;
    last = data;
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}
