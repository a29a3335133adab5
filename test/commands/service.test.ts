import { expect, test } from 'vitest';
import { serviceDecider, type ServiceCommand } from '../../src/commands/service.js';
import type { ServiceEvent } from '../../src/events/service.js';
import { given } from './given.js';

const [root, otherRoot, mac] = ['1'.repeat(64), '2'.repeat(64), '3'.repeat(64)];
const superseded = { count: 9, root: otherRoot };
const initialised: ServiceEvent = { type: 'ServiceInitialised', data: { log_id: 'log', secret_fingerprint: 'a' } };
const restored = (count = 5): ServiceEvent => ({ type: 'LogRestored', data: { count, root, superseded, mac } });
const record = (...numbers: readonly number[]): ServiceCommand => ({
  ...{ type: 'RecordRestored', count: 5, root, superseded },
  macs: numbers.map((number) => ({ number, mac })),
});

test('records a restore', () => {
  given(serviceDecider, initialised).when(record(1)).then(restored());
});

test('records several restores at once, so that the log has more than a seal that it supersedes', () => {
  given(serviceDecider, initialised, restored(4))
    .when(record(2, 3, 4))
    .then(restored(), restored(), restored());
});

test('records the same restore once', () => {
  given(serviceDecider, initialised, restored()).when(record(2)).then();
  given(serviceDecider, initialised, restored(), restored()).when(record(1, 2)).then();
});

test('records another restore of the same number of events', () => {
  const before: ServiceEvent = { type: 'LogRestored', data: { count: 5, root: null, superseded: null, mac: null } };
  given(serviceDecider, initialised, before).when(record(2)).then(restored());
});

test('refuses MACs whose numbers do not follow the restores of the log', () => {
  given(serviceDecider, initialised, restored(4)).when(record(1)).thenRefused('unavailable');
  given(serviceDecider, initialised).when(record(2)).thenRefused('unavailable');
});

test('initialises a log once', () => {
  const command: ServiceCommand = { type: 'Initialise', logId: 'log', secretFingerprint: 'a' };
  given(serviceDecider).when(command).then(initialised);
  given(serviceDecider, initialised).when(command).then();
  expect(given(serviceDecider, initialised, restored(), restored()).state).toMatchObject({ logId: 'log', restores: 2 });
});
