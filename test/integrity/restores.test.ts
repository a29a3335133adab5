import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deriveRestoredKey } from '../../src/events/streams.js';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import {
  checkedRestores,
  excuseOf,
  isValidRestore,
  restoredMac,
  restoreIn,
  restoresOf,
  type Restore,
} from '../../src/integrity/restores.js';

const key = deriveRestoredKey('a secret that is long enough for the service');
const anotherKey = deriveRestoredKey('another secret that is long enough for the service');
const logId = '0192f0c1-0000-7000-8000-000000000001';
const root = '1'.repeat(64);
const superseded = { count: 300, root: '2'.repeat(64) };

const record = { number: 1, count: 100, root, superseded };
const valid: Restore = { ...record, at: '2026-01-02T00:00:00.000Z', mac: restoredMac({ ...record, logId }, key) };
const isValid = (restore: Restore, by = { logId, key }) => isValidRestore(restore, by);

const restoredEvent = (data: object, { schema = 2, stream = 'service' } = {}): StoredEvent => ({
  ...{ stream, revision: 1n, position: '0000000000000002', id: randomUUID(), type: 'LogRestored' },
  data: JSON.stringify(data),
  metadata: JSON.stringify({
    ...{ at: valid.at, $correlationId: 'a', $causationId: 'a', request_id: 'a', actor: 'service', schema },
  }),
});
const ofLog = (...events: readonly StoredEvent[]) => ({
  readStream: async function* () {
    yield await Promise.resolve(events);
  },
});

describe('the MAC of a restore', () => {
  test('the MAC of a restore is the HMAC-SHA-256 of the length-prefixed fields', () => {
    expect(restoredMac({ ...record, logId }, key)).toBe(
      '856b570fd61961f69877c912e5745de79cfc83b9a30bb4caa4212e8430259810',
    );
    expect(restoredMac({ ...record, superseded: null, logId }, key)).toBe(
      'b38c797bec0793e5ad33c6e5b27ae53bbd7026482e79de48aae4c322aa996bab',
    );
  });

  test('the MAC of a restore is valid only for this log, number, count, root and superseded seal, and under this secret', () => {
    expect(isValid(valid)).toBe(true);
    expect(isValid({ ...valid, number: 2 }), 'a copied event').toBe(false);
    expect(isValid({ ...valid, count: 99 })).toBe(false);
    expect(isValid({ ...valid, root: '3'.repeat(64) })).toBe(false);
    expect(isValid({ ...valid, superseded: { ...superseded, count: 301 } })).toBe(false);
    expect(isValid({ ...valid, superseded: { ...superseded, root } })).toBe(false);
    expect(isValid({ ...valid, superseded: null })).toBe(false);
    expect(isValid(valid, { logId: 'another log', key })).toBe(false);
    expect(isValid(valid, { logId, key: anotherKey })).toBe(false);
  });

  test('the MAC of a restore is not valid if it is missing or not 64 hexadecimal digits', () => {
    expect(isValid({ ...valid, mac: null })).toBe(false);
    expect(isValid({ ...valid, mac: '' })).toBe(false);
    expect(isValid({ ...valid, mac: 'é'.repeat(64) })).toBe(false);
  });
});

describe('reading restores', () => {
  const { count, mac } = valid;

  test('reading restores numbers the LogRestored events of the stream service, whatever schema version they have', async () => {
    const first = restoredEvent({ count: 7, head: root }, { schema: 1 });
    const elsewhere = restoredEvent({ count, root, superseded, mac }, { stream: 'contact-1' });
    const second = restoredEvent({ count, root, superseded, mac });
    expect(await restoresOf(ofLog(first, elsewhere, second))).toEqual([
      { number: 1, count: 7, root: null, superseded: null, mac: null, at: valid.at },
      { ...valid, number: 2 },
    ]);
  });

  test('reading restores keeps the number of a record that cannot be read', () => {
    const unreadable = restoreIn(restoredEvent({ count: 'many' }), 3);
    expect(unreadable).toEqual({ number: 3, count: 0, root: null, superseded: null, mac: null, at: '' });
  });

  test.each([1, 3])(
    'reading restores takes the form of the data and not schema version %i, which the MAC does not cover',
    (schema) => {
      const restore = restoreIn(restoredEvent({ count, root, superseded, mac }, { schema }), 1);
      expect(restore).toEqual({ ...valid, number: 1, at: '' });
    },
  );

  test.each([{ root: null }, { mac: null }, { superseded: undefined }])(
    'reading restores finds no root and no MAC with %o',
    (change) => {
      const restore = restoreIn(restoredEvent({ count, root, superseded, mac, ...change }), 1);
      expect(restore).toMatchObject({ root: null, superseded: null, mac: null });
    },
  );
});

describe('the excuse of a seal that does not match', () => {
  const excuse = (seal: { restores: number; count: number }, restores: readonly Restore[], by = { logId, key }) =>
    excuseOf(seal, checkedRestores(restores, by))?.number;

  test('the excuse of a seal that does not match is the first restore after the seal, if its backup has fewer events than the seal', () => {
    const two = { number: 2, count: 200, root, superseded: null };
    const second = { ...two, at: valid.at, mac: restoredMac({ ...two, logId }, key) };
    expect(excuse({ restores: 0, count: 101 }, [valid])).toBe(1);
    expect(excuse({ restores: 0, count: 150 }, [valid, second])).toBe(1);
    expect(excuse({ restores: 1, count: 201 }, [valid, second])).toBe(2);
  });

  test('the excuse of a seal that does not match is missing if the backup has the events of the seal, or no restore followed the seal', () => {
    expect(excuse({ restores: 0, count: 100 }, [valid])).toBeUndefined();
    expect(excuse({ restores: 1, count: 500 }, [valid])).toBeUndefined();
    expect(excuse({ restores: 2, count: 500 }, [valid])).toBeUndefined();
    expect(excuse({ restores: 0, count: 500 }, [])).toBeUndefined();
  });

  test('the excuse of a seal that does not match is a restore from a backup with fewer restores than the seal, also if the backup has more events', () => {
    const twice = [1, 2].map((number) => ({
      ...valid,
      number,
      mac: restoredMac({ ...record, number, logId }, key),
    }));
    expect(excuse({ restores: 1, count: 50 }, twice)).toBe(2);
    // The backup has the events of a seal without restores.
    expect(excuse({ restores: 0, count: 50 }, twice)).toBeUndefined();
    const forged = { ...valid, mac: restoredMac({ ...record, logId }, anotherKey) };
    expect(excuse({ restores: 1, count: 50 }, [forged, ...twice.slice(1)])).toBeUndefined();
    const other = { ...record, root: '3'.repeat(64) };
    const first = { ...valid, ...other, mac: restoredMac({ ...other, logId }, key) };
    expect(excuse({ restores: 1, count: 50 }, [first, ...twice.slice(1)])).toBeUndefined();
  });

  test('the excuse of a seal that does not match is missing if a restore was forged without the secret', () => {
    const forged = { ...valid, mac: restoredMac({ ...record, logId }, anotherKey) };
    expect(excuse({ restores: 0, count: 500 }, [forged])).toBeUndefined();
  });

  test('the excuse of a seal that does not match is the forged restore if the forger has the secret', () => {
    const forged = { ...valid, count: 5, mac: restoredMac({ ...record, count: 5, logId }, key) };
    expect(excuse({ restores: 0, count: 500 }, [forged])).toBe(1);
  });

  test('the excuse of a seal that does not match is missing if a valid event was copied in order to excuse a later seal', () => {
    expect(excuse({ restores: 1, count: 500 }, [valid, { ...valid, number: 2 }])).toBeUndefined();
  });

  test('the excuse of a seal that does not match is missing if the restore has schema version 1', () => {
    const before = restoreIn(restoredEvent({ count: 7, head: root }, { schema: 1 }), 1);
    expect(excuse({ restores: 0, count: 500 }, [before ?? valid])).toBeUndefined();
  });

  test('the excuse of a seal that does not match says that its MAC was not checked if the secret is not known', () => {
    const restores = checkedRestores([valid], { logId, key: undefined });
    expect(excuseOf({ restores: 0, count: 500 }, restores)).toMatchObject({ number: 1, isValid: null });
  });
});
