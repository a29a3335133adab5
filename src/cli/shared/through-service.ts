/** What commands do through the running service: find it, read lists, change things one by one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CommandFailedError } from '../../failures.js';
import type { CommandLine, ExitCode } from './command-line.js';
import { createProgressBar } from './progress-bar.js';
import type { ServiceClient } from './service-client.js';
import { printable } from '../../events/printable.js';

/** `why` follows "No service runs on this data folder". @throws CommandFailedError */
export async function demandService(line: CommandLine, why: string): Promise<ServiceClient> {
  const service = await line.service();
  if (service === undefined)
    throw new CommandFailedError(`No service runs on this data folder${why}`, { type: 'no_service' });
  return service;
}

interface Items<Item> {
  readonly item: z.ZodType<Item>;
  readonly most?: number;
  /** Shows progress while pages are read. */
  readonly terminal?: Pick<CommandLine, 'stderr' | 'monotonic'>;
}

/** Returns the items of all pages of `path`, which may have a query. @throws CommandFailedError with the message of the service */
export async function itemsFrom<Item>(
  service: ServiceClient,
  path: string,
  { item, most = Infinity, terminal }: Items<Item>,
): Promise<readonly Item[]> {
  const bar = terminal && createProgressBar(terminal.stderr, terminal.monotonic, 'items');
  try {
    return await readPages(service, path, { item, most, onFound: (done) => bar?.report({ phase: 'reading', done }) });
  } finally {
    bar?.clear();
  }
}

interface PagesOf<Item> {
  readonly item: z.ZodType<Item>;
  readonly most: number;
  readonly onFound: (items: number) => void;
}

async function readPages<Item>(
  service: ServiceClient,
  path: string,
  { item, most, onFound }: PagesOf<Item>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  let cursor = '';
  do {
    const { status, data, message, nextCursor } = await service.ask({ method: 'GET', path: path + cursor });
    const page = z.array(item).safeParse(data);
    if (status !== 200 || !page.success)
      throw new CommandFailedError(message === '' ? `The service answered ${status}.` : message, { type: 'refused' });
    found.push(...page.data);
    onFound(found.length);
    cursor = nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(nextCursor)}`;
  } while (cursor !== '' && found.length < most);
  return found.slice(0, most);
}

interface Change {
  readonly service: ServiceClient;
  readonly pathOf: (id: string) => string;
  readonly body?: object;
  /** What is said of an unknown id. */
  readonly unknown: string;
}

/** One by one: a refusal does not keep the others from being changed. The rate limit is waited for. */
export async function changeEach(ids: readonly string[], change: Change, line: CommandLine): Promise<ExitCode> {
  const { service, pathOf, body = {}, unknown } = change;
  let exitCode: ExitCode = 0;
  for (const id of ids) {
    const request = { method: 'POST', path: pathOf(encodeURIComponent(id)), body } as const;
    let answer = await service.ask(request);
    for (; answer.status === 429; answer = await service.ask(request))
      await sleep(answer.retryAfter * 1_000, undefined, { signal: line.signal });
    const { status, data, message } = answer;
    if (status === 200)
      await line.stdout.write(line.json ? `${JSON.stringify(data)}\n` : `${printable(`${id}: ${message}`)}\n`);
    else {
      exitCode = 1;
      line.stderr.write(`${printable(`${id}: ${status === 404 ? unknown : message}`)}\n`);
    }
  }
  return exitCode;
}
