/** Stands in for the end-to-end tests on servers where there are none: each file is reported as skipped, with the reason. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';

const files = readdirSync(fileURLToPath(new URL('../e2e', import.meta.url))).filter((name) =>
  name.endsWith('.test.ts'),
);

for (const file of files)
  test(`test/e2e/${file} on EventStoreDB and MongoDB`, ({ skip }) =>
    skip('needs TEST_EVENTSTORE_URL and TEST_MONGODB_URL'));
