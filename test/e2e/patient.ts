/** A service whose answers are asked for again where a client does so. */
import { realTime } from '../support/real-time.js';
import type { Service } from '../support/service.js';

const mostRepeats = 10;

/** What is read is read again after 503, and where the service had closed the connection: this process may be busy for long. */
export const patient = (service: Service): Service => ({
  ...service,
  async get(...asked) {
    for (let repeats = 0; ; repeats += 1) {
      const answer = await service.get(...asked).catch(unlessClosed);
      if (answer !== undefined && (answer.status !== 503 || repeats === mostRepeats)) return answer;
      await realTime(1_000 * Number(answer?.headers['retry-after'] ?? 0));
    }
  },
});

function unlessClosed(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
}
