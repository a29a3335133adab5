/** Runs the built service as its users do, and kills it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const children = new Set();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a run; it need not become ready. */
export function launch({ dist, dataDir, key, smtpUrl }) {
  const addressFile = path.join(dataDir, 'address');
  rmSync(addressFile, { force: true });
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    API_KEYS: `test:${key}`,
    RATE_LIMIT: '0',
    RATE_LIMIT_EMAIL: '0',
    ...(smtpUrl === undefined ? {} : { SMTP_URL: smtpUrl }),
  };
  const started = performance.now();
  // In a folder of its own: a `.env` in the checkout would speak for every variable that is left out here.
  const child = spawn(process.execPath, [path.join(dist, 'main.js')], {
    cwd: dataDir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const chunks = { stdout: [], stderr: [] };
  child.stdout.on('data', (chunk) => chunks.stdout.push(chunk));
  child.stderr.on('data', (chunk) => chunks.stderr.push(chunk));
  const exited = once(child, 'close').then(() => {
    children.delete(child);
    return {
      code: child.exitCode,
      signal: child.signalCode,
      stdout: Buffer.concat(chunks.stdout).toString('utf8'),
      stderr: Buffer.concat(chunks.stderr).toString('utf8'),
    };
  });

  const assertAlive = () => {
    if (child.exitCode === null && child.signalCode === null) return;
    throw new Error(`the service ended by itself (${child.exitCode}): ${Buffer.concat(chunks.stderr).toString()}`);
  };

  async function until(what, limitMs, probe) {
    for (;;) {
      assertAlive();
      const found = await probe();
      if (found !== undefined) return found;
      if (performance.now() - started > limitMs) throw new Error(`${what} took longer than ${limitMs} ms`);
      await sleep(5);
    }
  }

  const address = (limitMs) =>
    until('the address', limitMs, async () => {
      const text = existsSync(addressFile) ? readFileSync(addressFile, 'utf8').trim() : '';
      return text === '' ? undefined : new URL(text);
    });

  return {
    assertAlive,
    /** Listening, perhaps not ready. */
    address,
    /** Milliseconds from start to ready. */
    async ready(limitMs) {
      const url = await address(limitMs);
      await until('readiness', limitMs, async () => ((await isReady(url)) ? true : undefined));
      return Math.round(performance.now() - started);
    },
    async kill(signal) {
      assertAlive();
      child.kill(signal);
      return await exited;
    },
    /** SIGTERM, and SIGKILL if it is still there after `timeout` milliseconds. */
    async terminate(timeout) {
      assertAlive();
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
      try {
        return await exited;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function isReady(url) {
  return new Promise((resolve) => {
    const request = http.get(new URL('/health/ready', url), { agent: false, timeout: 5_000 }, (answer) => {
      answer.resume();
      answer.on('error', () => resolve(false));
      answer.on('end', () => resolve(answer.statusCode === 200));
    });
    request.on('error', () => resolve(false));
    request.on('timeout', () => request.destroy());
  });
}
