/** The command line of the kill test. */
import { parseArgs } from 'node:util';

export const usage = `node test/crash/crash.mjs [options]
  --rounds N      rounds to play (20)
  --seed N        seed of the requests and of the moments of the kills (random, printed)
  --fresh         a data folder of its own for each round, instead of one whose history grows
  --kinds a,b     only these kinds of rounds, in this order, over and over
  --clients N     concurrent clients (32)
  --load-ms N     the longest load before a kill (2500)
  --drain N       seconds to wait at the end until e-mails in doubt are sent again (90); 0 = doubt on record is enough
  --no-email      no e-mails
  --ready-limit N seconds from start to ready that are too long (10)
  --keep          keep the data folder (kept anyway when something is wrong)`;

export function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      rounds: { type: 'string', default: '20' },
      seed: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      kinds: { type: 'string' },
      clients: { type: 'string', default: '32' },
      'load-ms': { type: 'string', default: '2500' },
      drain: { type: 'string', default: '90' },
      'no-email': { type: 'boolean', default: false },
      'ready-limit': { type: 'string', default: '10' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    rounds: wholeNumber('rounds', values.rounds),
    seed: values.seed === undefined ? Date.now() % 1_000_000_000 : wholeNumber('seed', values.seed),
    fresh: values.fresh,
    kinds: values.kinds?.split(','),
    clients: wholeNumber('clients', values.clients),
    loadMs: wholeNumber('load-ms', values['load-ms']),
    drainMs: wholeNumber('drain', values.drain) * 1_000,
    email: !values['no-email'],
    readyLimitMs: wholeNumber('ready-limit', values['ready-limit']) * 1_000,
    keep: values.keep,
  };
}

function wholeNumber(name, text) {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not ${text}`);
  return Number(text);
}
