// Prints `N passed, N failed` (and `, N skipped`) for a report of vitest's JSON reporter; ends with an error if anything failed.
// node .ci/count.mjs <report.json> <failures beside the tests> <exit status of vitest>
import { readFileSync } from 'node:fs';

const [file, others, status] = process.argv.slice(2);
const count = { passed: 0, failed: Number(others), skipped: 0 };

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const report = read();
for (const { status: outcome, assertionResults: tests } of report?.testResults ?? []) {
  const failed = tests.filter((test) => test.status === 'failed').length;
  count.passed += tests.filter((test) => test.status === 'passed').length;
  count.skipped += tests.filter((test) => !['passed', 'failed'].includes(test.status)).length;
  // A file that cannot even be loaded has no tests to fail.
  count.failed += outcome === 'failed' ? Math.max(failed, 1) : failed;
}
// No report, no tests, or an error outside any test.
if (count.failed === 0 && (count.passed === 0 || status !== '0')) count.failed = 1;

console.log(`${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}`);
process.exitCode = count.failed > 0 ? 1 : 0;
