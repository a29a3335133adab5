/** Verifies a log that is open: with the links that are kept of it, and with what its views know of its end. */
import type { EventReader } from '../eventstore/event-store.js';
import { checkViews, ForeignViewsError } from '../projector/start.js';
import type { ReadModelReader } from '../readmodels/read-models.js';
import { openLinks, type LogPlace } from './open-links.js';
import type { Seal } from './seal.js';
import { nowhere } from './verify-difference.js';
import { verifyLog, type Verification } from './verify.js';

export interface VerifyOpenOptions {
  readonly place: LogPlace;
  readonly seals?: readonly Seal[];
  readonly depth: 'chain' | 'streams';
  /** With the number of events so far, and how many there are where that is known. */
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** @throws StoreUnavailableError; the signal's reason when it aborts */
export async function verifyOpen(
  log: EventReader,
  { place, seals, depth, onProgress }: VerifyOpenOptions,
): Promise<{ readonly result: Verification; readonly linked: number }> {
  const links = await openLinks(log, place);
  const { source, known, views } = links;
  try {
    const result = await verifyLog({
      source,
      seals,
      depth,
      sealedHead: { key: await place.headKey(log) },
      signal: place.signal,
      onProgress: (done) => onProgress(done, known),
    });
    return { result: await asViewsHaveIt(notShorter(result, known), { log, views }), linked: links.linked() };
  } finally {
    await links.close();
  }
}

function notShorter(result: Verification, known: number | undefined): Verification {
  if (!result.intact || known === undefined || result.count >= known) return result;
  const message = `the log ends after event ${result.count}, but had ${known}: it was shortened, or is an older copy`;
  return { ...result, intact: false, difference: nowhere({ kind: 'shortened', ordinal: result.count + 1, message }) };
}

/** The views know the log that they were folded from: compares it with this one, as the start does, to find one that was shortened or exchanged. */
async function asViewsHaveIt(
  result: Verification,
  { log, views }: { readonly log: EventReader; readonly views: ReadModelReader | undefined },
): Promise<Verification> {
  if (!result.intact || views === undefined) return result;
  try {
    await checkViews(log, views);
    return result;
  } catch (error) {
    if (!(error instanceof ForeignViewsError)) throw error;
    return { ...result, intact: false, difference: nowhere({ kind: 'views', ordinal: null, message: error.message }) };
  }
}
