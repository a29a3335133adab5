/** Which Node is refused, and that the entry points find out before anything needs more than they have. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { oldestNode, whyTooOld } from '../../src/app/node-version.js';
import { document } from '../support/markdown.js';

test.for(['v24.15.0', 'v24.21.0', 'v25.0.0', 'v26.10.0', 'v100.0.0'])('%s will do', (version) => {
  expect(whyTooOld(version)).toBeUndefined();
});

test.for(['v20.20.2', 'v22.23.3', 'v24.14.9', 'v0.10.48'])('%s is refused in one line that names it', (version) => {
  const reason = whyTooOld(version);
  expect(reason).toContain(`needs Node 24.15 or newer, and this is ${version}.`);
  expect(reason).not.toContain('\n');
});

test('package.json says the same', () => {
  const { engines } = JSON.parse(document('package.json')) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${oldestNode.join('.')}`);
});

test('what an entry point loads before it looks at the version runs on any Node', () => {
  const dist = new URL('../../dist/', import.meta.url);
  const loaded = new Map<string, string>();
  const load = (file: URL): void => {
    if (loaded.has(file.href)) return;
    const text = readFileSync(fileURLToPath(file), 'utf8');
    loaded.set(file.href, text);
    for (const [, name = ''] of text.matchAll(/^import .*?["'](.+?)["'];$/gm))
      if (name.startsWith('.')) load(new URL(name, file));
      else expect(['node:fs'], file.href).toContain(name);
  };
  for (const entry of ['main.js', 'audience.js']) load(new URL(entry, dist));
  expect([...loaded.values()].join('')).toContain('function demandNode');
});
