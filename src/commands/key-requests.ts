/** What clients can ask for of API keys: create, rotate, revoke. */
import type { KeyEvent } from '../events/keys.js';
import { keysStream } from '../events/streams.js';
import type { CommandContext } from './batch.js';
import type { CommandHandler } from './command-handler.js';
import type { Key, KeyCommand, KeysState } from './keys.js';

interface Asked {
  /** The scopes of who asks: nobody gives others. */
  readonly granter: ReadonlySet<string>;
  /** UTC, ISO 8601 with milliseconds. */
  readonly now: string;
}

export interface CreateKey extends Asked {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | undefined;
}

export interface RotateKey extends Asked {
  readonly key_id: string;
  /** Until then the secret before holds, too. */
  readonly previous_until: string;
}

export interface ChangedKey {
  readonly key: Key;
  readonly position: string;
}

export interface IssuedKey extends ChangedKey {
  /** In clear: this answer is the only place where it is ever shown. */
  readonly secret: string;
}

/** Each throws a ServiceError: a refusal of the rules, or `unavailable`. */
export interface KeyRequests {
  create(request: CreateKey, context: CommandContext): Promise<IssuedKey>;
  rotate(request: RotateKey, context: CommandContext): Promise<IssuedKey>;
  revoke(request: { key_id: string; reason: string | undefined }, context: CommandContext): Promise<ChangedKey>;
}

interface KeyRequestsOptions {
  readonly handler: CommandHandler<KeysState, KeyCommand, KeyEvent>;
  readonly newId: (prefix: 'key') => string;
  readonly newSecret: () => string;
  /** SHA-256 in hex. */
  readonly hashOf: (secret: string) => string;
  /** Called after each change, before it is answered: it is to hold in this process. */
  readonly onChanged: () => Promise<void>;
}

export function createKeyRequests(options: KeyRequestsOptions): KeyRequests {
  const { handler, newId, newSecret, hashOf, onChanged } = options;
  async function change(command: KeyCommand, context: CommandContext): Promise<ChangedKey> {
    const { state, position } = await handler.execute({ stream: keysStream, command, context });
    await onChanged();
    const key = state.get(command.key_id);
    if (key === undefined) throw new Error('a changed key is missing');
    return { key, position };
  }

  return {
    async create(request, context) {
      const secret = newSecret();
      const command = { type: 'Create', key_id: newId('key'), hash: hashOf(secret), ...request } as const;
      return { ...(await change(command, context)), secret };
    },
    async rotate(request, context) {
      const secret = newSecret();
      return { ...(await change({ type: 'Rotate', hash: hashOf(secret), ...request }, context)), secret };
    },
    revoke: (request, context) => change({ type: 'Revoke', ...request }, context),
  };
}
