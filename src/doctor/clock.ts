/** Whether this machine's clock agrees with those of the servers and with the newest event: leases, seals and e-mails go by it. */
import { codec } from '../events/codec.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';
import type { SeenServer } from './servers.js';

/** EventStoreDB tells whole seconds. */
const mostMs = { yellow: 2_000, red: 60_000 };
const remedy =
  'Let NTP set the clocks of all machines (timedatectl status), and start the service again when they agree.';

interface Skew {
  readonly from: string;
  /** Milliseconds by which this clock is ahead. */
  readonly ahead: number;
}

export async function checkClock(open: OpenPlace): Promise<Diagnosis> {
  const { events, views } = open.place.stores;
  const skews: Skew[] = [];
  if (events.kind === 'eventstoredb') {
    const { seeEventStoreDb } = await import('../eventstore/eventstoredb/server-info.js');
    skews.push(...(await skewOf('EventStoreDB', () => seeEventStoreDb(events.url), open)));
  }
  if (views.kind === 'mongodb') {
    const { seeMongo } = await import('../readmodels/mongodb/check.js');
    const see = async () => ({ version: undefined, time: undefined, ...(await seeMongo(views.url)) });
    skews.push(...(await skewOf('MongoDB', see, open)));
  }
  // It is behind the newest event where it has been set back.
  skews.push(...(await behindLog(open)));
  const worst = [...skews].sort((one, other) => Math.abs(other.ahead) - Math.abs(one.ahead))[0];
  if (worst === undefined || Math.abs(worst.ahead) <= mostMs.yellow)
    return green(`this clock agrees with ${['the log', ...skews.map(({ from }) => from)].join(', ')}`);
  const said = `this clock is ${(Math.abs(worst.ahead) / 1_000).toFixed(1)} s ${worst.ahead > 0 ? 'ahead of' : 'behind'} ${worst.from}`;
  return Math.abs(worst.ahead) > mostMs.red ? red(said, remedy) : yellow(said, remedy);
}

/** Half of the round trip is taken for the way there. */
async function skewOf(
  from: string,
  see: () => Promise<SeenServer>,
  { clock }: Pick<OpenPlace, 'clock'>,
): Promise<readonly Skew[]> {
  const asked = clock();
  const { time } = await see();
  return time === undefined ? [] : [{ from, ahead: Math.round((asked + clock()) / 2 - time) }];
}

async function behindLog(open: OpenPlace): Promise<readonly Skew[]> {
  const log = await open.log();
  for await (const [newest] of log.readAll({ direction: 'backwards', limit: 1 })) {
    if (newest === undefined) break;
    const ahead = open.clock() - Date.parse(codec.decode(newest).metadata.at);
    if (ahead < 0) return [{ from: 'the newest event of the log', ahead }];
  }
  return [];
}
