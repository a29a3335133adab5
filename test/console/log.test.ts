/** The log is watched, filtered and read, by hand. */
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { someRequestId, unique } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { verifyAll } from '../support/verify-many.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium } from './browser.js';

describe.skipIf(chromiumPath === undefined)(`the log${withoutChromium}`, () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedService(), sharedBrowser()]);
  });

  test('a new event comes by itself, its request is all there is behind its link, and it is shown in full', async () => {
    const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
    await signIn(service.key, '/log');
    await page.getByText('New events come by themselves').waitFor();
    const request = someRequestId();
    const name = unique('List <b>\u202e');
    await service.post('/v1/lists/create', { list_name: name }, { 'x-request-id': request });
    const newest = page.getByRole('table', { name: 'The newest events' });
    await newest.getByRole('link', { name: request }).waitFor();
    await checkAccessibility();
    await newest.getByRole('link', { name: request }).click();
    const all = page.getByRole('table', { name: 'Events, the oldest first' });
    await all.getByText('ListCreated').waitFor();
    expect(await all.getByRole('row').count()).toBe(2);
    await checkAccessibility();
    await page.reload();
    await all.getByRole('rowheader').getByRole('link').click();
    await page.getByText(name.replace('\u202e', '\\u202e')).waitFor();
    await page.getByText('Leaf in the tree').waitFor();
    await checkAccessibility();
    const proof = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download a proof' }).click();
    const file = await (await proof).path();
    expect(verifyAll([[file]])).toMatchObject([{ code: 0, output: expect.stringMatching(/^proven: ListCreated/) }]);
    await page.getByRole('link', { name: 'lists', exact: true }).click();
    await page.waitForURL('**/log?stream=lists&show=all');
    await all.getByText('ListCreated').first().waitFor();
    await page.goBack();
    await page.getByText('Leaf in the tree').waitFor();
    await page.goBack();
    await all.getByText('ListCreated').waitFor();
    await leave();
  });

  test('a pause holds what is seen; types are filtered; an unknown type is refused in words', async () => {
    const { page, open, signIn, leave } = await visit(browser, service, { width: 360 });
    await signIn(service.key, '/log?types=GroupCreated');
    await service.post('/v1/groups/create', { group_name: unique('Group') });
    const newest = page.getByRole('table', { name: 'The newest events' });
    await newest.getByText('GroupCreated').first().waitFor();
    expect(await newest.getByText('ListCreated').count()).toBe(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await open('/log?types=NoSuchType&show=all');
    expect(await page.getByRole('alert').textContent()).toContain('NoSuchType');
    await leave(['400']);
  });
});
