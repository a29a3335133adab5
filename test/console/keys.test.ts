/** A key is created, used, rotated and revoked by hand. */
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { unique } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium } from './browser.js';

describe.skipIf(chromiumPath === undefined)(`keys${withoutChromium}`, () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedService(), sharedBrowser()]);
  });

  const statusWith = async (key: string): Promise<number> =>
    (await service.get('/v1/lists', { authorization: `Bearer ${key}` })).status;
  const shownKey = async (page: Page): Promise<string> =>
    await page.getByLabel('API key', { exact: true }).inputValue();

  test('created, used, rotated with both secrets valid, revoked', async () => {
    const name = unique('<b>Shop</b> \u202e');
    const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
    await signIn(service.key, '/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('lists:read').check();
    await checkAccessibility();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const first = await shownKey(page);
    expect(first).toMatch(/^aud_\w{38}$/);
    expect(await statusWith(first)).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();

    const row = page.getByRole('row', { name: name.replace('\u202e', '\\u202e') });
    await row.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByText('The key has a new secret').waitFor();
    const second = await shownKey(page);
    expect(second).not.toBe(first);
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);
    await page.keyboard.press('Escape');
    expect(await page.content()).not.toContain(second);

    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('not needed');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked', { exact: true }).waitFor();
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 401]);
    await checkAccessibility();
    await leave();
  });

  test('a key offers only the scopes that it has, and a refusal is shown in words with its request', async () => {
    const made = await service.post('/v1/keys', { name: unique('Desk'), scopes: ['keys', 'lists:read'] });
    const { page, signIn, leave } = await visit(browser, service, { width: 360 });
    await signIn(made.field('secret'), '/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByRole('checkbox').count()).toBe(2);
    await dialog.getByLabel('Name', { exact: true }).fill('cli');
    await dialog.getByLabel('lists:read').check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    expect(await dialog.getByRole('alert').textContent()).toMatch(/must not be mailer.*Request [0-9a-f-]{36}/s);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await leave(['400', '409', '422']);
  });
});
