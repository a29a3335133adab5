// The rival of a measurement, and the contacts that both sides hold before it begins.
import { fork } from 'node:child_process';
import path from 'node:path';
import { startPostgres } from './postgres.mjs';
import { key, told } from './service.mjs';

/** Creates the contacts `knownEmail(0)`, `knownEmail(1)`, … over HTTP. Returns their ids. */
export async function seed(load, { port, listId, contacts }) {
  load.send({
    port,
    scenario: 'seed',
    parameters: { key, listId },
    connections: 64,
    requests: contacts,
    isCollecting: true,
  });
  const { ids, failures, sample } = await told(load);
  if (failures > 0) throw new Error(`${failures} contacts were not created, the first: ${sample}`);
  return ids;
}

/**
 * Starts Express with PostgreSQL (`crud.mjs`), which sends its emails to the mail server at `smtpPort`.
 * Returns { port, processes (for their CPU time), seed(load, contacts), stop() }, or undefined if PostgreSQL is not installed.
 */
export async function startCrud({ smtpPort = 0, smtpConnections = 10 } = {}) {
  const postgres = await startPostgres();
  if (postgres === undefined) return undefined;
  const script = path.join(import.meta.dirname, 'crud.mjs');
  const child = fork(script, [JSON.stringify(postgres.connection), String(smtpPort), String(smtpConnections)]);
  process.on('exit', () => child.kill('SIGKILL'));
  const port = await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message.port));
    child.once('exit', () => reject(new Error('Express with PostgreSQL did not start: see above')));
  });
  return {
    port,
    processes: [child, { pid: postgres.pid, children: true }],
    async seed(load, contacts) {
      const ids = await seed(load, { port, listId: 'bench', contacts });
      // PostgreSQL would do this by itself some time later.
      child.send('vacuum');
      await told(child);
      return ids;
    },
    async stop() {
      child.kill('SIGKILL');
      await postgres.stop();
    },
  };
}
