/** Compiles src/ before the first test when dist/ is stale: worker threads and spawned services run from dist/. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/build-if-stale.mjs', import.meta.url));
  execFileSync(process.execPath, [script], { stdio: 'inherit' });
  // What starts again and again is compiled once. The folder goes with the next build.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../../dist/.compiled', import.meta.url));
}
