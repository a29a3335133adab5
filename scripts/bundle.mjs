// Puts what starts a process or a thread into a few files: loading some 450 modules one by one took more than half the time of a start.
import path from 'node:path';
import { rolldown } from 'rolldown';

const service = [
  'main',
  'audience',
  'app/projector-worker',
  'bounces/report-worker',
  'eventstore/sqlite/writer',
  'integrity/integrity-worker',
  'rebuild/rebuild-worker',
];
/** These load files of their own folder, or are needed only where their server is. */
const external = ['@eventstore/db-client', '@grpc/grpc-js', 'mongodb', 'pino', 'protobufjs'];

/** Replaces the compiled entries in `dist`; the other compiled files stay as they are. */
export const bundle = (root, dist) =>
  bundleInto(dist, {
    root,
    input: Object.fromEntries(service.map((name) => [name, path.join(root, 'src', `${name}.ts`)])),
    chunks: 'bundle',
  });

/** `input`: files by the name that they get there. `chunks`: the folder of what they share. */
export async function bundleInto(dist, { root, input, chunks }) {
  const src = path.join(root, 'src');
  const bundled = await rolldown({
    input,
    platform: 'node',
    external,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      {
        name: 'each module finds its files where its own compiled file is',
        transform(code, id) {
          if (!id.startsWith(src) || !code.includes('import.meta.url')) return undefined;
          const compiled = path.relative(src, id).replaceAll(path.sep, '/').replace(/\.ts$/, '.js');
          // The lines stay what they are.
          return { code: code.replaceAll('import.meta.url', `new URL('${compiled}', dist).href`), map: null };
        },
      },
    ],
  });
  await bundled.write({
    dir: dist,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: `${chunks}/[name].js`,
    intro: ({ fileName }) =>
      `const dist = new URL('${'../'.repeat(fileName.split('/').length - 1) || './'}', import.meta.url);`,
  });
  await bundled.close();
}
