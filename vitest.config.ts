import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Worker threads load compiled JavaScript from dist/, which this builds when it is stale.
    globalSetup: ['test/support/build.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
