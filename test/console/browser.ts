/** A real Chromium that looks at the console of a running service. What the browser complains about fails the test. */
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { Service } from '../support/service.js';

/** The headless shell takes half the time: it has no window of its own beside the page. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser'].map((name) => `/usr/bin/${name}`);
const places = [process.env['CHROMIUM_PATH'] ?? '', ...programs];
export const chromiumPath = places.find((place) => place !== '' && existsSync(place));
/** For the name of what is skipped. */
export const withoutChromium =
  chromiumPath === undefined
    ? ' (needs Chromium: Debian’s package chromium-headless-shell or chromium, or CHROMIUM_PATH)'
    : '';

export interface Visitor {
  readonly page: Page;
  /** Loads a page of the console: `/lists/lst_…`. Without a key that the tab keeps, one has to sign in. */
  open(path: string): Promise<void>;
  /** Loads a page and signs in there; the tab keeps the key. */
  signIn(key: string, path?: string): Promise<void>;
  /** Fails on what axe finds on the page as it is now, in the light and in the dark theme. */
  checkAccessibility(): Promise<void>;
  /** Fails if the browser complained: a violated policy, an error of a script, a request to elsewhere. `expected`: parts of lines that may be there, such as `401`. */
  leave(expected?: readonly string[]): Promise<void>;
}

/** Of the window around the page, twice as much work as the page; then what Playwright would say here, which this replaces. */
const withoutFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AimEnabled', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...[
    'LensOverlay',
    'MediaRouter',
    'NetworkTimeServiceQuerying',
    'OptimizationHints',
    'PaintHolding',
    'PreconnectToSearch',
  ],
];

let shared: Promise<Browser> | undefined;

/** One browser for all test files of a worker. It ends with the worker. */
export const sharedBrowser = (): Promise<Browser> =>
  (shared ??= chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', `--disable-features=${withoutFeatures.join()}`],
  }));

interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** A new person: no cookies, nothing stored. */
export async function visit(browser: Browser, service: Pick<Service, 'url'>, look: Look = {}): Promise<Visitor> {
  const { width = 1_200, height = 900, colorScheme = 'light' } = look;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: true,
  });
  // A page that a failed test leaves behind would go on asking.
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(`${line.type()}: ${line.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`fault: ${error.message}`));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(service.url()).origin && !['data:', 'blob:', 'about:'].includes(protocol))
      complaints.push(`request to elsewhere: ${request.url()}`);
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`${service.url()}/console${path}`);
  };

  async function signIn(key: string, path = '/'): Promise<void> {
    await open(path);
    await page.getByLabel('API key').fill(key);
    await page.getByLabel('Keep it until this tab is closed').check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  }

  async function checkAccessibility(): Promise<void> {
    if (await page.evaluate<boolean>("!('axe' in window)")) await page.evaluate(axe.source);
    // A theme is nothing but colours.
    for (const [scheme, rules] of [
      ['light', ''],
      ['dark', "{ runOnly: ['color-contrast'] }"],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      const { violations } = await page.evaluate<{ violations: readonly AxeViolation[] }>(`axe.run(${rules})`);
      const found = violations.map(({ id, help, nodes }) => `${scheme}: ${id}: ${help}: ${nodes[0]?.html ?? ''}`);
      expect(found).toEqual([]);
    }
    await page.emulateMedia({ colorScheme });
  }

  async function leave(expected: readonly string[] = []): Promise<void> {
    await context.close();
    expect(complaints.filter((line) => !expected.some((part) => line.includes(part)))).toEqual([]);
  }

  return { page, open, signIn, checkAccessibility, leave };
}

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}
