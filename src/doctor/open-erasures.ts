/** Erasures that were asked for and are not carried through. */
import { erasureDecider } from '../commands/erasures.js';
import { erasuresStream } from '../events/streams.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import { foldStream } from '../commands/fold-stream.js';
import type { OpenPlace } from './patient.js';

const minuteMs = 60_000;
/** An erasure takes seconds; one that waits for an e-mail that is being sent, half an hour at most. */
const late = { yellow: 60 * minuteMs, red: 24 * 60 * minuteMs };
const remedy =
  'Run audience privacy status, which says what each waits for, and see that a service with the role projector runs.';

export async function checkOpenErasures({ log, clock }: OpenPlace): Promise<Diagnosis> {
  const { all } = await foldStream(await log(), erasuresStream, erasureDecider);
  const open = [...all.values()].filter(({ completed }) => completed === null);
  if (open.length === 0) return green('no erasure waits');
  const age = clock() - Math.min(...open.map(({ requested_at }) => Date.parse(requested_at)));
  const said = `erasures not completed: ${open.length}, the oldest asked for ${Math.floor(age / minuteMs)} minutes ago`;
  if (age > late.red) return red(said, remedy);
  return age > late.yellow ? yellow(said, remedy) : green(said);
}
