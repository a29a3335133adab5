// A PostgreSQL of its own for a measurement: Debian's binaries, their default settings, a folder that goes away. Undefined where none is installed.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const home = '/usr/lib/postgresql';

function binaries() {
  if (!existsSync(home)) return undefined;
  const versions = readdirSync(home).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => path.join(home, version, 'bin')).find((bin) => existsSync(path.join(bin, 'initdb')));
}

/** PostgreSQL does not run as root: then it runs as the user `postgres`, which Debian's package makes. */
function owner() {
  if (process.getuid() !== 0) return {};
  const id = (option) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** { connection: options of `pg`, pid: of the process whose children are all the others, version, stop() } */
export async function startPostgres() {
  const bin = binaries();
  if (bin === undefined) return undefined;
  const who = owner();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'audience-bench-pg-'));
  if (who.uid !== undefined) chownSync(folder, who.uid, who.gid);
  const data = path.join(folder, 'data');
  const options = { ...who, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync(path.join(bin, 'initdb'), ['-D', data, '-U', 'bench', '--auth=trust', '-E', 'UTF8'], options);
  const server = spawn(path.join(bin, 'postgres'), ['-D', data, '-k', folder, '-c', 'listen_addresses='], {
    ...options,
    stdio: 'ignore',
  });
  const remove = () => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const ready = path.join(bin, 'pg_isready');
  for (let tries = 0; ; tries += 1) {
    try {
      execFileSync(ready, ['-h', folder, '-U', 'bench', '-d', 'postgres'], { ...options, stdio: 'ignore' });
      break;
    } catch (error) {
      if (tries > 300 || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return {
    connection: { host: folder, user: 'bench', database: 'postgres' },
    pid: server.pid,
    version: execFileSync(path.join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).trim(),
    async stop() {
      process.removeListener('exit', remove);
      const exited = new Promise((resolve) => server.once('exit', resolve));
      // Fast shutdown.
      server.kill('SIGINT');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
