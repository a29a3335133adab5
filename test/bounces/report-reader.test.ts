/** The thread that parses reports. Its answers equal those of the parser, and requests go on beside it. */
import { expect, test } from 'vitest';
import { createReportReader } from '../../src/bounces/report-reader.js';
import { readReport } from '../../src/bounces/read-report.js';
import { someReport, someReports } from './some-reports.js';

const reader = createReportReader((error) => {
  throw new Error(error);
});

test('the thread answers what the parser reads, in the order of the reports', async () => {
  const all = await Promise.all(someReports.map((name) => reader.run(Buffer.from(someReport(name)))));
  expect(all).toEqual(await Promise.all(someReports.map((name) => readReport(Buffer.from(someReport(name))))));
});

test('a report of 1 MiB in base64 stalls nothing else', async () => {
  const status = `Reporting-MTA: dns; a\n\nAction: failed\nStatus: 5.1.1\n${'X-A: b\n'.repeat(110_000)}`;
  const body = Buffer.from(status)
    .toString('base64')
    .slice(0, 1_000_000)
    .replaceAll(/.{300}/g, '$&\n');
  const report = `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\nContent-Transfer-Encoding: base64\n\n${body}\n--b--\n`;
  await reader.run(Buffer.from(someReport('abuse')));
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  expect(await reader.run(Buffer.from(report))).toMatchObject({ enhanced_code: '5.1.1' });
  clearInterval(timer);
  expect(longest).toBeLessThan(200);
});

test('a closed reader answers that the service is unavailable', async () => {
  await reader.close();
  await expect(reader.run(Buffer.from(''))).rejects.toMatchObject({ code: 'unavailable' });
});
