/** The API keys of a process: those of the configuration, and those of the log, which is looked at so often that a change holds within a second. */
import { createAuthenticator, createGrant, ended, fullGrant } from './auth.js';
import type { Authenticator, Grant, Identity } from './auth.js';
import type { KeysOfApi } from './keys.js';
import { replayableContext } from '../commands/catalogue-requests.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { keyDecider, keyOf, type Key, type KeyCommand, type KeysState } from '../commands/keys.js';
import { isUnreadable } from '../events/codec.js';
import type { KeyEvent } from '../events/keys.js';
import { keysStream, type StreamKeys } from '../events/streams.js';
import type { Clocks, Subscriber } from '../flow/subscriber.js';
import { takeTurns } from '../flow/turns.js';
import type { ReadModels } from '../readmodels/read-models.js';
import { newApiKey } from '../stores/data-folder.js';
import { createKeyUses } from './key-uses.js';
import { repeat } from '../flow/repeat.js';

/** How often the log is looked at, and open streams, in milliseconds. */
const lookMs = 400;
const noteMs = 1_000;

export interface Keys extends KeysOfApi {
  readonly authenticate: Authenticator;
  /** Writes when they were last used, and closes what keeps it. */
  readonly uses: Subscriber<'turn'>;
  close(): void;
}

const outOfReach = 'API keys cannot be followed: those that are known hold';
const unreadable = 'an event of API keys cannot be read: all keys are refused but those of the configuration';

interface KeysOptions extends Clocks {
  readonly commands: {
    readonly keys: Pick<CommandHandler<KeysState, KeyCommand, KeyEvent>, 'fresh' | 'execute'>;
    readonly streamKeys: StreamKeys;
    newId(prefix: string): string;
  };
  /** Of the configuration and of the first start. */
  readonly configured: readonly Identity[];
  /** Keeps when keys were last used. Closed with `uses`. */
  readonly models: ReadModels;
  /** Called with what it means for the keys; once as long as it lasts. */
  readonly onFault: (error: unknown, meaning: string) => void;
}

/** @throws ServiceError `unavailable` */
export async function openKeys({
  commands,
  configured: own,
  models,
  clock,
  monotonic,
  onFault,
}: KeysOptions): Promise<Keys> {
  const configured = new Map(own.map((key) => [key.hash.toString('hex'), fullGrant(key)]));
  /** By the SHA-256 of the secret. They stay when they have ended: a request may still hold one. */
  const grants = new Map<string, Grant>();
  let held = keyDecider.initial;

  function hold(state: KeysState): void {
    held = state;
    for (const grant of grants.values()) grant.until = ended;
    for (const key of state.values())
      for (const { hash, until } of secretsOf(key)) {
        const grant = grants.get(hash) ?? grantOf(key, hash);
        grant.until = until <= clock() ? ended : until;
        grants.set(hash, grant);
      }
    endStreams();
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

  await look().catch((error: unknown) => {
    if (!isOfAnEvent(error)) throw error;
  });
  const closing = new AbortController();
  const { signal } = closing;
  const onLookFault = (error: unknown): void => onFault(error, isOfAnEvent(error) ? unreadable : outOfReach);
  void repeat(look, { pause: lookMs, signal, onFault: onLookFault });
  // Beside the reading: a log that does not answer keeps no stream open.
  const ending = setInterval(endStreams, lookMs);
  const uses = createKeyUses(models);
  return {
    authenticate: createAuthenticator({ find: (hash) => configured.get(hash) ?? grants.get(hash), clock }),
    newId: () => commands.newId('key'),
    newSecret: newApiKey,
    all: look,
    // A key that is to be revoked must be found, also without the read models.
    lastUse: (id) => uses.read(id).catch(() => null),
    async change(command, asked, idempotencyKey) {
      const { streamKeys: keys } = commands;
      const context = replayableContext(asked, { keys, idempotencyKey, input: () => inputOf(command) });
      const { state, position } = await commands.keys.execute({ stream: keysStream, command, context });
      // Written is written, and holds here at once.
      await look().catch(() => hold(state));
      const key = keyOf(command, state, context.idempotency?.key_hash);
      if (key === undefined) throw new Error('a changed key is missing');
      return { key, position };
    },
    uses: takeTurns({
      name: 'record of key uses',
      pause: noteMs,
      monotonic,
      turn: () => uses.write(grants.values()),
      close: () => models.close(),
    }),
    close() {
      closing.abort();
      clearInterval(ending);
    },
  };
}

const inputOf = (command: KeyCommand): readonly unknown[] =>
  command.type === 'Create' ? ['key', command.name, command.scopes, command.expires_at ?? null] : [];

const isOfAnEvent = (error: unknown): boolean => error instanceof Error && isUnreadable(error.cause);

const grantOf = ({ key_id: id, scopes }: Key, hash: string): Grant =>
  createGrant({ id, hash: Buffer.from(hash, 'hex'), scopes: new Set(scopes), until: ended });

function secretsOf({ hash, previous, expires_at, revoked_at }: Key): { hash: string; until: number }[] {
  if (revoked_at !== null) return [];
  const end = expires_at === null ? Infinity : Date.parse(expires_at);
  const before = previous === null ? [] : [{ hash: previous.hash, until: Math.min(end, Date.parse(previous.until)) }];
  return [...before, { hash, until: end }];
}
