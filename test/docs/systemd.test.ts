/** The unit for systemd: it starts what the image starts, systemd finds nothing wrong with it, and it is as closed as the document says. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/stores/config.js';
import { document, section } from '../support/markdown.js';

const unit = document('deploy/systemd/audience.service');
const described = section(document('docs/operations.md'), '### Under systemd');
const settings = JSON.parse(document('package.json')) as { scripts: Record<string, string> };

const valuesOf = (name: string): readonly string[] =>
  unit.split('\n').flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));

/** Where this machine's Node stands, as systemd looks whether the program is there. */
function onThisMachine(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'audience-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'audience.service');
  writeFileSync(file, unit.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`));
  return file;
}

const analyze = (...words: readonly string[]) => spawnSync('systemd-analyze', words, { encoding: 'utf8' });
const isThere = analyze('--version').status === 0;
const notThere = 'systemd-analyze is not installed here';

test('starts as npm start does, from where the document puts it', () => {
  expect(valuesOf('ExecStart')).toEqual(['/usr/bin/node /opt/audience-ledger/dist/main.js']);
  expect(settings.scripts['start']).toBe('node dist/main.js');
  expect(described).toContain('cp -r package.json node_modules dist /opt/audience-ledger/');
});

test('its settings are taken, and its data are where it may write', () => {
  const pairs = valuesOf('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
  const environment = Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
  expect(readConfig(environment).dataDir).toBe(`/var/lib/${valuesOf('StateDirectory')[0] ?? ''}`);
  expect(described).toContain(valuesOf('EnvironmentFile')[0]?.replace(/^-/, '') ?? 'nothing');
});

test('waits for a stop longer than that may take', () => {
  expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(25);
});

test('systemd-analyze verify has nothing to say', (context) => {
  if (!isThere) context.skip(notThere);
  const { status, stdout, stderr } = analyze('verify', onThisMachine());
  expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
});

test('its exposure is what the document says', (context) => {
  if (!isThere) context.skip(notThere);
  const { stdout, status, stderr } = analyze('security', '--offline=true', onThisMachine());
  if (status !== 0 && stderr.includes('offline')) context.skip('this systemd-analyze is older than 250');
  const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
  // Newer versions of systemd ask for more.
  const said = Number(/security` is ([\d.]+) of 10/.exec(described)?.[1]);
  expect(Math.abs(exposure - said)).toBeLessThanOrEqual(0.5);
});
