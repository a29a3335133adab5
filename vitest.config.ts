import { defineConfig } from 'vitest/config';

const hasServers = ['TEST_EVENTSTORE_URL', 'TEST_MONGODB_URL'].every((name) => (process.env[name] ?? '') !== '');

export default defineConfig({
  test: {
    // Worker threads load compiled JavaScript from dist/, which this builds when it is stale.
    globalSetup: ['test/support/build.ts'],
    // Much of the time is spent waiting for services: two files at once even on two cores.
    maxWorkers: 2,
    // Thousands of streams may have to be deleted.
    teardownTimeout: 120_000,
    projects: [
      {
        test: {
          name: 'embedded',
          include: ['test/**/*.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        // The end-to-end tests once more, with services that keep their events in EventStoreDB and their views in MongoDB.
        test: {
          name: 'servers',
          ...(hasServers
            ? {
                include: ['test/e2e/**/*.test.ts'],
                env: { TEST_STORES: 'servers' },
                globalSetup: ['test/support/servers-run.ts'],
              }
            : { include: ['test/support/without-servers.ts'] }),
          testTimeout: 40_000,
          hookTimeout: 60_000,
          // After the others, not beside them.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
