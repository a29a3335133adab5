/** `audience audit events`: the events themselves, up to the end of the log or as they come. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { FeedEvent } from '../../audit/answers.js';
import { isEventType, type Feed, type FeedRequest } from '../../audit/feed.js';
import { createProgressBar } from '../shared/progress-bar.js';
import { whileOpen } from '../shared/while-open.js';
import { contactIn, limit, periodIn, withExamples, withPeriod } from '../shared/options.js';
import type { Auditor, CommandLine } from '../shared/command-line.js';
import { UsageError } from '../../failures.js';
import { sayNotRecorded } from '../shared/in-words.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({
  after: z.string().optional(),
  types: z.string().optional(),
  actor: z.string().optional(),
  request: z.string().optional(),
  contact: z.string().optional(),
  stream: z.string().optional(),
  list: z.string().optional(),
  limit,
  follow: z.boolean().default(false),
});

export function registerAuditEvents(audit: Command, line: CommandLine): void {
  const command = audit
    .command('events')
    .description('the events as they are stored, in the order of the log')
    .option('--after <position>', 'only events after this position; now: only what comes')
    .option('--actor <key>', 'only what was done with this API key: its id, or its name where it is of API_KEYS')
    .option('--request <id>', 'only what this request did')
    .option('--contact <contact>', 'only the events of its stream: contact id, or e-mail address')
    .option('--stream <name>', 'only the events of this stream')
    .option('--list <list>', 'only events that name this list, by id or name')
    .option('--type, --types <names>', 'only events of these names, separated by commas (default: all but RecordRead)')
    .option('--follow', 'then wait for what comes, until Ctrl-C')
    .action((options: unknown) => events({ ...optionsSchema.parse(options), ...periodIn(options) }, line));
  withExamples(withPeriod(command, line.clock), [
    'audience audit events --actor key_01J… --from 2026-03-01 --to 2026-03-01',
    'audience audit events --types ContactUnsubscribed --limit 20',
    'audience audit events --after now --follow --json',
  ]);
}

type Options = z.output<typeof optionsSchema> & ReturnType<typeof periodIn>;

async function events(options: Options, line: CommandLine): Promise<void> {
  const types = new Set(options.types?.split(',').map((name) => name.trim()));
  for (const name of types)
    if (!isEventType(name)) throw new UsageError(`--types must be names of events, as in docs/events.md: not ${name}`);
  await whileOpen(line.openAuditor(), async (auditor) => {
    const filter = await filterOf(options, auditor);
    if (
      options.follow &&
      Object.values(filter)
        .flat()
        .some((value) => value !== undefined)
    )
      throw new UsageError('--follow goes with --after, --types and --limit only');
    const request = { filter, after: await afterIn(options.after, auditor), types, hidden: [], signal: line.signal };
    if (options.follow) {
      // Following the log ends only by a signal.
      sayNotRecorded(line);
      await write(coming(auditor.audit.feed, request), { limit: options.limit, line });
      return;
    }
    await writeFound(request, { auditor, limit: options.limit, line });
    sayNotRecorded(line);
  });
}

interface Found {
  readonly auditor: Auditor;
  readonly limit: number;
  readonly line: CommandLine;
}

/** Writes the events up to the end of the log, shows how many were searched, and says so if none matched. */
async function writeFound(request: FeedRequest, { auditor, limit, line }: Found): Promise<void> {
  const bar = createProgressBar(line.stderr, line.monotonic);
  try {
    const total = (await auditor.audit.size()) ?? undefined;
    const found = auditor.audit.feed.all(request, (done) => bar.report({ phase: 'searched', done, total }));
    const count = await write(found, { limit, line, beforeEach: bar.clear });
    bar.clear();
    if (count === 0) line.stderr.write(`${nothingFound(request.types)}\n`);
  } finally {
    bar.clear();
  }
}

const nothingFound = (types: ReadonlySet<string>): string =>
  types.size === 0
    ? 'No event matches. Records of reads are left out. To include them, use --types RecordRead.'
    : 'No event matches.';

async function filterOf({ actor, request, contact, stream, list, from, to }: Options, auditor: Auditor) {
  const found = contact === undefined ? undefined : (await auditor.find(contactIn(contact))).stream;
  const streams = [found, stream].filter((name) => name !== undefined);
  const listId = list === undefined ? undefined : (await auditor.audit.begin({ times: [], list })).listId;
  return { actor, requestId: request, from, to, streams, listId };
}

async function afterIn(text: string | undefined, { audit: { feed } }: Auditor): Promise<string> {
  if (text === undefined) return '';
  if (text === 'now') return await feed.head();
  const position = await feed.position(text);
  if (position === undefined) throw new UsageError('--after must be a position of this log, or now');
  if (position === 'gone')
    throw new UsageError('The log does not have the event of --after: it was restored from a backup. Begin again');
  return position;
}

async function* coming(feed: Feed, request: FeedRequest): AsyncGenerator<readonly FeedEvent[]> {
  for await (const message of feed.follow(request)) if (message.type === 'events') yield message.events;
}

interface Writing extends Omit<Found, 'auditor'> {
  readonly beforeEach?: () => void;
}

/** Returns how many events were written. */
async function write(
  batches: AsyncIterable<readonly FeedEvent[]>,
  { limit, line, beforeEach }: Writing,
): Promise<number> {
  const show = line.json ? asJson : inWords;
  let left = limit;
  let written = 0;
  for await (const batch of batches) {
    const wanted = batch.slice(0, left);
    left -= wanted.length;
    written += wanted.length;
    beforeEach?.();
    await line.stdout.write(wanted.map(show).join(''));
    if (left <= 0) break;
  }
  return written;
}

const asJson = (event: FeedEvent): string => `${JSON.stringify(event)}\n`;

const typeWidth = 21;

const inWords = ({ position, at, type, stream, revision, actor }: FeedEvent): string =>
  `${printable(`${position}  ${at ?? '?'.padEnd(24)}  ${type.padEnd(typeWidth)}  ${stream}@${revision}  by ${actor ?? '?'}`)}\n`;
