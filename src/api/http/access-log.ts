/** Writes down who looked, before the answer leaves. */
import type { Read, RecordRead } from '../../commands/access.js';
import { errorCatalogue, ServiceError } from '../../errors.js';
import type { Call } from './endpoint-runner.js';

type Asking = Pick<Call, 'context'>;

/** Each resolves once it is durable that the caller has read this. @throws ServiceError `unavailable` it cannot be written */
export interface AccessLog {
  note(call: Asking, read: Read): Promise<void>;
  /** Of an answer that tells about its subject also where it is 404. What is refused otherwise is no read. */
  answering<Result>(call: Asking, read: Read, answer: () => Promise<Result>): Promise<Result>;
  /** Before the first piece. */
  streaming(call: Asking, read: Read, pieces: AsyncIterable<string>): AsyncIterable<string>;
}

/** Undefined: it is turned off. */
export function createAccessLog(record: RecordRead | undefined): AccessLog {
  const note: AccessLog['note'] = async ({ context }, read) => {
    await record?.(read, context);
  };
  return {
    note,
    async answering(call, read, answer) {
      const answered = await answer().catch(async (error: unknown) => {
        if (error instanceof ServiceError && errorCatalogue[error.code].status === 404) await note(call, read);
        throw error;
      });
      await note(call, read);
      return answered;
    },
    async *streaming(call, read, pieces) {
      let isNoted = false;
      for await (const piece of pieces) {
        if (!isNoted) await note(call, read);
        isNoted = true;
        yield piece;
      }
    },
  };
}
