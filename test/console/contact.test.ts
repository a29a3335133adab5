/** A person is found, looked at through time, and erased, by hand. */
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { someAddress, someRequestId, unique } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium } from './browser.js';

const nasty = '<img src=x onerror=alert(1)> \u202e';
const shownNasty = nasty.replace('\u202e', '\\u202e');

describe.skipIf(chromiumPath === undefined)(`a person${withoutChromium}`, () => {
  let service: Service;
  let browser: Browser;
  let listId: string;
  let listName: string;
  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedService(), sharedBrowser()]);
    listName = unique(`News ${nasty}`);
    listId = await service.make('/v1/lists/create', { list_name: listName }, 'list_id');
  });

  async function makeContact(email: string): Promise<string> {
    const body = { email, firstName: `Ada ${nasty}`, status: 'Subscribed' };
    const id = await service.make(`/v1/contacts/${listId}/create`, body, 'contact_id');
    const tagged = { contact_email: email, tag_name: [`VIP ${nasty}`] };
    await service.make(`/v1/contacts/tags/${listId}/add`, tagged, 'tag_id');
    return id;
  }
  const setStatus = async (email: string, status: string, request: string): Promise<void> => {
    const body = { contact_email: email, status };
    const { status: code } = await service.post(`/v1/contacts/${listId}/updatestatus`, body, {
      'x-request-id': request,
    });
    expect(code).toBe(200);
  };
  const find = async (page: Page, text: string): Promise<void> => {
    const field = page.getByRole('searchbox');
    await field.fill(text);
    // On the field: the heading of a page that was just opened takes the focus.
    await field.press('Enter');
  };
  const statusShown = async (page: Page): Promise<string> =>
    (await page.getByRole('table', { name: 'Lists and tags' }).getByRole('cell').first().textContent()) ?? '';

  interface Change {
    readonly at: string;
  }
  const timesOf = async (id: string): Promise<readonly string[]> => {
    const { body } = await service.get(`/v1/audit/contacts/${id}/history`);
    return (body as { data: readonly Change[] }).data.map(({ at }) => at);
  };
  const statusAt = async (id: string, time: string): Promise<string | undefined> => {
    const { body } = await service.get(`/v1/audit/contacts/${id}/at?time=${time}`);
    return (body as { data: { subscriptions: readonly { status: string }[] } }).data.subscriptions[0]?.status;
  };

  test('found by address, id and request; seen at every moment as the API tells it; two times compared', async () => {
    const email = someAddress('find');
    const id = await makeContact(email);
    const desk = await service.post('/v1/keys', { name: unique(`Desk ${nasty}`), scopes: ['contacts:write'] });
    const authorization = `Bearer ${desk.field('secret')}`;
    const city = { email, city: 'London', status: 'Subscribed' };
    expect((await service.post(`/v1/contacts/${listId}/upsertcontact`, city, { authorization })).status).toBe(200);
    for (let round = 0; round < 4; round += 1)
      await setStatus(email, round % 2 === 0 ? 'Unsubscribed' : 'Subscribed', someRequestId());
    const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
    await signIn(service.key);
    await page.getByRole('searchbox').waitFor();
    await checkAccessibility();
    await find(page, email);
    await page.waitForURL(`**/contacts/${id}`);
    await page.getByText(`Ada ${shownNasty}`).first().waitFor();
    expect(page.url()).not.toContain('@');
    await page.getByText(`VIP ${shownNasty}`).first().waitFor();
    await page.getByText(`Desk ${shownNasty}`).waitFor();
    await page.getByText(desk.field('key_id')).waitFor();

    const slider = page.getByRole('slider', { name: 'Time' });
    const times = [...new Set(await timesOf(id))];
    await expect.poll(() => slider.getAttribute('max')).toBe(String(times.length));
    await slider.focus();
    for (let at = times.length - 1; at > 0; at -= 1) {
      await page.keyboard.press('ArrowLeft');
      const time = times[at - 1] ?? '';
      await page.waitForURL((url) => url.searchParams.get('at') === time);
      await page.locator(`p[role=status] time[datetime="${time}"]`).waitFor();
      expect(await statusShown(page)).toContain(await statusAt(id, time));
    }
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Tags');
    await page.getByText(`1 of ${times.length + 1} changes`).waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('everything');
    await page.waitForURL((url) => !url.searchParams.has('kind'));
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('The contact did not exist yet at that time.').waitFor();
    await page.goBack();
    await page.locator(`p[role=status] time[datetime="${times[0] ?? ''}"]`).waitFor();
    await page.reload();
    await page.locator(`p[role=status] time[datetime="${times[0] ?? ''}"]`).waitFor();
    await checkAccessibility();

    await page.getByRole('button', { name: 'Compare two times' }).click();
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => url.searchParams.get('at') === times[1]);
    const differences = page.getByRole('table', { name: 'Differences' });
    const both = [await statusAt(id, times[1] ?? ''), await statusAt(id, times.at(-1) ?? '')];
    const row = differences.getByRole('row', { name: 'Status in' });
    if (both[0] === both[1]) await expect.poll(() => row.count()).toBe(0);
    else await row.waitFor();
    await checkAccessibility();

    await page.getByRole('link', { name: 'Find' }).click();
    await find(page, id);
    await page.waitForURL(`**/contacts/${id}`);
    await page.getByRole('link', { name: 'Find' }).click();
    await find(page, 'order-4711');
    // It may be of a name, which is to be in no address.
    expect(page.url()).not.toContain('4711');
    await page.getByRole('link', { name: 'what the request with this id did' }).click();
    await page.waitForURL('**/log?request=order-4711');
    await leave();
  });

  test('who is known by half is found by the beginning of a name, as it is typed', async () => {
    const mark = `q${randomBytes(4).toString('hex')}`;
    const create = (name: object) =>
      service.make(
        `/v1/contacts/${listId}/create`,
        { email: someAddress('half'), status: 'Subscribed', ...name },
        'contact_id',
      );
    const id = await create({ firstName: 'Grace', lastName: `${mark} ${nasty}` });
    await create({ firstName: 'Other', lastName: `${mark}y` });
    const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
    await signIn(service.key);
    const field = page.getByRole('searchbox');
    await field.fill(mark.toUpperCase());
    await page.getByText('2 contacts.').waitFor();
    await checkAccessibility();
    await field.fill(`${mark} <img`);
    await page.getByText('1 contact.').waitFor();
    expect(page.url()).not.toContain(mark);
    await page.getByRole('link', { name: `Grace ${mark} ${shownNasty}` }).click();
    await page.waitForURL(`**/contacts/${id}`);
    await page.goBack();
    expect(await field.inputValue()).toBe(`${mark} <img`);
    await page.getByText('1 contact.').waitFor();
    await field.fill(`nobody${mark}`);
    await page.getByText('No address and no name begins so.').waitFor();
    await leave();
  });

  test('the report opens in a frame where nothing runs; mail is suppressed; the person is erased', async () => {
    const email = someAddress('erase');
    const id = await makeContact(email);
    const { page, signIn, checkAccessibility, leave } = await visit(browser, service, { width: 360 });
    await signIn(service.key, `/contacts/${id}`);
    await page.getByRole('button', { name: 'Page for a regulator' }).click();
    const frame = page.locator('iframe');
    await frame.contentFrame().getByText('What the record says about').waitFor();
    expect(await frame.getAttribute('sandbox')).not.toContain('allow-scripts');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('button', { name: 'Close it' }).click();

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download all that is stored' }).click();
    expect((await download).suggestedFilename()).toBe(`export-${id}.json`);

    await page.getByRole('button', { name: 'Suppress mail' }).click();
    await page.getByRole('dialog').getByLabel('Note').fill(nasty);
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByText('all mail: manual').waitFor();
    const [before = ''] = await timesOf(id);
    await page.getByRole('slider', { name: 'Time' }).press('Home');
    await page.getByText('Mail was not refused.').waitFor();
    await page.goto(`${service.url()}/console/contacts/${id}?at=${before.slice(0, 10)}`);
    await page.locator(`time[datetime="${before.slice(0, 10)}T23:59:59.999Z"]`).waitFor();
    await page.getByText('all mail: manual').waitFor();

    await page.getByRole('button', { name: 'Erase the person' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Erase' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type the address').fill(email);
    await checkAccessibility();
    await dialog.getByRole('button', { name: 'Erase' }).click();
    await page.getByText('This person was erased at').waitFor();
    await page.getByText('completed', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(email);
    expect(await page.getByRole('button', { name: 'Erase the person' }).count()).toBe(0);
    await checkAccessibility();

    // Before the erasure there are lists and tags, and nobody's name; a second life is another contact.
    const second = await makeContact(email);
    const [created = ''] = await timesOf(id);
    await page.goto(`${service.url()}/console/contacts/${id}?at=${created}`);
    await page.locator(`p[role=status] time[datetime="${created}"]`).waitFor();
    expect(await statusShown(page)).toContain(await statusAt(id, created));
    expect(await page.content()).not.toContain('Ada');
    await page.getByRole('link', { name: 'Find' }).click();
    await find(page, email);
    await page.waitForURL(`**/contacts/${second}`);
    await page.getByText(`Ada ${shownNasty}`).first().waitFor();
    await leave();
  });

  test('a key sees and is offered no more than its scopes allow', async () => {
    const email = someAddress('scopes');
    const id = await makeContact(email);
    const keyWith = async (...scopes: string[]): Promise<string> =>
      (await service.post('/v1/keys', { name: unique('Desk'), scopes })).field('secret');
    for (const [key, seen] of [
      [await keyWith('audit:read'), ['Page for a regulator', 'Download a proof', 'Go', 'Compare two times']],
      [await keyWith('contacts:read'), []],
    ] as const) {
      const { page, signIn, checkAccessibility, leave } = await visit(browser, service);
      await signIn(key, `/contacts/${id}`);
      await page.getByText(email).first().waitFor();
      expect(await page.getByRole('main').getByRole('button').allTextContents()).toEqual(seen);
      await checkAccessibility();
      await leave();
    }
  });
});
