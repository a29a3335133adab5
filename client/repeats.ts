/** Sends a request again where that is safe: after 429, and after 503 or a lost connection where a repeat does no harm. */

export interface RepeatOptions {
  /** Repeats after the first attempt. */
  readonly retries: number;
  /** Milliseconds; where the service asks for a longer wait, its answer is returned. */
  readonly maxWait: number;
  readonly fetch: (request: Request) => Promise<Response>;
}

const firstWait = 250;
const longestBackoff = 8_000;

/** A lost connection rejects with what `fetch` rejects with, an abort with the reason of the signal. */
export async function fetchWithRepeats(request: Request, isSafe: boolean, options: RepeatOptions): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOf(request, options);
    const isAborted = 'error' in outcome && request.signal.aborted;
    if (isAborted || attempt === options.retries) return settled(outcome);
    const wait = waitAfter(outcome, { attempt, isSafe });
    if (wait === undefined || wait > options.maxWait) return settled(outcome);
    if ('response' in outcome) await outcome.response.body?.cancel();
    await sleep(wait, request.signal);
  }
}

type Outcome = { readonly response: Response } | { readonly error: unknown };

async function attemptOf(request: Request, { fetch }: RepeatOptions): Promise<Outcome> {
  try {
    return { response: await fetch(request.clone()) };
  } catch (error) {
    return { error };
  }
}

function settled(outcome: Outcome): Response {
  if ('response' in outcome) return outcome.response;
  throw outcome.error;
}

/** Milliseconds; undefined: this is the answer. */
function waitAfter(
  outcome: Outcome,
  { attempt, isSafe }: { readonly attempt: number; readonly isSafe: boolean },
): number | undefined {
  const backoff = Math.min(longestBackoff, firstWait * 2 ** attempt) * (0.5 + Math.random() / 2);
  if ('error' in outcome) return isSafe ? backoff : undefined;
  const { status, headers } = outcome.response;
  // A request over the limit was not carried out.
  if (status !== 429 && !(status === 503 && isSafe)) return undefined;
  const seconds = retryAfterOf(headers);
  // Never earlier than asked for, and not all at once.
  return seconds === undefined ? backoff : seconds * 1_000 + Math.random() * firstWait;
}

/** Whole seconds. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason }));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
    // It may have been aborted before.
    if (signal.aborted) stop();
  });
}
