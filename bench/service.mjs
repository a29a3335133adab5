// What the scripts that measure a service have in common: they start it, wait for it, ask it, and read what it has used.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const key = 'bench-key-0123456789';
export const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

export const wait = (delay) => new Promise((resolve) => setTimeout(resolve, delay));
export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
export const number = (value) => Math.round(value).toLocaleString('en-US');
/** The next message of a child process. */
export const told = (child) => new Promise((resolve) => child.once('message', resolve));

export const newDataDir = () => mkdtempSync(path.join(os.tmpdir(), 'audience-bench-'));

/** On a port of its own and without limits. */
export function spawnService(
  dataDir,
  { env = {}, main = path.join(import.meta.dirname, '..', 'dist', 'main.js') } = {},
) {
  const own = { PORT: '0', DATA_DIR: dataDir, API_KEYS: `bench:${key}`, RATE_LIMIT: '0', RATE_LIMIT_EMAIL: '0' };
  return spawn(process.execPath, [main], {
    env: { ...process.env, ...own, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export async function stopped(service) {
  service.kill('SIGTERM');
  await new Promise((resolve) => service.once('exit', resolve));
}

/** The address of the service, as soon as it is ready. */
export async function address(dataDir) {
  for (;;) {
    try {
      const found = readFileSync(path.join(dataDir, 'address'), 'utf8').trim();
      if ((await fetch(`${found}/health/ready`)).ok) return found;
    } catch {
      // Not there yet.
    }
    await wait(10);
  }
}

/** What the service answers to a GET, or to a POST with a body. */
export async function ask(base, route, body) {
  const response = await fetch(`${base}${route}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** How far the views are; also of a service that is not ready. */
export const projections = async (base) => (await (await fetch(`${base}/health/ready`)).json()).data.projections;

/** Waits until the views show everything, so that one round does not pay for the one before. Returns the position. */
export async function settle(base) {
  for (;;) {
    const { lag_ms: lag, position } = await projections(base);
    if (lag === 0) return position;
    await wait(20);
  }
}

/** The numbers of /proc/<pid>/stat behind the name of the process. */
const statOf = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
};

/** Microseconds of CPU time from such numbers: of the process, and of its children that have ended. */
const cpuIn = (stat) => stat.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * 10_000;

/** Microseconds of CPU time that a process has used, with its children: those that have ended and, on request, those that run. */
export function cpuOf({ pid, children = false }) {
  let sum = cpuIn(statOf(pid));
  for (const other of children ? readdirSync('/proc').filter((name) => Number(name) > 0) : []) {
    try {
      const fields = statOf(other);
      if (fields[1] === pid) sum += cpuIn(fields);
    } catch {
      // The process ended after the folder was read.
    }
  }
  return sum;
}
