/** Checks that the clock of this machine agrees with the clocks of the servers and with the newest event. Leases, seals and emails depend on it. */
import { newestEventTime } from '../stores/trusted-clock.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';

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
  const servers = [await open.stores.seeLog(), await open.stores.seeViews()];
  const skews = [
    ...servers.flatMap((server) => (server?.ahead === undefined ? [] : [{ from: server.name, ahead: server.ahead }])),
    ...(await behindLog(open)),
  ];
  const worst = skews.toSorted((one, other) => Math.abs(other.ahead) - Math.abs(one.ahead))[0];
  if (worst === undefined || Math.abs(worst.ahead) <= mostMs.yellow)
    return green(`this clock agrees with ${['the log', ...skews.map(({ from }) => from)].join(', ')}`);
  const { ahead, from } = worst;
  const said = `this clock is ${(Math.abs(ahead) / 1_000).toFixed(1)} s ${ahead > 0 ? 'ahead of' : 'behind'} ${from}`;
  return Math.abs(ahead) > mostMs.red ? red(said, remedy) : yellow(said, remedy);
}

/** Returns how far the clock is behind the newest event. Only a clock that was set back is behind. */
async function behindLog(open: OpenPlace): Promise<readonly Skew[]> {
  const newest = await newestEventTime(await open.log());
  const ahead = newest === undefined ? 0 : open.clock() - newest;
  return ahead < 0 ? [{ from: 'the newest event of the log', ahead }] : [];
}
