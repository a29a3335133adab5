/** How many commands the service sends to MongoDB: for each GET, and while nobody asks. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDeployment, noServers, type Deployment } from './deployment.js';
import { behindProxy } from '../support/mongodb.js';
import { watchCommands, type SeenCommand } from '../support/mongodb-commands.js';
import { eventually, type Service } from '../support/service.js';

type Watch = Awaited<ReturnType<typeof watchCommands>>;

/** Collections that nothing but a GET reads. */
const ofReads = /^(contacts|memberships|groups|lists|tags)_v/;
/** Counted over about so many seconds. */
const idleReads = 5;

describe.skipIf(noServers !== undefined)(
  `commands to MongoDB${noServers === undefined ? '' : ` (${noServers})`}`,
  () => {
    const deployments: Deployment[] = [];
    const watches: Watch[] = [];
    afterAll(async () => {
      for (const deployment of deployments) await deployment.close();
      for (const watch of watches) await watch.close();
    }, 60_000);

    function deploy(): Deployment {
      const deployment = newDeployment();
      deployments.push(deployment);
      return deployment;
    }

    async function start(deployment: Deployment, env: { readonly ROLES?: string } = {}) {
      const behind = behindProxy(deployment.env['MONGODB_URL'] ?? '');
      if (behind === undefined) throw new Error('the address of MongoDB has to be expanded by DNS');
      const watch = await watchCommands(behind.target);
      watches.push(watch);
      const service = await deployment.start({ ...env, MONGODB_URL: behind.through(watch.port) });
      return { service, watch };
    }

    describe('of a GET', () => {
      let deployment: Deployment;
      let service: Service;
      let watch: Watch;
      let number = 0;
      let paths: Readonly<
        Record<'contact' | 'byEmail' | 'page' | 'byStatus' | 'byTag' | 'list' | 'lists' | 'tags', string>
      >;
      beforeAll(async () => {
        deployment = deploy();
        ({ service, watch } = await start(deployment));
        const list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
        const contact = { email: 'ada@example.com', status: 'Subscribed' };
        const id = await service.make(`/v1/contacts/${list}/create`, contact, 'contact_id');
        const tagged = { contact_email: contact.email, tag_name: ['VIP', 'Press'] };
        await service.make(`/v1/contacts/tags/${list}/add`, tagged, 'tag_id');
        paths = {
          contact: `/v1/contacts/${list}/${id}`,
          byEmail: `/v1/contacts?email=${contact.email}`,
          page: `/v1/contacts/${list}`,
          byStatus: `/v1/contacts/${list}?status=Subscribed`,
          byTag: `/v1/contacts/${list}?tag_name=VIP`,
          list: `/v1/lists/${list}`,
          lists: '/v1/lists',
          tags: '/v1/tags',
        };
      }, 60_000);

      async function commandsOf(path: string): Promise<readonly SeenCommand[]> {
        watch.forget();
        expect((await service.get(path)).status).toBe(200);
        return watch.seen().filter(({ collection }) => ofReads.test(collection));
      }

      /** The views move, so that no name is held any more, and are still again. */
      async function move(): Promise<void> {
        await service.make('/v1/lists/create', { list_name: `${(number += 1)}` }, 'list_id');
        await service.get('/v1/lists');
      }

      test.each([
        ['contact', 2, 1],
        ['byEmail', 2, 1],
        ['page', 3, 2],
        ['byStatus', 3, 2],
        ['byTag', 4, 3],
        ['list', 1, 1],
        ['lists', 1, 1],
        ['tags', 1, 1],
      ] as const)('%s: %i, and %i once the names are held', async (name, first, then) => {
        await move();
        const commands = await commandsOf(paths[name]);
        expect(commands.map((command) => command.name)).toHaveLength(first);
        expect(await commandsOf(paths[name])).toHaveLength(then);
        for (const { maxTimeMS } of commands) expect(maxTimeMS).toEqual(expect.any(Number));
      });

      test('a name that another process has changed is shown where its position is asked for', async () => {
        const other = await deployment.start({ ROLES: 'api' });
        const list = paths.page.split('/').at(-1) ?? '';
        for (const list_name of ['Weekly', 'Monthly', 'Yearly']) {
          expect((await service.get(paths.contact)).status).toBe(200);
          const renamed = await other.post(`/v1/lists/${list}/update`, { list_name });
          const at = { 'X-Min-Position': String(renamed.headers['x-position']) };
          const { body } = await service.get(paths.contact, at);
          expect(body).toMatchObject({ data: { subscriptions: [{ list_id: list, list_name }] } });
        }
      });
    });

    test('an idle process reads one checkpoint a second and renews its leases with one write, whatever its roles', async () => {
      const [whole, split] = [deploy(), deploy()];
      const parts = ['projector', 'api', 'mailer'].map((ROLES) => start(split, { ROLES }));
      const started = await Promise.all([start(whole), ...parts]);
      for (const { reads, writes, seconds } of await Promise.all(started.map(({ watch }) => idle(watch)))) {
        expect(reads).toBeLessThanOrEqual(seconds + 1);
        expect(writes).toBeLessThanOrEqual(seconds + 1);
      }
    });
  },
);

/** Counts checkpoint reads and lease writes from when the views have not moved for a while. */
async function idle(watch: Watch) {
  const readsIn = (): readonly SeenCommand[] =>
    watch.seen().filter(({ name, collection }) => name === 'find' && collection === 'checkpoints');
  await eventually(
    () => {
      const [before, last] = readsIn().slice(-2);
      return Promise.resolve(
        before !== undefined && last !== undefined && last.at - before.at > 900 ? true : undefined,
      );
    },
    { within: 30_000, what: 'views that stand still' },
  );
  watch.forget();
  const begun = performance.now();
  await eventually(() => Promise.resolve(readsIn().length >= idleReads ? true : undefined), {
    within: 30_000,
    what: 'some seconds',
  });
  const seconds = (performance.now() - begun) / 1_000;
  const writes = watch.seen().filter(({ collection }) => collection === 'leases').length;
  return { reads: readsIn().length, writes, seconds };
}
