/** Who gets in, what is offered to whom, and when it ends. */
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { unique } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium } from './browser.js';

describe.skipIf(chromiumPath === undefined)(`signing in${withoutChromium}`, () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedService(), sharedBrowser()]);
  });

  const keyWith = async (...scopes: string[]) =>
    (await service.post('/v1/keys', { name: unique('Console'), scopes })).field('secret');

  test('a key sees what its scopes allow, and nothing else is offered', async () => {
    const menus: Record<string, readonly string[]> = {};
    const keys = {
      all: service.key,
      lists: await keyWith('lists:read', 'contacts:read'),
      keys: await keyWith('keys'),
    };
    for (const [name, key] of Object.entries(keys)) {
      const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
      await signIn(key);
      menus[name] = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
      await checkAccessibility();
      await leave();
    }
    expect(menus).toEqual({
      all: ['Find', 'Lists', 'Tags', 'Groups', 'E-mail', 'Log', 'Service', 'Keys'],
      lists: ['Find', 'Lists'],
      keys: ['Keys'],
    });
  });

  test('a page that a key may not open leads to Find, if it may open that', async () => {
    for (const [scope, links] of [
      ['tags:read', 0],
      ['contacts:read', 1],
    ] as const) {
      const { page, signIn, leave } = await visit(browser, service);
      await signIn(await keyWith(scope), '/keys');
      await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
      expect(await page.getByRole('main').getByRole('link').count(), scope).toBe(links);
      await leave();
    }
  });

  test('a wrong key is refused in the words of the API', async () => {
    const { page, open, checkAccessibility, leave } = await visit(browser, service);
    await open('/lists');
    await page.getByLabel('API key').fill('aud_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const refusal = (await service.get('/v1/keys/self', { authorization: 'Bearer aud_wrong' })).body;
    await expect.poll(() => page.getByRole('alert').textContent()).toContain((refusal as { message: string }).message);
    await checkAccessibility();
    await leave(['401']);
  });

  test('a reload goes on only where the tab keeps the key, and a sign-out forgets it', async () => {
    const { page, open, signIn, leave } = await visit(browser, service);
    await open('/lists');
    await page.getByLabel('API key').fill(service.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Lists' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]))).not.toContain(service.key);
    await page.reload();
    await page.getByLabel('API key').waitFor();

    await signIn(service.key, '/lists');
    await page.reload();
    await page.getByRole('heading', { name: 'Lists' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('audience.key'))).toBeNull();
    await leave();
  });

  test('a sign-out ends the session in tabs opened from this one, also in those that are elsewhere or load later', async () => {
    const { page, open, signIn, leave } = await visit(browser, service);
    await signIn(service.key, '/lists');
    const opened = async (): Promise<Page> => {
      const popup = page.waitForEvent('popup');
      await page.evaluate('void open(location.href)');
      const tab = await popup;
      await tab.getByRole('button', { name: 'Sign out' }).waitFor();
      return tab;
    };
    const [other, gone] = [await opened(), await opened()];
    await gone.goto('about:blank');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signed out in another tab.').waitFor();
    await gone.goBack();
    await gone.getByText('Signed out in another tab.').waitFor();
    for (const tab of [page, other, gone]) {
      expect(await tab.evaluate(() => JSON.stringify([sessionStorage, localStorage]))).toBe('[{},{}]');
      await tab.reload();
      await tab.getByLabel('API key').waitFor();
    }
    // A session that was begun on its own goes on.
    await signIn(service.key, '/lists');
    const separate = await page.context().newPage();
    await separate.goto(page.url());
    await separate.getByLabel('API key').fill(service.key);
    await separate.getByRole('button', { name: 'Sign in' }).click();
    await separate.getByRole('button', { name: 'Sign out' }).click();
    await separate.getByLabel('API key').waitFor();
    await open('/tags');
    await page.getByRole('heading', { name: 'Tags' }).waitFor();
    await leave();
  });

  test('after fifteen minutes without activity one is signed out', async () => {
    const { page, signIn, leave } = await visit(browser, service);
    await page.clock.install();
    await signIn(service.key, '/lists');
    await page.clock.fastForward('14:00');
    await page.keyboard.press('Tab');
    await page.clock.fastForward('14:00');
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true);
    await page.clock.fastForward('01:30');
    await page.getByText('Signed out after 15 minutes').waitFor();
    await leave();
  });

  test('a page that cannot be loaded says so, and is there once the service answers again', async () => {
    const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
    await signIn(service.key);
    await page.route('**/assets/*.js', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByText('This page cannot be loaded').waitFor();
    await checkAccessibility();
    await page.unroute('**/assets/*.js');
    await page.getByRole('button', { name: 'Load it again' }).click();
    await page.getByRole('heading', { name: 'Groups' }).waitFor();
    await leave(['ERR_CONNECTION_REFUSED']);
  });

  test('a key that is revoked meanwhile signs out at the next look', async () => {
    const made = await service.post('/v1/keys', { name: unique('Console'), scopes: ['lists:read', 'tags:read'] });
    const { page, signIn, leave } = await visit(browser, service);
    await signIn(made.field('secret'), '/lists');
    await page.waitForLoadState('networkidle');
    await service.post(`/v1/keys/${made.field('key_id')}/revoke`, {});
    await page.getByRole('link', { name: 'Tags' }).click();
    await page.getByText('Signed out:').waitFor();
    await leave(['401']);
  });
});
