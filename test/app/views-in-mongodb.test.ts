/** A service of one process with its views in MongoDB: when a start counts as ready. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noMongo, openTestDatabase, testMongoUrl, type TestDatabase } from '../support/mongodb.js';
import { startService, type Service } from '../support/service.js';

if (testMongoUrl === undefined)
  describe('a service with its views in MongoDB', () => {
    it('starts again after a kill', ({ skip }) => skip(noMongo));
  });
else withViewsIn(testMongoUrl);

function withViewsIn(url: string): void {
  describe('a service with its views in MongoDB', () => {
    let database: TestDatabase;
    let service: Service;
    beforeAll(async () => {
      database = openTestDatabase(url);
      service = await startService({ env: { MONGODB_URL: database.url, EVENTSTORE_URL: undefined } });
    });
    afterAll(async () => {
      await service.close();
      await database.close();
    });

    it('is not ready while the lease of the one that was killed runs out: nobody folds', async () => {
      await service.kill('SIGKILL');
      await service.start();
      const { body } = await service.get('/health/ready');
      expect(body).toMatchObject({ data: { projections: { projector: 'leading', caught_up: true } } });
    });
  });
}
