/** Exports from an EventStoreDB and imports into it: the same events, the same root, the same contacts as from files. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runImport } from '../../src/copy/import.js';
import { logOn, onRealServer, patientMs } from './eventstoredb-log.js';
import { startStandIn, type StandIn } from '../eventstoredb/stand-in/stand-in.js';
import { exampleEvents, toAppend } from '../support/examples.js';
import { exported, imported, rootIn, textOf } from '../support/exporting.js';
import { eventsIn, eventsInFolder, fill, kept, newFolder, quickly, newLog } from '../support/migrating.js';

onRealServer('goes there and back', roundTrip);

describe('on the stand-in', { timeout: patientMs }, () => {
  let server: StandIn;
  beforeAll(async () => {
    server = await startStandIn();
  });
  afterAll(() => server.close());
  roundTrip(() => server.url);
});

function roundTrip(urlOf: () => string): void {
  test('goes there and back', async () => {
    const source = await newLog();
    await fill(source, 120);
    const { listCreated, subscribed } = exampleEvents;
    await source.append('lists', [toAppend(listCreated)], { expectedRevision: 'no_stream' });
    // More than are asked for at once.
    for (let n = 0; n < 40; n += 1) {
      const data = { contact_id: `con_${n}`, person: { ...exampleEvents.contactCreated.data.person } };
      const created = toAppend({ type: 'ContactCreated', data });
      const entered = toAppend({ ...subscribed, data: { ...subscribed.data, contact_id: `con_${n}` } });
      await source.append(`contact-of-${n}`, [created, entered], { expectedRevision: 'no_stream' });
    }
    const { file } = await exported(source, { what: 'events' });

    const url = urlOf();
    const { prefix, store } = logOn(url);
    const result = await runImport(
      { file, to: { deployment: 'servers', events: { url, prefix } }, isDryRun: false },
      quickly(),
    );
    expect(kept(await eventsIn(store))).toEqual(kept(await eventsIn(source)));
    expect(result.root).toBe(await rootIn(store));

    const contacts = await exported(store, { what: 'contacts' });
    expect(contacts.records).toBe(40);
    expect(textOf(contacts.file)).toBe(textOf((await exported(source, { what: 'contacts' })).file));
    const back = await exported(store, { what: 'events' });
    expect(back.tree?.root).toBe(result.root);
    const folder = path.join(newFolder(), 'back');
    expect((await imported(back.file, folder)).root).toBe(result.root);
    expect(await eventsInFolder(folder)).toEqual(await eventsIn(source));
  });
}
