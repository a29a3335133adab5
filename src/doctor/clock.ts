/** Whether this machine's clock agrees with those of the servers and with the newest event: leases, seals and e-mails go by it. */
import { codec } from '../events/codec.js';
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
  const servers = [await open.servers.ofLog(), await open.servers.ofViews()];
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

/** It is behind the newest event where it has been set back. */
async function behindLog(open: OpenPlace): Promise<readonly Skew[]> {
  const log = await open.log();
  for await (const [newest] of log.readAll({ direction: 'backwards', limit: 1 })) {
    if (newest === undefined) break;
    const ahead = open.clock() - Date.parse(codec.decode(newest).metadata.at);
    if (ahead < 0) return [{ from: 'the newest event of the log', ahead }];
  }
  return [];
}
