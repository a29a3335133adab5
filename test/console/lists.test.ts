/** Lists and tags are looked at: growth, members, as they were, and what differs between two times. */
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { someAddress, unique } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium } from './browser.js';

const nasty = '<img src=x onerror=alert(1)> \u202e';
const shown = (text: string): string => text.replace('\u202e', '\\u202e');
const tick = async (): Promise<string> => {
  const time = new Date().toISOString();
  await expect.poll(() => new Date().toISOString() > time).toBe(true);
  return time;
};

describe.skipIf(chromiumPath === undefined)(`lists${withoutChromium}`, () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedService(), sharedBrowser()]);
  });

  const setStatus = (list: string, email: string, status: string) =>
    service.post(`/v1/contacts/${list}/updatestatus`, { contact_email: email, status });

  test('growth, members with a filter, the list at a time and between two, with back and reload', async () => {
    const name = unique(`News ${nasty}`);
    const list = await service.make('/v1/lists/create', { list_name: name }, 'list_id');
    const [ada, bob, eve] = [someAddress('ada'), someAddress('bob'), someAddress('eve')];
    for (const email of [ada, bob])
      await service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }, 'contact_id');
    const from = await tick();
    await setStatus(list, ada, 'Unsubscribed');
    await service.make(`/v1/contacts/${list}/create`, { email: eve, status: 'Subscribed' }, 'contact_id');
    const until = await tick();

    const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
    await signIn(service.key, `/lists/${list}`);
    await page.getByRole('heading', { level: 1, name: shown(name) }).waitFor();
    await page.getByText('The figures as a table').first().click();
    const totals = page.getByRole('table', { name: 'Subscribed at the end of each interval' });
    expect(await totals.getByRole('row').last().textContent()).toMatch(/2$/);
    await checkAccessibility();

    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('cell', { name: 'Unsubscribed' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(4);
    await page.getByLabel('Status', { exact: true }).selectOption('Unsubscribed');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.reload();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await checkAccessibility();

    await page.goto(`${service.url()}/console/lists/${list}?show=at&at=${from}`);
    await page.getByText('2 members, 2 subscribed').waitFor();
    await checkAccessibility();
    await page.goto(`${service.url()}/console/lists/${list}?show=difference&from=${from}&to=${until}`);
    await page.getByText('1 joined, 0 left, 1 changed').waitFor();
    await checkAccessibility();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    expect((await saved).suggestedFilename()).toBe(`${list}-difference.csv`);
    await page.getByRole('link', { name: eve }).click();
    await page.waitForURL('**/contacts/con_*');
    await page.goBack();
    await page.getByText('1 joined, 0 left, 1 changed').waitFor();
    await leave();
  });

  test('all lists and tags with their counts, on a narrow window', async () => {
    const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    const email = someAddress('tagged');
    await service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }, 'contact_id');
    const tagName = unique(`VIP ${nasty}`);
    const tagged = { contact_email: email, tag_name: [tagName] };
    const tagId = await service.make(`/v1/contacts/tags/${list}/add`, tagged, 'tag_id');
    const { page, open, signIn, checkAccessibility, leave } = await visit(browser, service, { width: 360 });
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/v1\/(?:analytics|lists|tags)/.test(pathname)) asked.push(pathname);
    });
    await signIn(service.key, '/lists');
    await page
      .getByRole('table', { name: 'Lists' })
      .getByRole('cell', { name: /^[0-9]+$/ })
      .first()
      .waitFor();
    await checkAccessibility();
    await open('/tags');
    await page
      .getByRole('table', { name: 'Tags' })
      .getByRole('cell', { name: /^[0-9]+$/ })
      .first()
      .waitFor();
    expect(asked).toEqual(['/v1/analytics/lists', '/v1/analytics/tags']);
    await open(`/tags/${tagId}`);
    await page.getByRole('heading', { level: 1, name: shown(tagName) }).waitFor();
    await page.getByText('The figures as a table').first().click();
    const used = page.getByRole('table', { name: 'In use at the end of each interval' });
    expect(await used.getByRole('row').last().textContent()).toMatch(/1$/);
    await checkAccessibility();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await open('/groups');
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
    await checkAccessibility();
    await leave();
  });

  test('a key that may only see lists is offered nothing else', async () => {
    const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    const made = await service.post('/v1/keys', { name: unique('Desk'), scopes: ['lists:read', 'contacts:read'] });
    const { page, signIn, leave } = await visit(browser, service);
    await signIn(made.field('secret'), `/lists/${list}`);
    const parts = page.getByRole('navigation', { name: 'Parts of this page' });
    await expect.poll(() => parts.getByRole('link').allTextContents()).toEqual(['Members']);
    await leave();
  });
});
