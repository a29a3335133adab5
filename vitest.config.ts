import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

const hasServers = ['TEST_EVENTSTORE_URL', 'TEST_MONGODB_URL'].every((name) => (process.env[name] ?? '') !== '');

/** What starts a process or a projector's thread, opens a port or speaks to a server. */
const outside =
  /from '(node:(child_process|net|https?|http2|tls)|smtp-server|mongodb|@eventstore\/db-client|@grpc\/grpc-js)'|\bfetch\(|projector-thread/;
const sources = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name: path.join('test', name), text: readFileSync(path.join('test', name), 'utf8') }));
const imports = sources.map(({ name, text }) => ({
  name,
  from: [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, to = '']) => path.join(path.dirname(name), `${to}.ts`)),
}));

/** The test files that need nothing but this process, neither themselves nor in what they import from test/. */
function unitTests(): string[] {
  const others = new Set(sources.filter(({ text }) => outside.test(text)).map(({ name }) => name));
  for (let before = -1; before !== others.size;) {
    before = others.size;
    for (const { name, from } of imports) if (from.some((file) => others.has(file))) others.add(name);
  }
  return sources.map(({ name }) => name).filter((name) => name.endsWith('.test.ts') && !others.has(name));
}

export default defineConfig(({ mode }) => {
  const isLong = mode === 'long';
  const patience = isLong ? 10 : 1;
  const env = isLong ? { TEST_LONG: '1' } : {};
  return {
    test: {
      // Worker threads load compiled JavaScript from dist/, which this builds when it is stale.
      globalSetup: ['test/support/build.ts'],
      // Much of the time is spent waiting for services: more files at once than there are processors.
      maxWorkers: 5,
      // Thousands of streams may have to be deleted.
      teardownTimeout: 120_000,
      projects: [
        {
          test: {
            name: 'embedded',
            // `npm run test:unit`: no process, no network.
            include: mode === 'unit' ? unitTests() : ['test/**/*.test.ts'],
            exclude: [...(isLong ? [] : ['test/**/*.long.test.ts']), ...(hasServers ? ['test/servers/**'] : [])],
            // Loading the same modules again for each file would take longer than the tests.
            isolate: false,
            env,
            // Many start several services, which takes its time on a busy machine.
            testTimeout: patience * 60_000,
            hookTimeout: 60_000,
          },
        },
        {
          // The end-to-end tests once more, with services that keep their events in EventStoreDB and their views in MongoDB; and those of several processes.
          test: {
            name: 'servers',
            ...(hasServers
              ? {
                  include: ['test/{e2e,servers}/**/*.test.ts'],
                  exclude: isLong ? [] : ['test/**/*.long.test.ts'],
                  env: { ...env, TEST_STORES: 'servers' },
                  globalSetup: ['test/support/servers-run.ts'],
                }
              : { include: ['test/support/without-servers.ts'] }),
            testTimeout: patience * 60_000,
            hookTimeout: 60_000,
            // After the others, not beside them.
            sequence: { groupOrder: 1 },
          },
        },
      ],
    },
  };
});
