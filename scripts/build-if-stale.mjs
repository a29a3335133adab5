// Compiles src/ into dist/ when anything that the build reads has changed since the last build; a start that needs no build costs a few milliseconds.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const stampFile = path.join(root, 'dist', '.inputs');

/** What the service reads beside its code. */
const readAtRun = [
  'src/api/openapi/examples.json',
  ...readdirSync(path.join(root, 'src/api/pages'))
    .filter((name) => !name.endsWith('.ts'))
    .map((name) => `src/api/pages/${name}`),
  'src/report/page-head.mustache',
  'src/report/report.mustache',
  'src/privacy/export.mustache',
];

function fingerprint() {
  const hash = createHash('sha256');
  const sources = ['src', 'client', 'console']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(folder, name)),
    )
    .filter((name) => /\.(ts|tsx|css|html|svg)$/.test(name))
    .sort();
  for (const name of [
    ...sources,
    ...readAtRun,
    'tsconfig.json',
    'tsconfig.build.json',
    'tsconfig.client.json',
    'console/tsconfig.json',
    'package-lock.json',
    'scripts/bundle.mjs',
    'scripts/bundle-console.mjs',
  ]) {
    const file = path.join(root, name);
    hash.update(`${name}\0`).update(existsSync(file) ? readFileSync(file) : '');
  }
  return hash.digest('hex');
}

const wanted = fingerprint();
const built = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
const isForced = process.argv.includes('--force');
if (isForced || built !== wanted) {
  // Compiled beside the old build and put in its place by renaming, so that a broken build leaves the old one alone.
  const fresh = path.join(root, `dist.${process.pid}`);
  const require = createRequire(import.meta.url);
  const tsc = require.resolve('typescript/bin/tsc');
  // Types are checked by `npm run build` and `npm run check`; a start or a test need not wait three times as long for it.
  for (const [project, folder] of [
    ['tsconfig.build.json', fresh],
    ['tsconfig.client.json', path.join(fresh, 'client')],
  ]) {
    const options = ['-p', project, '--outDir', folder, ...(isForced ? [] : ['--noCheck'])];
    const result = spawnSync(process.execPath, [tsc, ...options], { cwd: root, stdio: 'inherit' });
    if (result.status === 0) continue;
    rmSync(fresh, { recursive: true, force: true });
    process.exit(result.status ?? 1);
  }
  // Not at the top: where the service only runs, it is not installed.
  await Promise.all([import('./bundle.mjs'), import('./bundle-console.mjs')])
    .then(([{ bundle }, { bundleConsole }]) => Promise.all([bundle(root, fresh), bundleConsole(root, fresh)]))
    .catch((error) => {
      rmSync(fresh, { recursive: true, force: true });
      throw error;
    });
  for (const file of readAtRun) cpSync(path.join(root, file), path.join(fresh, path.relative('src', file)));
  // The page at /docs. Swagger UI is not installed where the service runs.
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    cpSync(require.resolve(`swagger-ui-dist/${name}`), path.join(fresh, 'swagger-ui', name));
  // What package.json names as `bin` is run as it is.
  chmodSync(path.join(fresh, 'audience.js'), 0o755);
  writeFileSync(path.join(fresh, '.inputs'), wanted);
  const old = `${fresh}.old`;
  if (existsSync(path.join(root, 'dist'))) renameSync(path.join(root, 'dist'), old);
  renameSync(fresh, path.join(root, 'dist'));
  rmSync(old, { recursive: true, force: true });
}
