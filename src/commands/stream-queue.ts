/** A lane per stream: one batch of it under way at a time, and all that waits meanwhile goes together into the next. */

export interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface LanesOptions<Request, Answer> {
  /**
   * Answers as many of those that wait as it handles together, from the first on, and resolves with how many these are.
   * Rejects where that failed; then none of them has been answered.
   */
  readonly handle: (stream: string, queue: readonly Waiting<Request, Answer>[]) => Promise<number>;
  /** What those who wait are told when `handle` rejects. */
  readonly faultOf: (error: unknown) => Error;
}

/** Resolves with what is answered to the request, after all that came before it on its stream. */
export type Enter<Request, Answer> = (request: Request) => Promise<Answer>;

export function createLanes<Request extends { readonly stream: string }, Answer>({
  handle,
  faultOf,
}: LanesOptions<Request, Answer>): Enter<Request, Answer> {
  const lanes = new Map<string, Waiting<Request, Answer>[]>();

  async function run(stream: string, queue: Waiting<Request, Answer>[]): Promise<void> {
    while (queue.length > 0) {
      try {
        queue.splice(0, await handle(stream, queue));
      } catch (error) {
        // Whatever waited has seen the same fault; nobody waits for the next one to find out.
        for (const { reject } of queue.splice(0)) reject(faultOf(error));
      }
    }
    lanes.delete(stream);
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const waiting = { request, resolve, reject };
      const lane = lanes.get(request.stream);
      if (lane !== undefined) {
        lane.push(waiting);
        return;
      }
      const queue = [waiting];
      lanes.set(request.stream, queue);
      void run(request.stream, queue);
    });
}
