/** Every page of the console shows what the API answers, and nothing else: on a year of data, and on an empty service. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type AudienceClient } from '../../client/client.js';
import { mailSettings } from '../../demo/shop.js';
import { makeYear } from '../../demo/year.js';
import type { Service } from '../../src/app/start-service.js';
import { deliveryStates } from '../../src/projections/emails.js';
import { localKey, startLocally, urlOf } from '../support/local-service.js';
import { freshFolder } from '../support/service.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium, type Visitor } from './browser.js';
import {
  contactStop,
  differenceOf,
  emailStop,
  eventStop,
  listStops,
  overviews,
  pathsOfConsole,
  serviceStop,
  tagStop,
  type Stop,
} from './crawl.js';

/** How many things of each kind are looked at; all of them in the long run. */
const isLong = process.env['TEST_LONG'] === '1';
const most = isLong ? 40 : 1;
const dayMs = 86_400_000;
/** Milliseconds between two samples of the figures. */
const sampleMs = 5_000;

describe.skipIf(chromiumPath === undefined)(`every page of the console${withoutChromium}`, () => {
  const place = freshFolder();
  const folders = { year: path.join(place, 'year'), empty: path.join(place, 'empty') };
  const services: Service[] = [];
  let browser: Browser;

  beforeAll(async () => {
    const until = Math.floor(Date.now() / dayMs) * dayMs;
    await makeYear(folders.year, { people: 60, seed: 7, until }, () => undefined);
    browser = await sharedBrowser();
    for (const folder of Object.values(folders)) {
      const env = { ...mailSettings, SEAL_EVERY: '0', RATE_LIMIT: '0' };
      services.push(await startLocally(folder, env, { isBuilt: true }));
    }
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    rmSync(place, { recursive: true, force: true });
  });

  const apiOf = (folder: string): AudienceClient => createClient({ baseUrl: urlOf(folder), apiKey: localKey });

  async function look(visitor: Visitor, stop: Stop): Promise<void> {
    const expected = await stop.expected();
    if (stop.hasFigures === true) await openLater(visitor, stop.address);
    else await visitor.open(stop.address);
    await expect
      .poll(() => differenceOf(visitor.page, expected), { message: stop.address, timeout: 10_000 })
      .toEqual({ missing: [], unexplained: [] });
  }

  /** Opens a page, and lets its next sample of the figures come at once. */
  async function openLater({ page, open }: Visitor, address: string): Promise<void> {
    await page.clock.install();
    await Promise.all([page.waitForResponse((response) => response.url().endsWith('/metrics')), open(address)]);
    await page.clock.fastForward(sampleMs);
  }

  async function crawl(folder: string, stops: readonly Stop[]): Promise<void> {
    const visitor = await visit(browser, { url: () => urlOf(folder) });
    await visitor.signIn(localKey);
    for (const stop of stops) await look(visitor, stop);
    await visitor.leave(['400', '404']);
  }

  test(
    'shows each number and statement of a year of data as the API has it',
    { timeout: isLong ? 900_000 : 120_000 },
    async () => {
      const api = apiOf(folders.year);
      const stops = [...overviews(api), ...(await stopsOfThings(api))];
      expect(new Set([...stops.map(({ page }) => page), '/service'])).toEqual(new Set(pathsOfConsole()));
      await crawl(folders.year, stops);
    },
  );

  test('makes only true statements about an empty service', async () => {
    const api = apiOf(folders.empty);
    const { data } = await api.createList({ body: { list_name: 'Nobody' } });
    // Emails of the other states are missing on the year of data, too.
    const isShown = ({ address }: Stop): boolean => isLong || !/state=(?!sent)/.test(address);
    await crawl(folders.empty, [...overviews(api).filter(isShown), ...listStops(api, data.list_id)]);
  });

  test('notices a number that is wrong', async () => {
    const api = apiOf(folders.year);
    const visitor = await visit(browser, { url: () => urlOf(folders.year) });
    await visitor.signIn(localKey);
    const [stop] = overviews(api).filter(({ page }) => page === '/lists');
    if (stop === undefined) throw new Error('there is no page of lists');
    await look(visitor, stop);
    const [line = ''] = (await stop.expected()).filter((text) => /\t[1-9]\d*\t/.test(String(text)));
    const shown = /\t([1-9]\d*)\t/.exec(String(line))?.[1] ?? '';
    await visitor.page.evaluate(
      `[...document.querySelectorAll('td')].find(({ textContent }) => textContent === '${shown}').textContent = '${shown}1'`,
    );
    const found = await differenceOf(visitor.page, await stop.expected());
    expect(found).toEqual({ missing: [line], unexplained: [String(line).replace(`\t${shown}\t`, `\t${shown}1\t`)] });
    await visitor.leave();
  });
});

/** Some of each kind, and among them a contact that was erased, one that came back, and an email in each state. */
async function stopsOfThings(api: AudienceClient): Promise<readonly Stop[]> {
  const first = async <Item>(items: AsyncIterable<Item>, count = most): Promise<readonly Item[]> => {
    const found: Item[] = [];
    for await (const item of items) if (found.push(item) >= count) break;
    return found;
  };
  const lists = await first(api.all('listLists'));
  const tags = await first(api.all('listTags'));
  const emails: string[] = [];
  for (const state of deliveryStates)
    for (const { email_id } of await first(api.all('listEmails', { query: { state } }), Math.ceil(most / 4)))
      emails.push(email_id);
  const created = await first(api.events({ types: 'ContactCreated' }));
  const erased = await first(api.events({ types: 'ContactErased' }), isLong ? Infinity : 2);
  const contacts = new Set(
    [...created, ...erased].map(({ data }) => String((data as { contact_id: string }).contact_id)),
  );
  const events = await first(api.events(), most * 3);
  return [
    ...lists.flatMap(({ list_id }) => listStops(api, list_id)),
    ...tags.map(({ tag_id }) => tagStop(api, tag_id)),
    ...emails.map((id) => emailStop(api, id)),
    ...[...contacts].map((id) => contactStop(api, id)),
    ...events.map(({ position }) => eventStop(api, position)),
    serviceStop(api),
  ];
}
