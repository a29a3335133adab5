/** API keys that end soon. Names are the operator's own words: ids are enough. */
import { keyDecider, stateOf } from '../commands/keys.js';
import { keysStream } from '../events/streams.js';
import { green, yellow, type Diagnosis } from './diagnosis.js';
import { foldStream } from '../commands/fold-stream.js';
import type { OpenPlace } from './patient.js';

export const soonDays = 14;
export const dayMs = 86_400_000;

export async function checkExpiringKeys({ log, clock }: OpenPlace): Promise<Diagnosis> {
  const state = await foldStream(await log(), keysStream, keyDecider);
  const now = new Date(clock()).toISOString();
  const limit = new Date(clock() + soonDays * dayMs).toISOString();
  const active = [...state.values()].filter((key) => stateOf(key, now) === 'active');
  const ending = active.filter(({ expires_at }) => expires_at !== null && expires_at <= limit);
  if (ending.length === 0)
    return green(`active API keys in the log: ${active.length}; none ends within ${soonDays} days`);
  return yellow(
    `API keys end soon: ${ending.map(({ key_id, expires_at }) => `${key_id} on ${expires_at}`).join(', ')}`,
    'Make a new key for whoever uses it (audience keys create), and revoke the old one.',
  );
}
