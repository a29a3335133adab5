/** May this e-mail go out: the one function that is asked, before an attempt is claimed and again before the final dot. */
import type { LoadedEmail } from './load.js';

/** Why not: the reason of the EmailCancelled that follows a claim. */
export type Withdrawal = 'erased';

/** Answers by the log. @throws what the stores throw: then it does not go out now, and nothing is decided */
export type MayGoOut = (email: Pick<LoadedEmail, 'recipientKey' | 'position'>) => Promise<true | Withdrawal>;

interface Reasons {
  /** The recipient has asked to be erased since the e-mail was requested. */
  readonly isToBeErased: (...parameters: Parameters<MayGoOut>) => Promise<boolean>;
}

export const createMayGoOut =
  ({ isToBeErased }: Reasons): MayGoOut =>
  async (email) =>
    (await isToBeErased(email)) ? 'erased' : true;
