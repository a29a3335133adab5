/** How far an erasure that is not completed reaches: who came, or was written to, after that is not in it. */
import type { CommandHandler } from '../commands/command-handler.js';
import { unfinishedOf, type ErasureCommand, type ErasuresState } from '../commands/erasures.js';
import { codec } from '../events/codec.js';
import { lifeChange } from '../events/contact.js';
import type { ErasureEvent } from '../events/erasures.js';
import { contactStream, erasuresStream } from '../events/streams.js';
import type { EventStore } from '../eventstore/event-store.js';
import { requestOf, type EraseOptions } from './erase.js';

type Reader = Pick<EventStore, 'readStream'>;
interface ReachOptions {
  readonly store: Reader & Pick<EventStore, 'head'>;
  readonly views: Pick<EraseOptions['views'], 'shown' | 'emailsTo'>;
}

/** Whether it takes all that is stored of the person now. @throws ServiceError `unavailable` @throws what the stores throw */
export async function takesAll({ store, views }: ReachOptions, erasureId: string): Promise<boolean> {
  const { reach, subjectKey, isSomebodyNew } = await reachOf(store, erasureId);
  if (isSomebodyNew) return false;
  await views.shown(await store.head());
  for await (const page of views.emailsTo(subjectKey)) if (page.some(({ first }) => first > reach)) return false;
  return true;
}

/** Tells the mailer whom it must not write to. By the log: the leader is asked, where there are servers. */
export const createErasureCheck =
  (
    store: Reader,
    erasures: Pick<CommandHandler<ErasuresState, ErasureCommand, ErasureEvent>, 'fresh'>,
  ): ((email: { readonly recipientKey: string; readonly position: string }) => Promise<boolean>) =>
  async ({ recipientKey, position }) => {
    const open = unfinishedOf((await erasures.fresh(erasuresStream)).state, recipientKey);
    return open !== undefined && position <= (await reachOf(store, open.erasure_id)).reach;
  };

/** The position up to which it takes what is stored of the person. */
async function reachOf(store: Reader, erasureId: string) {
  const { event, position } = await requestOf(store, erasureId);
  const subjectKey = event.data.subject_key;
  const contact = await lastTurn(store, contactStream(subjectKey));
  const isItsEnd = contact?.event.type === 'ContactErased' && contact.event.data.erasure_id === erasureId;
  const isSomebodyNew = contact?.event.type === 'ContactCreated' && contact.position > position;
  return { reach: isItsEnd ? contact.position : position, subjectKey, isSomebodyNew };
}

/** The last beginning or end of a contact. */
async function lastTurn(store: Reader, stream: string) {
  for await (const batch of store.readStream(stream, { direction: 'backwards' }))
    for (const stored of batch) {
      const recorded = codec.decode(stored);
      if (lifeChange(recorded.event, recorded.revision) !== undefined) return recorded;
    }
  return undefined;
}
