/** A service of one process on the stand-in for EventStoreDB with its views in MongoDB: when a start counts as ready. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noMongo, testMongoUrl } from '../support/mongodb.js';
import { startService, type Service } from '../support/service.js';
import { startStandInServers } from '../support/stand-in-servers.js';

if (testMongoUrl === undefined)
  describe('a service with its views in MongoDB', () => {
    it('starts again after a kill', ({ skip }) => skip(noMongo));
  });
else withViewsIn(testMongoUrl);

function withViewsIn(url: string): void {
  describe('a service with its views in MongoDB', () => {
    let servers: Awaited<ReturnType<typeof startStandInServers>>;
    let service: Service;
    beforeAll(async () => {
      servers = await startStandInServers(url);
      service = await startService({ env: servers.env });
    });
    afterAll(async () => {
      await service.close();
      await servers.close();
    });

    it('is not ready while the lease of the one that was killed runs out: nobody folds', async () => {
      await service.kill('SIGKILL');
      await service.start();
      const { body } = await service.get('/health/ready');
      expect(body).toMatchObject({ data: { projections: { projector: 'leading', caught_up: true } } });
    });
    it('gets a view back of which somebody dropped the collection, once the differences are accepted', async () => {
      await service.make('/v1/groups/create', { group_name: 'Readers' }, 'group_id');
      const groups = async () => ((await service.get('/v1/groups')).body as { data: unknown[] }).data;
      expect(await groups()).toHaveLength(1);
      await servers.database.client.db().collection('groups_v1').drop();
      expect(await groups()).toEqual([]);
      const rebuilt = async (body: object): Promise<unknown> => {
        expect((await service.post('/v1/projections/groups/rebuild', body)).status).toBe(200);
        const { text } = await service.get('/v1/projections/rebuild?follow=true');
        return JSON.parse(text.slice(text.lastIndexOf('data: ') + 'data: '.length));
      };
      expect(await rebuilt({})).toMatchObject({ outcome: 'differs', state: 'failed' });
      expect(await groups()).toEqual([]);
      expect(await rebuilt({ accept_differences: true })).toMatchObject({
        outcome: 'switched',
        accept_differences: true,
        results: [{ name: 'groups', differing: 1, live_documents: 0, documents: 1 }],
      });
      expect(await groups()).toHaveLength(1);
    });
  });
}
