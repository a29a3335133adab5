// Builds and starts the service, and again whenever something under src/ or console/ changes: npm run dev.
import { spawn, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
let service;
let pending;
let restarting = Promise.resolve();

function build() {
  return (
    spawnSync(process.execPath, [path.join(root, 'scripts', 'build-if-stale.mjs')], { stdio: 'inherit' }).status === 0
  );
}

async function restart() {
  if (!build()) return;
  if (service !== undefined && service.exitCode === null && service.signalCode === null) {
    const ended = new Promise((resolve) => service.once('exit', resolve));
    service.kill('SIGTERM');
    await ended;
  }
  service = spawn(process.execPath, ['--enable-source-maps', path.join(root, 'dist', 'main.js')], { stdio: 'inherit' });
}

await restart();
for (const folder of ['src', 'console'])
  watch(path.join(root, folder), { recursive: true }, () => {
    clearTimeout(pending);
    pending = setTimeout(() => {
      restarting = restarting.then(restart);
    }, 200);
  });
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    service?.once('exit', () => process.exit(0));
    if (service?.kill(signal) !== true) process.exit(0);
  });
