/** The mailer: looks at the worklist, keeps a bounded number of attempts going, and stops in good order. */
import { StoreUnavailableError } from '../eventstore/event-store.js';
import { attemptEmail } from './attempt.js';
import type { HoldOverdueOptions } from './hold-overdue.js';
import { iso, type AttemptOptions } from './job.js';
import { createCooldowns } from './cooldowns.js';

/** A line of the worklist, the view `emails`. Only a hint: the e-mail's stream decides. */
export interface DueEmail {
  readonly email_id: string;
  readonly stream: string;
  readonly state: string;
  readonly run_id: string | null;
  /** When there is something to do; while sending, the deadline of the attempt. */
  readonly next_attempt_at: string | null;
}

export interface MailerOptions extends AttemptOptions, HoldOverdueOptions {
  /** Open e-mails with something to do not after `now` (ISO 8601, milliseconds), longest due first. */
  readonly due: (now: string, limit: number) => Promise<readonly DueEmail[]>;
  readonly concurrency: number;
}

export type Mailer = ReturnType<typeof createMailer>;
export type MailerStatus = ReturnType<Mailer['status']>;

/** Orphaned attempts of earlier runs that are looked for at a time. */
const sweepLimit = 10_000;
/** Milliseconds between two looks for orphaned attempts. */
const sweepPause = 250;
/** Calls of `wake` within this many milliseconds are one look. */
const wakeDelay = 5;

export function createMailer(options: MailerOptions) {
  const { timings, monotonic, clock, report, concurrency } = options;
  const running = new Map<string, { readonly done: Promise<void>; readonly cut: AbortController }>();
  const cooldowns = createCooldowns(timings.stale, monotonic);
  const stopSending = new AbortController();
  const stopRecording = new AbortController();
  const stops = { sending: stopSending.signal, recording: stopRecording.signal };
  const sweepUntil = monotonic() + timings.sweep;
  let nextSweep = 0;
  /** E-mails to be looked at although the worklist does not show them as due yet. */
  const orphans = new Map<string, DueEmail>();
  let timer: { readonly at: number; readonly handle: NodeJS.Timeout } | undefined;
  let looking = false;
  let again = false;
  let closing: Promise<void> | undefined;
  let worklistReadable = true;
  /** The log is taken to be unreachable until then. */
  let restUntil = 0;

  /** Wakes the mailer after this time, or earlier if it is to wake earlier anyway. */
  function wakeIn(milliseconds: number): void {
    const at = monotonic() + milliseconds;
    if (closing !== undefined || (timer !== undefined && timer.at <= at)) return;
    clearTimeout(timer?.handle);
    const wake = (): void => {
      timer = undefined;
      void look();
    };
    timer = { at, handle: setTimeout(wake, Math.max(0, milliseconds)) };
  }

  /** One look at a time; requests meanwhile become one more. Never rejects. */
  async function look(): Promise<void> {
    again = looking;
    if (looking) return;
    looking = true;
    try {
      await sweep();
      await fill();
      worklistReadable = true;
    } catch (error) {
      worklistReadable = false;
      report({ type: 'fault', email_id: null, error });
    }
    looking = false;
    wakeIn(again && worklistReadable ? wakeDelay : timings.poll);
  }

  /** A sole writer knows that other runs have ended and need not wait for their deadlines. */
  async function sweep(): Promise<void> {
    const now = monotonic();
    if (!options.soleWriter || now > sweepUntil || now < nextSweep) return;
    nextSweep = now + Math.min(timings.poll, sweepPause);
    for (const entry of await options.due(iso(clock() + timings.attempt), sweepLimit))
      if (entry.state === 'sending' && entry.run_id !== options.runId) orphans.set(entry.stream, entry);
  }

  async function fill(): Promise<void> {
    const free = concurrency - running.size;
    if (free <= 0 || closing !== undefined) return;
    const rest = restUntil - monotonic();
    if (rest > 0) return wakeIn(rest);
    for (const entry of [...orphans.values()]) start(entry);
    // What runs or cools down may still stand at the head of the list and must not hide what is behind it.
    const limit = free + running.size + cooldowns.size() + 1;
    for (const entry of await options.due(iso(clock() + timings.poll), limit)) {
      const wait = Date.parse(entry.next_attempt_at ?? '') - clock();
      if (wait > 0) wakeIn(wait);
      else start(entry);
    }
  }

  function start(entry: DueEmail): void {
    const { stream } = entry;
    if (closing !== undefined || running.size >= concurrency || running.has(stream)) return;
    const cooldown = cooldowns.remaining(stream);
    if (cooldown > 0) return wakeIn(cooldown);
    orphans.delete(stream);
    const cut = new AbortController();
    running.set(stream, { done: run(entry, cut.signal), cut });
  }

  async function run(entry: DueEmail, cut: AbortSignal): Promise<void> {
    const { stream } = entry;
    try {
      const sending = AbortSignal.any([stops.sending, cut]);
      const result = await attemptEmail(options, stream, { ...stops, sending });
      // Also after a success: the view may show the e-mail as due until it has caught up.
      cooldowns.add(stream, { growing: result !== 'recorded' });
      if (result === 'claim_unknown') orphans.set(stream, entry);
    } catch (error) {
      cooldowns.add(stream, { growing: true });
      // Without the log nothing can be done for any e-mail: report it once, and rest.
      const isAway = error instanceof StoreUnavailableError;
      if (!isAway || monotonic() >= restUntil) report({ type: 'fault', email_id: entry.email_id, error });
      if (isAway) restUntil = monotonic() + timings.poll;
    }
    running.delete(stream);
    wakeIn(wakeDelay);
  }

  async function end(): Promise<void> {
    clearTimeout(timer?.handle);
    const all = (): Promise<unknown> => Promise.all([...running.values()].map(({ done }) => done));
    await within(all(), timings.closeGrace);
    stopSending.abort();
    await within(all(), timings.recordGrace);
    stopRecording.abort();
    // Only a store that does not answer at all is left behind.
    await within(all(), timings.recordGrace);
  }

  wakeIn(0);
  return {
    /** The worklist may have changed: look within this many milliseconds, by default at once. Cheap: call it whenever the view moves. */
    wake: (within = wakeDelay): void => {
      if (looking) again = true;
      else if (running.size < concurrency) wakeIn(within);
    },
    /** `worklistReadable`: it could be read when it was last looked at. */
    status: () => ({ running: running.size, worklistReadable, closing: closing !== undefined }),
    /** Destroys the connection of an attempt of this process; what is known of it is recorded. False: none runs. */
    cutOff(stream: string): boolean {
      const attempt = running.get(stream);
      attempt?.cut.abort();
      return attempt !== undefined;
    },
    /** Claims nothing more, lets running attempts end for a while, then ends them and records what is known. Resolves when nothing runs. */
    close: (): Promise<void> => (closing ??= end()),
  };
}

async function within(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let handle: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => (handle = setTimeout(resolve, milliseconds)));
  await Promise.race([work, timeout]);
  clearTimeout(handle);
}
