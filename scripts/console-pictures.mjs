// npm run demo:pictures: takes the pictures of the console for the documents, from the demo of a fixed day.
//
//   npm run demo:pictures [-- --only NAME] [--people N]
//
// Needs Chromium (Debian's package chromium, or CHROMIUM_PATH). The names of the pictures stand below; all are written to
// docs/pictures and compared by people, by no test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const pictures = path.join(root, 'docs', 'pictures');
const until = '2026-11-01';
/** What the browser takes for now: the demo ended this morning. */
const now = new Date(`${until}T08:30:00Z`);
const yearBefore = '2025-11-02';

const { values } = parseArgs({ options: { only: { type: 'string' }, people: { type: 'string', default: '10000' } } });
const wide = { width: 1280, height: 800 };
const narrow = { width: 360, height: 740 };

/** Each with where it is, and what is done there before the picture. `ids` come from the API. */
const wanted = [
  { name: 'find', at: () => '/' },
  { name: 'contact', at: ({ contact }) => `/contacts/${contact}` },
  { name: 'contact-then', at: ({ contact }) => `/contacts/${contact}`, act: scrub },
  { name: 'contact-timeline', at: ({ contact }) => `/contacts/${contact}`, see: 'Timeline' },
  { name: 'lists', at: () => '/lists' },
  { name: 'list-growth', at: ({ list }) => `/lists/${list}?show=growth&from=${yearBefore}&to=2026-10-31&interval=week` },
  { name: 'list-difference', at: ({ list }) => `/lists/${list}?show=difference`, act: compareDays },
  { name: 'tag', at: ({ tag }) => `/tags/${tag}?from=${yearBefore}&to=2026-10-31` },
  { name: 'groups', at: () => '/groups' },
  { name: 'emails', at: () => '/emails?state=held' },
  { name: 'emails-over-time', at: () => `/emails?show=outcomes&from=${yearBefore}&to=2026-10-31&interval=week` },
  { name: 'email', at: ({ email }) => `/emails/${email}` },
  { name: 'log', at: () => '/log?show=all&types=ContactUnsubscribed,AddressSuppressed' },
  { name: 'event', at: ({ event }) => `/log/${event}` },
  { name: 'service', at: () => '/service', act: ({ page }) => page.waitForTimeout(16_000) },
  { name: 'keys', at: () => '/keys' },
  { name: 'contact-dark', at: ({ contact }) => `/contacts/${contact}`, colorScheme: 'dark' },
  { name: 'list-growth-dark', at: ({ list }) => `/lists/${list}?show=growth&from=${yearBefore}&to=2026-10-31&interval=week`, colorScheme: 'dark' },
  { name: 'contact-narrow', at: ({ contact }) => `/contacts/${contact}`, size: narrow },
];
