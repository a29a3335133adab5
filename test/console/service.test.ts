/** The state of the service, its charts, and a rebuild that is started and followed by hand. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type Service } from '../support/service.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium } from './browser.js';

describe.skipIf(chromiumPath === undefined)(`the service${withoutChromium}`, () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), sharedBrowser()]);
    await service.post('/v1/lists/create', { list_name: 'News' });
  });
  afterAll(() => service.close());

  test('parts, views and charts are shown, and charts have their figures as a table', async () => {
    const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
    await page.clock.install();
    await signIn(service.key, '/service');
    await page.getByText('The service and everything that it needs are available.').waitFor();
    await page.getByText('Integrity', { exact: true }).waitFor();
    const { data } = (await service.get('/v1/projections')).body as { data: readonly { name: string }[] };
    const views = page.getByRole('table', { name: 'Views' }).getByRole('rowheader');
    await expect.poll(() => views.allTextContents()).toEqual(data.map(({ name }) => name));
    const subscribers = page.getByRole('table', { name: 'Subscribers' });
    await subscribers.getByRole('row', { name: 'mailer working 0 s 0 0' }).waitFor();
    expect(await subscribers.getByRole('rowheader').allTextContents()).toEqual(
      expect.arrayContaining(['mailer', 'erasures', 'seals']),
    );
    await page.clock.runFor(11_000);
    const figure = page.getByRole('figure').filter({ hasText: 'Requests a second' });
    await figure.getByText('The figures as a table').click();
    await expect.poll(() => figure.getByRole('row').count()).toBeGreaterThan(2);
    await expect.poll(() => page.locator('canvas').count()).toBe(6);
    await checkAccessibility();
    await leave();
  });

  test('a clock that is not trusted is shown, and trusted once it is confirmed', async () => {
    const own = await startService();
    try {
      await own.kill('SIGTERM');
      writeFileSync(path.join(own.dataDir, 'clock.json'), '{"noted_at":"2026-01-01T00:00:00.000Z"}');
      await own.start();
      const { page, signIn, checkAccessibility, leave } = await visit(browser, own);
      await signIn(own.key, '/service');
      await page.getByText('It is more than a day ahead of the last time that was known to be right.').waitFor();
      await page.getByRole('button', { name: 'Confirm the clock' }).click();
      await checkAccessibility();
      await page.getByRole('button', { name: 'Confirm', exact: true }).click();
      await page.getByText('not trusted').waitFor({ state: 'detached' });
      expect((await own.get('/health/ready')).body).toMatchObject({ data: { clock: { trusted: true } } });
      await leave();
    } finally {
      await own.close();
    }
  });

  test('a rebuild is compared first, then switched, and what came of it is shown', async () => {
    const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
    await signIn(service.key, '/service');
    for (const [then, outcome] of [
      ['compare only, and switch nothing', 'no difference; nothing was switched'],
      ['switch if they are equal', 'the new views are live'],
    ] as const) {
      await page.getByRole('button', { name: 'Rebuild views' }).click();
      await page.getByRole('combobox', { name: 'Views' }).selectOption('lists');
      await page.getByRole('combobox', { name: 'Then' }).selectOption(then);
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText(outcome).waitFor({ timeout: 30_000 });
      const row = page.getByRole('table', { name: 'Comparison' }).getByRole('row', { name: 'lists' });
      expect(await row.getByRole('cell').allTextContents()).toEqual(['1', '1', '0', '–']);
    }
    expect((await service.get('/v1/projections/rebuild')).body).toMatchObject({ data: { outcome: 'switched' } });
    await checkAccessibility();
    await leave();
  });
});
