/** The console searches a log in which a match is many pages away. The service searches few events a page, so that a short log is long. */
import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../client/client.js';
import type { Service } from '../../src/app/start-service.js';
import { addContacts, localKey, startLocally, urlOf } from '../support/local-service.js';
import { freshFolder } from '../support/service.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium } from './browser.js';

const eventsAPage = 20;
const contacts = 100;

describe.skipIf(chromiumPath === undefined)(`a long log${withoutChromium}`, () => {
  let service: Service;
  let browser: Browser;
  let url: string;
  const folder = freshFolder();
  let lastRequest: string;
  beforeAll(async () => {
    const env = { SEAL_EVERY: '0', RATE_LIMIT: '0' };
    [service, browser] = await Promise.all([
      startLocally(folder, env, { mostSearched: eventsAPage, isBuilt: true }),
      sharedBrowser(),
    ]);
    url = urlOf(folder);
    await addContacts(folder, contacts);
    const client = createClient({ baseUrl: url, apiKey: localKey });
    await client.createGroup({ body: { group_name: 'Last' } });
    for await (const event of client.events({ types: 'GroupCreated' })) lastRequest = event.request_id ?? '';
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const rowsOf = (page: Page) => page.getByRole('table', { name: 'Events, the oldest first' }).getByRole('rowheader');

  test('shows the only match at either end of the log, and all that a request at the end did', async () => {
    const { page, open, signIn, leave } = await visit(browser, { url: () => url });
    await signIn(localKey, '/log?types=ListCreated&show=all');
    await page.getByRole('cell', { name: 'ListCreated' }).waitFor();
    await open('/log?types=GroupCreated&show=all');
    await page.getByRole('cell', { name: 'GroupCreated' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(await rowsOf(page).count()).toBe(1);
    await open(`/log?request=${lastRequest}`);
    await page.getByRole('cell', { name: 'GroupCreated' }).waitFor();
    await leave();
  });

  test('fills each page of rare events, and goes back to the one before', async () => {
    const { page, signIn, leave } = await visit(browser, { url: () => url });
    await signIn(localKey, '/log?types=ContactSubscribed&show=all');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(contacts - 50);
    // A page that is full may be the last one: only a search tells.
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('There is nothing more.').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('Page 2').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('Page 1').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(50);
    await leave();
  });

  test('shows how far a search is, can be stopped and continued, and says that nothing matches only at the end', async () => {
    const { page, signIn, checkAccessibility, leave } = await visit(browser, { url: () => url });
    let answers = 0;
    let release: (() => void) | undefined;
    await page.route('**/v1/audit/events?*', async (route) => {
      answers += 1;
      // Holds the third answer, so that the page is seen in the middle of its search.
      if (answers === 3) await new Promise<void>((resolve) => (release = resolve));
      await route.continue().catch(() => undefined);
    });
    await signIn(localKey, '/log?actor=nobody&show=all');
    const nothing = page.getByText('No event matches these filters.');
    await page.getByText(/^Searched 40 of 2\d\d events …/).waitFor();
    expect(await nothing.count()).toBe(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText(/^Stopped: 40 of 2\d\d events\. There may be more to find\./).waitFor();
    expect(await nothing.count()).toBe(0);
    await checkAccessibility();
    release?.();
    await page.getByRole('button', { name: 'Continue' }).click();
    await nothing.waitFor();
    expect(answers).toBeGreaterThan((2 * contacts) / eventsAPage);
    await leave();
  });
});
