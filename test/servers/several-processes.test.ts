/** Several processes of one service on EventStoreDB and MongoDB: what one has written the next one knows; whoever dies, the others go on. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDeployment, noServers, type Deployment } from './deployment.js';
import { documentsOf, freshFold } from '../support/fresh-fold.js';
import { eventually, type Answer, type Service } from '../support/service.js';
import { startSmtp } from '../support/smtp.js';

let number = 0;
const unique = (what: string): string => `${what} ${(number += 1)}`;
const someAddress = (): string => `ada${(number += 1)}@example.com`;

const newList = (service: Service): Promise<string> =>
  service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
const create = (service: Service, list: string, email = someAddress()): Promise<Answer> =>
  service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' });

interface Ready {
  readonly data: { readonly projections: { readonly projector: string; readonly position: string } };
}
const projectorOf = async (service: Service): Promise<string> =>
  ((await service.get('/health/ready')).body as Ready).data.projections.projector;

/** The views equal a fresh fold once they have come to the head. */
async function expectTrueViews({ log, views }: Deployment): Promise<void> {
  const head = await log.head();
  await eventually(async () => ((await views.checkpoint('views'))?.position ?? '') >= head || undefined, {
    what: 'the head in the views',
  });
  expect(await documentsOf(views)).toEqual(await freshFold(log));
}

describe.skipIf(noServers !== undefined)(`several processes${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  let deployment: Deployment;
  let one: Service;
  let other: Service;
  beforeAll(async () => {
    deployment = newDeployment();
    one = await deployment.start();
    other = await deployment.start({ ROLES: 'api' });
  }, 60_000);
  afterAll(() => deployment.close(), 60_000);

  test('a list created on one is usable on the other at once, a deleted one is soon unknown', async () => {
    for (let round = 0; round < 30; round += 1) {
      const [here, there] = round % 2 === 0 ? [one, other] : [other, one];
      const list = await newList(here);
      expect((await create(there, list)).status).toBe(200);
    }
    const list = await newList(one);
    expect((await create(other, list)).status).toBe(200);
    await one.post(`/v1/lists/${list}/delete`);
    await eventually(async () => ((await create(other, list)).status === 400 ? true : undefined));
  });

  test('a tag created on one is found on the other, under one id', async () => {
    const list = await newList(one);
    const email = someAddress();
    await create(one, list, email);
    const tag_name = [unique('Tag')];
    const [first, second] = await Promise.all(
      [one, other].map((service) =>
        service.post(`/v1/contacts/tags/${list}/add`, { contact_email: email, tag_name: [tag_name[0]] }),
      ),
    );
    expect(first?.field('tag_id')).toBe(second?.field('tag_id'));
  });

  test('a tag name that was renamed and reused on one attaches, on the other, the tag that has it now', async () => {
    const list = await newList(one);
    const contact_email = someAddress();
    await create(one, list, contact_email);
    for (let round = 0; round < 20; round += 1) {
      const tag_name = unique('Tag');
      const attach = () => other.post(`/v1/contacts/tags/${list}/add`, { contact_email, tag_name: [tag_name] });
      const renamed = (await attach()).field('tag_id');
      await one.post(`/v1/tags/${renamed}/update`, { tag_name: `Former ${tag_name}` });
      const reused = await one.make('/v1/tags/create', { tag_name }, 'tag_id');
      expect((await attach()).field('tag_id')).toBe(reused);
    }
  });

  test('of 64 creates of one name and of one address on both, exactly one wins', async () => {
    const group_name = unique('Group');
    const named = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        (index % 2 === 0 ? one : other).post('/v1/groups/create', { group_name }),
      ),
    );
    expect(named.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(63).fill(400)]);
    const list = await newList(one);
    const email = someAddress();
    const created = await Promise.all(
      Array.from({ length: 64 }, (_, index) => create(index % 2 === 0 ? one : other, list, email)),
    );
    expect(created.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(63).fill(400)]);
  });

  test('X-Min-Position shows on any instance what another has written', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [here, there] = round % 2 === 0 ? [one, other] : [other, one];
      const list = await newList(here);
      const email = someAddress();
      const created = await create(here, list, email);
      const position = String(created.headers['x-position']);
      const seen = await there.get(`/v1/contacts/${list}/${created.field('contact_id')}`, {
        'x-min-position': position,
      });
      expect(seen.body).toMatchObject({ data: { email, status: 'Subscribed' } });
    }
  });

  test('a rebuild that one is asked for is carried out by the one that folds, and both show it', async () => {
    const list = await newList(other);
    const asked = await other.post('/v1/projections/all/rebuild', {});
    expect(asked.status).toBe(200);
    const seen = async (service: Service): Promise<unknown> =>
      ((await service.get('/v1/projections/rebuild')).body as { data: { state: string } }).data;
    const end = await eventually(
      async () => {
        const record = await seen(other);
        return (record as { state: string }).state === 'finished' ? record : undefined;
      },
      { within: 60_000 },
    );
    expect(end).toMatchObject({ outcome: 'switched', rebuild_id: asked.field('rebuild_id') });
    expect(await seen(one)).toEqual(end);
    for (const service of [one, other]) {
      const created = await create(service, list);
      expect((await service.get(`/v1/contacts/${list}/${created.field('contact_id')}`)).status).toBe(200);
    }
  }, 90_000);

  test('each reads its own writes', async () => {
    for (const service of [one, other]) {
      const list = await newList(service);
      const created = await create(service, list);
      const seen = await service.get(`/v1/contacts/${list}/${created.field('contact_id')}`);
      expect(seen.status).toBe(200);
    }
  });
});

describe.skipIf(noServers !== undefined)(`roles${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  test('api, projector and mailer in processes of their own make one service', async () => {
    const deployment = newDeployment();
    const smtp = await startSmtp(['accept']);
    try {
      const projector = await deployment.start({ ROLES: 'projector' });
      const api = await deployment.start({ ROLES: 'api' });
      const mailer = await deployment.start({ ROLES: 'mailer', SMTP_URL: smtp.url });
      for (const service of [projector, mailer]) {
        // Not described: the description is that of a process with the role `api`.
        expect((await fetch(`${service.url()}/v1/lists`)).status).toBe(404);
        expect((await service.get('/health/live')).status).toBe(200);
      }
      const asked = await api.post('/v1/email/send', {
        from_email: 'ledger@example.com',
        to_email: someAddress(),
        subject: 'Hello',
        mail_template: '<p>Hello</p>',
      });
      const sent = await eventually(async () => {
        const answer = await api.get(String(asked.headers.location));
        return answer.field('state') === 'sent' ? answer : undefined;
      });
      expect(sent.body).toMatchObject({ data: { attempts: 1 } });
      expect(smtp.messages).toHaveLength(1);
      await expectTrueViews(deployment);
    } finally {
      await deployment.close();
      await smtp.close();
    }
  }, 60_000);

  test('two mailers send each e-mail once', async () => {
    const deployment = newDeployment();
    const smtp = await startSmtp(['accept']);
    try {
      const api = await deployment.start({ ROLES: 'api,projector' });
      await deployment.start({ ROLES: 'mailer', SMTP_URL: smtp.url });
      await deployment.start({ ROLES: 'mailer', SMTP_URL: smtp.url });
      const asked = await Promise.all(
        Array.from({ length: 60 }, () =>
          api.post('/v1/email/send', {
            from_email: 'ledger@example.com',
            to_email: someAddress(),
            subject: 'Hello',
            mail_template: '<p>Hello</p>',
          }),
        ),
      );
      for (const { headers } of asked)
        await eventually(
          async () => ((await api.get(String(headers.location))).field('state') === 'sent' ? true : undefined),
          { within: 20_000 },
        );
      expect(smtp.messages).toHaveLength(60);
      expect(new Set(smtp.messages.map(({ to }) => to[0])).size).toBe(60);
    } finally {
      await deployment.close();
      await smtp.close();
    }
  }, 60_000);

  test('a mailer that was stopped in the middle keeps its attempt, and ends it once when it goes on', async () => {
    const deployment = newDeployment();
    const smtp = await startSmtp(['slow']);
    try {
      const api = await deployment.start({ ROLES: 'api,projector' });
      const first = await deployment.start({ ROLES: 'mailer', SMTP_URL: smtp.url });
      const send = (to_email: string): Promise<Answer> =>
        api.post('/v1/email/send', {
          from_email: 'ledger@example.com',
          to_email,
          subject: 'Hello',
          mail_template: '<p>Hello</p>',
        });
      const until = (asked: Answer, state: string): Promise<true> =>
        eventually(async () => (await api.get(String(asked.headers.location))).field('state') === state || undefined, {
          within: 20_000,
          what: state,
        });
      const [held, later] = [someAddress(), someAddress()];
      const asked = await send(held);
      await until(asked, 'sending');
      process.kill(first.pid(), 'SIGSTOP');
      await deployment.start({ ROLES: 'mailer', SMTP_URL: smtp.url });
      // The second mailer looks at its worklist and sends this one; the attempt is the first one's until its deadline.
      await until(await send(later), 'sent');
      const messagesTo = (address: string) => smtp.messages.filter(({ to }) => to[0] === address);
      expect(messagesTo(held).length).toBeLessThanOrEqual(1);
      process.kill(first.pid(), 'SIGCONT');
      await until(asked, 'sent');
      expect([held, later].map((address) => messagesTo(address).length)).toEqual([1, 1]);
    } finally {
      await deployment.close();
      await smtp.close();
    }
  }, 60_000);
});

describe.skipIf(noServers !== undefined)(
  `the projector's lease${noServers === undefined ? '' : ` (${noServers})`}`,
  () => {
    /** Two that may fold, and which of them does. */
    async function pair(deployment: Deployment): Promise<{ leader: Service; standby: Service }> {
      const leader = await deployment.start();
      const standby = await deployment.start();
      expect(await projectorOf(leader)).toBe('leading');
      expect(await projectorOf(standby)).toBe('standby');
      return { leader, standby };
    }

    test('when the leader is killed under load, the other folds within 10 s, and nothing is lost', async () => {
      const deployment = newDeployment();
      try {
        const { leader, standby } = await pair(deployment);
        const list = await newList(standby);
        const answered: string[] = [];
        let stop = false;
        const writers = Array.from({ length: 16 }, async () => {
          while (!stop) {
            const answer = await create(standby, list);
            if (answer.status === 200) answered.push(answer.field('contact_id'));
          }
        });
        await eventually(() => Promise.resolve(answered.length > 200 || undefined));
        await leader.kill('SIGKILL');
        const killed = performance.now();
        await eventually(async () => ((await projectorOf(standby)) === 'leading' ? true : undefined), {
          within: 10_000,
        });
        const before = answered.length;
        await eventually(() => Promise.resolve(answered.length > before + 100 || undefined));
        stop = true;
        await Promise.all(writers);
        await eventually(async () => ((await standby.get('/health/ready')).status === 200 ? true : undefined), {
          within: Math.max(0, 10_000 - (performance.now() - killed)) + 5_000,
        });
        await expectTrueViews(deployment);
        const documents = await documentsOf(deployment.views);
        const known = new Set(documents['contacts']?.map(({ id }) => id));
        expect(answered.filter((id) => !known.has(id))).toEqual([]);
      } finally {
        await deployment.close();
      }
    }, 90_000);

    test('a leader that was stopped and goes on changes nothing', async () => {
      const deployment = newDeployment();
      try {
        const { leader, standby } = await pair(deployment);
        const list = await newList(standby);
        let stop = false;
        let written = 0;
        const writers = Array.from({ length: 16 }, async () => {
          while (!stop) if ((await create(standby, list)).status === 200) written += 1;
        });
        const more = async (count: number): Promise<void> => {
          const before = written;
          await eventually(() => Promise.resolve(written > before + count || undefined), { within: 20_000 });
        };
        await more(100);
        process.kill(leader.pid(), 'SIGSTOP');
        await eventually(async () => ((await projectorOf(standby)) === 'leading' ? true : undefined));
        // Enough to be folded that the paused one knows nothing of.
        await more(200);
        process.kill(leader.pid(), 'SIGCONT');
        await eventually(async () => ((await projectorOf(leader)) === 'standby' ? true : undefined));
        stop = true;
        await Promise.all(writers);
        expect(await projectorOf(standby)).toBe('leading');
        await expectTrueViews(deployment);
      } finally {
        await deployment.close();
      }
    }, 90_000);

    test('one that is stopped in good order hands over at once', async () => {
      const deployment = newDeployment();
      try {
        const { leader, standby } = await pair(deployment);
        await leader.kill('SIGTERM');
        await eventually(async () => ((await projectorOf(standby)) === 'leading' ? true : undefined), {
          within: 2_500,
        });
      } finally {
        await deployment.close();
      }
    }, 60_000);
  },
);
