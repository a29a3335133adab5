// npm run demo:pictures: takes the pictures of the console for the documents, of a demo that ends on a fixed day.
//
//   npm run demo:pictures [-- --only NAME]
//
// Needs Chromium: Debian's package, or CHROMIUM_PATH. What is taken stands in `wanted`; all goes to docs/pictures. People
// look at the pictures, no test does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { withFewColours } from './few-colours.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const pictures = path.join(root, 'docs', 'pictures');
const { values } = parseArgs({ options: { only: { type: 'string' } } });

const until = '2026-11-01';
/** What the browser takes for now: the morning after the last day of the demo. */
const now = `${until}T08:30:00Z`;
const year = 'from=2025-11-03&to=2026-10-31&interval=week';
const may = 'from=2026-05-01T00:00:00.000Z&to=2026-06-01T00:00:00.000Z';

const wide = { width: 1280, height: 800 };
const narrow = { width: 360, height: 740 };

/** `at`: the page's address, with ids that `look` has found. `act`: what is done there. `from`: the heading that is to stand at the top. */
const wanted = [
  {
    name: 'find',
    at: () => '/',
    act: async (page) => {
      await page.getByRole('searchbox').fill('jarv');
      await page.locator('section[aria-labelledby=contacts] li').first().waitFor();
    },
  },
  { name: 'contact', at: ({ contact }) => `/contacts/${contact}` },
  { name: 'contact-then', at: ({ contact, then }) => `/contacts/${contact}?at=${then}` },
  { name: 'contact-timeline', at: ({ contact }) => `/contacts/${contact}`, from: 'What happened' },
  { name: 'lists', at: () => '/lists' },
  { name: 'list-growth', at: ({ list }) => `/lists/${list}?show=growth&${year}` },
  { name: 'list-members', at: ({ list }) => `/lists/${list}?show=members` },
  { name: 'list-difference', at: ({ list }) => `/lists/${list}?show=difference&${may}` },
  { name: 'tag', at: ({ tag }) => `/tags/${tag}?${year}` },
  { name: 'groups', at: () => '/groups' },
  { name: 'emails', at: () => '/emails?state=held' },
  { name: 'emails-over-time', at: () => `/emails?show=outcomes&${year}` },
  { name: 'email', at: ({ email }) => `/emails/${email}` },
  { name: 'log', at: () => '/log?show=all' },
  { name: 'event', at: ({ event }) => `/log/${event}` },
  { name: 'service', at: () => '/service', act: (page) => page.waitForTimeout(31_000) },
  { name: 'keys', at: () => '/keys' },
  { name: 'contact-dark', at: ({ contact }) => `/contacts/${contact}`, colorScheme: 'dark' },
  { name: 'list-growth-dark', at: ({ list }) => `/lists/${list}?show=growth&${year}`, colorScheme: 'dark' },
  { name: 'contact-narrow', at: ({ contact }) => `/contacts/${contact}`, viewport: narrow },
].filter(({ name }) => values.only === undefined || name === values.only);

/** Runs until `stop` is called. */
async function openDemo(folder) {
  const script = path.join(root, 'scripts', 'demo.mjs');
  const child = spawn(process.execPath, [script, '--folder', folder, '--until', until], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
      const [, found] = /(http\S+)\/console/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`the demo ended: ${said}`)));
  });
  const key = readFileSync(path.join(folder, 'api-key.txt'), 'utf8').trim();
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { url, key, stop };
}

/** Ids of what is shown: somebody with a long history who came back, the largest list, an e-mail that took several attempts. */
async function look({ url, key }) {
  const ask = async (target) => {
    const answer = await fetch(`${url}/v1${target}`, { headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`GET ${target}: ${answer.status}`);
    return await answer.json();
  };
  const eventsOf = async (...types) => {
    const found = [];
    for (let after = ''; after !== undefined;) {
      const page = await ask(`/audit/events?types=${types.join()}&limit=200${after && `&after=${after}`}`);
      found.push(...page.data);
      after = page.has_more ? page.next_after : undefined;
    }
    return found;
  };
  const byName = (things, kind, name) => things.data.find((thing) => thing[`${kind}_name`] === name)?.[`${kind}_id`];
  /** The id with the most different values; of several the first. */
  const richest = (pairs) => {
    const values = new Map();
    for (const [id, value] of pairs) values.set(id, (values.get(id) ?? new Set()).add(value));
    const most = Math.max(...[...values.values()].map(({ size }) => size));
    return [...values.keys()].filter((id) => values.get(id).size === most).sort()[0];
  };

  const changes = await eventsOf(
    'ContactSubscribed',
    'ContactUnsubscribed',
    'TagsAttached',
    'TagsDetached',
    'ContactProfileChanged',
  );
  const cameBack = new Set(
    changes
      .filter(({ type, data }) => type === 'ContactSubscribed' && data.by?.kind === 'page')
      .map(({ data }) => data.contact_id),
  );
  const contact = richest(
    changes
      .filter(({ data }) => cameBack.has(data.contact_id))
      .map(({ type, data }) => [data.contact_id, `${type} ${data.list_id}`]),
  );
  const event = changes.find(
    ({ type, data }) => type === 'ContactUnsubscribed' && data.contact_id === contact && data.by !== undefined,
  );
  const doubts = await eventsOf('EmailInDoubt', 'EmailReleased', 'EmailSent');
  const wereReleased = new Set(doubts.filter(({ type }) => type === 'EmailReleased').map(({ data }) => data.email_id));
  return {
    contact,
    then: new Date(Date.parse(event.at) - 1).toISOString(),
    event: Number(event.position),
    list: byName(await ask('/lists?limit=100'), 'list', 'Newsletter'),
    tag: byName(await ask('/tags?limit=100'), 'tag', 'repeat customer'),
    email: richest(
      doubts
        .filter(({ data }) => wereReleased.has(data.email_id))
        .map(({ event_id, data }) => [data.email_id, event_id]),
    ),
  };
}

async function take({ browser, demo, ids }, { name, at, act, from, viewport = wide, colorScheme = 'light' }) {
  const context = await browser.newContext({
    ...{ viewport, colorScheme, locale: 'en-GB', timezoneId: 'Europe/London', reducedMotion: 'reduce' },
  });
  const page = await context.newPage();
  await page.clock.setSystemTime(now);
  await page.goto(`${demo.url}/console${at(ids)}`);
  await page.getByLabel('API key').fill(demo.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => undefined);
  // What loads says so.
  await page.waitForFunction(() => document.querySelector('[aria-busy=true], .loading') === null);
  await act?.(page);
  if (from !== undefined)
    await page.getByRole('heading', { name: from }).evaluate((heading) => heading.scrollIntoView({ block: 'start' }));
  const file = path.join(pictures, `${name}.png`);
  writeFileSync(file, withFewColours(await page.screenshot()));
  await context.close();
  console.log(path.relative(root, file));
}

const folder = mkdtempSync(path.join(tmpdir(), 'pictures-'));
mkdirSync(pictures, { recursive: true });
const places = [process.env.CHROMIUM_PATH ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const executablePath = places.find((place) => place !== '' && existsSync(place));
const demo = await openDemo(path.join(folder, 'demo-data'));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const ids = await look(demo);
  for (const picture of wanted) await take({ browser, demo, ids }, picture);
} finally {
  await browser.close();
  await demo.stop();
  rmSync(folder, { recursive: true, force: true });
}
