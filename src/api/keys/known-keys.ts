/** The API keys that a process knows, from the configuration and from the log. It reads the log again often enough that a change takes effect within a second. */
import { serviceContext, type CommandContext } from '../../commands/batch.js';
import { replayableContext } from '../../commands/catalogue-requests.js';
import type { CommandHandler } from '../../commands/command-handler.js';
import {
  expire,
  keyDecider,
  keyOf,
  type Key,
  type KeyChange,
  type KeyCommand,
  type KeysState,
} from '../../commands/keys.js';
import { isUnreadable } from '../../events/codec.js';
import type { KeyEvent } from '../../events/keys.js';
import { keysStream, type StreamKeys } from '../../events/streams.js';
import { repeat } from '../../flow/repeat.js';
import { takeTurns, type Clocks, type Subscriber } from '../../flow/subscriber.js';
import type { ReadModels } from '../../readmodels/read-models.js';
import { newApiKey } from '../../stores/data-folder.js';
import { createAuthenticator, createGrant, ended, fullGrant } from '../http/auth.js';
import type { Authenticator, Grant, Identity } from '../http/auth.js';
import { createKeyUses } from './key-uses.js';

/** Milliseconds between two readings of the log, and two checks of open streams. */
const lookMs = 400;
const noteMs = 1_000;
/** Milliseconds between two looks for keys that have expired. */
const expiryMs = 5_000;

export interface KeysOfApi {
  readonly newId: () => string;
  /** The secret itself, not its hash. */
  readonly newSecret: () => string;
  /** Resolves when the change is durable and holds in this process. @throws ServiceError a refusal, or `unavailable` */
  change(command: KeyChange, context: CommandContext, idempotencyKey?: string): Promise<ChangedKey>;
  /** By id, as of now. @throws ServiceError `unavailable` */
  all(): Promise<KeysState>;
  /** Null also where the read models are out of reach. */
  lastUse(id: string): Promise<string | null>;
}

interface ChangedKey {
  /** After a repeated create: the key that the first one made. */
  readonly key: Key;
  readonly position: string;
}

export interface Keys extends KeysOfApi {
  readonly authenticate: Authenticator;
  /** Writes when keys were last used. Closing it ends all other work for keys, too. */
  readonly subscriber: Subscriber<'turn'>;
  /** Records, while the clock is trusted, which keys and overlaps have ended. */
  readonly expiry: Subscriber<'turn'>;
}

const outOfReach = 'API keys cannot be followed: those that are known hold';
const unreadable = 'an event of API keys cannot be read: all keys are refused but those of the configuration';

interface KeysOptions extends Clocks {
  readonly commands: {
    readonly keys: Pick<CommandHandler<KeysState, KeyCommand, KeyEvent>, 'fresh' | 'execute'>;
    readonly streamKeys: StreamKeys;
    newId(prefix: string): string;
  };
  /** Returns the milliseconds since 1970, or undefined while the clock is not trusted. */
  readonly trustedNow: () => number | undefined;
  readonly newUuid: () => string;
  /** Of the configuration and of the first start. */
  readonly configured: readonly Identity[];
  /** Hold when keys were last used. Closed with the subscriber. */
  readonly models: ReadModels;
  /** Called once for each time that the log is out of reach or unreadable, with what that means for the keys. */
  readonly onFault: (error: unknown, meaning: string) => void;
}

/** @throws ServiceError `unavailable` */
export async function openKeys({
  commands,
  configured: own,
  models,
  clock,
  monotonic,
  trustedNow,
  newUuid,
  onFault,
}: KeysOptions): Promise<Keys> {
  const configured = new Map(own.map((key) => [key.hash.toString('hex'), fullGrant(key)]));
  /** Grants by the SHA-256 of the secret. Ended grants stay, because a request may still use one. */
  const grants = new Map<string, Grant>();
  let held = keyDecider.initial;
  let lookedAt = -Infinity;

  function hold(state: KeysState): void {
    held = state;
    lookedAt = clock();
    for (const grant of grants.values()) grant.until = ended;
    for (const key of state.values())
      for (const { hash, until } of secretsOf(key)) {
        const grant = grants.get(hash) ?? grantOf(key, hash);
        grant.until = until <= clock() ? ended : until;
        grants.set(hash, grant);
      }
    endStreams();
  }

  /** Opens secrets again that were marked as ended while the clock was ahead. */
  function holdAgainAfterStepBack(): void {
    if (clock() < lookedAt) hold(held);
    lookedAt = clock();
  }

  function endStreams(): void {
    for (const { until, streams } of grants.values()) if (until <= clock()) for (const end of streams) end();
  }

  /** @throws ServiceError `unavailable` */
  async function look(): Promise<KeysState> {
    const { state } = await commands.keys.fresh(keysStream).catch((error: unknown) => {
      // The event may revoke any of them.
      if (isOfAnEvent(error)) hold(keyDecider.initial);
      throw error;
    });
    if (state !== held) hold(state);
    return state;
  }

  async function recordEnds(): Promise<void> {
    const time = trustedNow();
    if (time === undefined) return;
    const command = { type: 'Expire', now: new Date(time).toISOString() } as const;
    if (expire(command, held).length === 0) return;
    const context = serviceContext(newUuid());
    hold((await commands.keys.execute({ stream: keysStream, command, context })).state);
  }

  await look().catch((error: unknown) => {
    if (!isOfAnEvent(error)) throw error;
  });
  const closing = new AbortController();
  const { signal } = closing;
  const onLookFault = (error: unknown): void => onFault(error, isOfAnEvent(error) ? unreadable : outOfReach);
  void repeat(look, { pause: lookMs, signal, onFault: onLookFault });
  // Not part of the reading, because streams must end also while the log does not answer.
  const ending = setInterval(() => {
    holdAgainAfterStepBack();
    endStreams();
  }, lookMs);
  const uses = createKeyUses(models, clock);
  return {
    authenticate: createAuthenticator({ find: (hash) => configured.get(hash) ?? grants.get(hash), clock }),
    newId: () => commands.newId('key'),
    newSecret: newApiKey,
    all: look,
    // A key that is to be revoked must be found, also without the read models.
    lastUse: (id) => uses.read(id).catch(() => null),
    async change(command, given, idempotencyKey) {
      const { streamKeys: keys } = commands;
      const context = replayableContext(given, { keys, idempotencyKey, input: () => inputOf(command) });
      const changing = commands.keys.execute({ stream: keysStream, command, context });
      const { state, position } = await changing.catch(async (error: unknown) => {
        // The change may be in the log although its line in the register could not be written.
        await look().catch(() => undefined);
        throw error;
      });
      // The change is durable, so it holds here also where the log cannot be read again.
      await look().catch(() => hold(state));
      const key = keyOf(command, state, context.idempotency?.key_hash);
      if (key === undefined) throw new Error('a changed key is missing');
      return { key, position };
    },
    subscriber: takeTurns({
      name: 'record of key uses',
      pause: noteMs,
      monotonic,
      turn: () => uses.write(grants.values()),
      async close() {
        closing.abort();
        clearInterval(ending);
        await models.close();
      },
    }),
    expiry: takeTurns({ name: 'key expiry', pause: expiryMs, monotonic, turn: recordEnds }),
  };
}

const inputOf = (command: KeyChange): readonly unknown[] =>
  command.type === 'Create' ? ['key', command.name, command.scopes, command.expires_at ?? null] : [];

const isOfAnEvent = (error: unknown): boolean => error instanceof Error && isUnreadable(error.cause);

const grantOf = ({ key_id: id, scopes }: Key, hash: string): Grant =>
  createGrant({ id, hash: Buffer.from(hash, 'hex'), scopes: new Set(scopes), until: ended });

function secretsOf({ hash, previous, expires_at, hasExpired, revoked_at }: Key): { hash: string; until: number }[] {
  if (revoked_at !== null || hasExpired) return [];
  const end = expires_at === null ? Infinity : Date.parse(expires_at);
  const isOpen = previous !== null && !previous.isClosed;
  const before = isOpen ? [{ hash: previous.hash, until: Math.min(end, Date.parse(previous.until)) }] : [];
  return [...before, { hash, until: end }];
}
