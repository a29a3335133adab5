/** Tests the texts of the console about unknown ids, erased contacts, empty pages and recorded reads. */
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { someAddress, strangerId, unique } from '../support/answers.js';
import { addContacts, localKey, startLocally, urlOf } from '../support/local-service.js';
import { newFolder } from '../support/integrity-log.js';
import { eventually, type Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium } from './browser.js';

describe.skipIf(chromiumPath === undefined)(`the console${withoutChromium}`, () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedService(), sharedBrowser()]);
  });

  const makeList = () => service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const makeContact = (list: string, email: string) =>
    service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }, 'contact_id');
  const controls = (page: Page) =>
    page.locator('main').locator('input, select, button, form, table, [role=alert]').count();

  test('shows one sentence, and no form or error, for an unknown id', async () => {
    const { page, open, signIn, checkAccessibility, leave } = await visit(browser, service);
    await signIn(service.key);
    for (const [address, what] of [
      [`/contacts/${strangerId('con')}`, 'contact'],
      [`/lists/${strangerId('lst')}`, 'list'],
      [`/tags/${strangerId('tag')}`, 'tag'],
      [`/emails/${strangerId('eml')}`, 'email'],
      ['/log/99999999', 'event at position'],
    ] as const) {
      await open(address);
      await page.getByText(`There is no ${what} ${address.split('/').at(-1) ?? ''}.`).waitFor();
      expect(await controls(page), address).toBe(0);
    }
    await checkAccessibility();
    await leave(['400', '404']);
  });

  test('says that a list was deleted and when, and shows its history', async () => {
    const list = await makeList();
    await service.client().deleteList({ path: { list_id: list } });
    const growth = await service.get(`/v1/analytics/lists/${list}/growth`);
    const { data } = growth.body as { data: { deleted_at: string } };
    const { page, signIn, leave } = await visit(browser, service);
    await signIn(service.key, `/lists/${list}`);
    await page.getByText('This list was deleted at').locator(`time[datetime="${data.deleted_at}"]`).waitFor();
    expect(await page.getByRole('link', { name: 'Members' }).count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    await leave(['400', '404']);
  });

  test('says that a contact was erased and when, even after the person came back', async () => {
    const list = await makeList();
    const email = someAddress('erased');
    const id = await makeContact(list, email);
    const erasure = await service.post('/v1/privacy/erasures', { email });
    const done = `/v1/privacy/erasures/${erasure.field('erasure_id')}`;
    await eventually(async () => ((await service.get(done)).field('status') === 'completed' ? true : undefined));
    const history = (await service.get(`/v1/audit/contacts/${id}/history`)).items();
    const at = history.find(({ type }) => type === 'ContactErased')?.['at'] as string;
    const { page, open, signIn, leave } = await visit(browser, service);
    await signIn(service.key);
    for (const round of ['erased', 'erased and back']) {
      await open(`/contacts/${id}`);
      await page.getByText('This person was erased at').locator(`time[datetime="${at}"]`).waitFor();
      await page.getByText('The person was erased at').locator(`time[datetime="${at}"]`).waitFor();
      expect(await page.getByText(/did not exist|In no list/).count(), round).toBe(0);
      if (round === 'erased') await makeContact(list, email);
    }
    await open(`/contacts/${id}?at=2020-01-01`);
    await page.getByText('The contact did not exist yet at that time.').waitFor();
    await leave();
  });

  test('records the read of each page of members once, and names the key', async () => {
    const list = await makeList();
    const lines = Array.from({ length: 60 }, (_, at) => `{"email":"m${at}@example.com","status":"Subscribed"}`);
    const { status } = await service.request('POST', `/v1/contacts/${list}/bulk`, {
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(status).toBe(200);
    const readsOfList = async () =>
      (await service.client().listReads({ query: { limit: 200, actor: 'test' } })).data.filter(
        ({ subject }) => subject === list,
      );
    const { page, signIn, leave } = await visit(browser, service);
    await signIn(service.key, `/lists/${list}?show=members`);
    await page.getByText('What you read here is recorded under the name of your key.').waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(51);
    expect(await readsOfList()).toMatchObject([{ what: 'members', actor: 'test' }]);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(11);
    expect(await readsOfList()).toHaveLength(2);
    await service.get(`/v1/contacts/${list}`);
    expect(await readsOfList()).toHaveLength(2);
    await leave();
  });

  test('says that reads are not recorded if they are not, and that the live log leaves out reads', async () => {
    const folder = newFolder();
    const quiet = await startLocally(folder, { ACCESS_LOG: 'off', SEAL_EVERY: '0' }, { isBuilt: true });
    onTestFinished(() => quiet.close());
    await addContacts(folder, 1);
    const { page, open, signIn, leave } = await visit(browser, { url: () => urlOf(folder) });
    await signIn(localKey, '/log?types=GroupCreated');
    await page.getByText('This service does not record who reads').waitFor();
    await page.getByText(/^No event matches these filters since/).waitFor();
    await open('/log');
    await page.getByText('Records of reads are not shown here.').waitFor();
    await page.getByRole('table', { name: 'The newest events' }).getByText('ListCreated').waitFor();
    await page.getByRole('link', { name: 'Show only these' }).click();
    await page.getByText(/^No event matches these filters since/).waitFor();
    expect(await page.getByLabel('Types').inputValue()).toBe('RecordRead');
    await leave();
  });
});
