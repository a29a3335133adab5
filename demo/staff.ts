/** Who asks the service for something: the keys of the shop's programs and people, and the requests that they make. */
import { hashKey } from '../src/api/http/auth.js';
import { serviceContext, type CommandContext } from '../src/commands/batch.js';
import type { KeyCommand } from '../src/commands/keys.js';
import { scopes as allScopes } from '../src/events/keys.js';
import { keysStream } from '../src/events/streams.js';
import { clients, type ClientName, type ClientOfShop } from './shop.js';
import { day, type World } from './world.js';

/** The key of the first start, which may do everything: whoever set the service up. */
const owner = 'default';

const requestsOf = (name: ClientName): string | undefined => {
  const client: ClientOfShop = clients[name];
  return client.requests;
};

export type Staff = ReturnType<typeof openStaff>;

export function openStaff(world: World) {
  const { commands } = world;
  const random = world.random('requests');
  const secrets = world.random('secrets of keys');
  const ids = new Map<ClientName, string>();
  const secretsOf = new Map<ClientName, string>();
  const lastRequests = new Map<string, number>();

  function by(name: ClientName | typeof owner): CommandContext {
    const actor = name === owner ? owner : ids.get(name);
    if (actor === undefined) throw new Error(`${name} has no key yet`);
    lastRequests.set(actor, world.now());
    const correlationId = random.uuid();
    const prefix = name === owner ? undefined : requestsOf(name);
    // As the service does it: its own request id serves as correlation id, too.
    const requestId = prefix === undefined ? correlationId : `${prefix}-${random.hex(12)}`;
    return { correlationId, causationId: correlationId, requestId, actor };
  }

  const granted = () => ({ granter: new Set<string>(allScopes), by: owner, now: new Date(world.now()).toISOString() });
  const change = async (command: KeyCommand): Promise<void> =>
    void (await commands.keys.execute({ stream: keysStream, command, context: by(owner) }));
  const idOf = (name: ClientName): string => ids.get(name) ?? '';
  /** Not in the form of a real key, so that nobody who finds it takes it for one. */
  const newSecret = (name: ClientName): string => `demo-${name}-${secrets.hex(24)}`;
  const hashOf = (secret: string): string => hashKey(secret).toString('hex');

  return {
    by,
    /** Gives it a key, for so many days. */
    async hire(name: ClientName, forDays?: number): Promise<void> {
      const key_id = commands.newId('key');
      const secret = newSecret(name);
      const end = forDays === undefined ? {} : { expires_at: new Date(world.now() + forDays * day).toISOString() };
      const data = { key_id, name, scopes: [...clients[name].scopes], hash: hashOf(secret), ...end };
      await change({ type: 'Create', ...granted(), ...data });
      ids.set(name, key_id);
      secretsOf.set(name, secret);
    },
    async rotate(name: ClientName): Promise<void> {
      const previous_until = new Date(world.now() + day).toISOString();
      await change({ type: 'Rotate', ...granted(), key_id: idOf(name), hash: hashOf(newSecret(name)), previous_until });
    },
    /** Records what has ended, as the service does by itself. */
    async expire(): Promise<void> {
      const context = serviceContext(random.uuid());
      const command = { type: 'Expire', now: new Date(world.now()).toISOString() } as const;
      await commands.keys.execute({ stream: keysStream, command, context });
    },
    revoke: (name: ClientName, reason: string) => change({ type: 'Revoke', key_id: idOf(name), reason }),
    secretOf: (name: ClientName): string => secretsOf.get(name) ?? '',
    /** By id of the key, in milliseconds since the epoch. */
    lastRequests: (): ReadonlyMap<string, number> => lastRequests,
  };
}
