/** Records who read what about whom, before the answer is sent. */
import type { AuditedRead, RecordRead } from '../../commands/access.js';
import { errorCatalogue, ServiceError } from '../../errors.js';
import type { Call } from './call.js';

type Caller = Pick<Call, 'context'>;

/** Each method resolves when the record is durable. @throws ServiceError `unavailable` when it cannot be written */
export interface AccessLog {
  note(call: Caller, read: AuditedRead): Promise<void>;
  /** Records a 404 too, because it says something about the subject. Other errors are not recorded. */
  answering<Result>(call: Caller, read: AuditedRead, answer: () => Promise<Result>): Promise<Result>;
  /** Records the read before the first piece is sent. */
  streaming(call: Caller, read: AuditedRead, pieces: AsyncIterable<string>): AsyncIterable<string>;
}

/** `record` is undefined where reads are not recorded. */
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
