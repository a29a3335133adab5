/** What clients can ask for of groups, lists and tags: create, rename, delete. */
import type { StreamKeys } from '../events/streams.js';
import type { CommandContext } from './batch.js';
import type { CatalogueCommand, CatalogueState } from './catalogue.js';
import type { CommandHandler } from './command-handler.js';

export type CatalogueHandler = Pick<
  CommandHandler<CatalogueState, CatalogueCommand, unknown>,
  'execute' | 'fresh' | 'known'
>;

/** The position of the last event written, or of the state that made a write unnecessary. */
export interface WriteResult {
  readonly position: string;
}

export interface NamedWriteResult extends WriteResult {
  readonly id: string;
  readonly name: string;
}

interface CatalogueRequestsOptions {
  readonly handler: CatalogueHandler;
  readonly stream: string;
  readonly keys: StreamKeys;
  readonly newId: () => string;
}

/** Each of them throws a ServiceError: a refusal of the contract, or `unavailable`. */
export function createCatalogueRequests({ handler, stream, keys, newId }: CatalogueRequestsOptions) {
  return {
    /** `replayed`: an earlier request with the same `Idempotency-Key` has created it, and this is the answer to that one. */
    async create(name: string, context: CommandContext, idempotencyKey?: string) {
      const id = newId();
      const command = { type: 'Create', id, name } as const;
      const replayable = replayableContext(context, { keys, idempotencyKey, input: () => [stream, name] });
      const { state, position } = await handler.execute({ stream, command, context: replayable });
      const first = state.idByKeyHash.get(replayable.idempotency?.key_hash ?? '') ?? id;
      // The name of the first answer: it may have been renamed since.
      return { id: first, name, position, replayed: first !== id };
    },
    async rename({ id, name }: Omit<NamedWriteResult, 'position'>, context: CommandContext): Promise<NamedWriteResult> {
      const { position } = await handler.execute({ stream, command: { type: 'Rename', id, name }, context });
      return { id, name, position };
    },
    async remove(id: string, context: CommandContext): Promise<WriteResult> {
      const { position } = await handler.execute({ stream, command: { type: 'Delete', id }, context });
      return { position };
    },
  };
}

interface Replay {
  readonly keys: StreamKeys;
  readonly idempotencyKey: string | undefined;
  /** What the create asks for, always in the same order. */
  readonly input: () => readonly unknown[];
}

/** The context of a create: with the hashes of its `Idempotency-Key` and of its input, where it has that key. */
export const replayableContext = (context: CommandContext, { keys, idempotencyKey, input }: Replay): CommandContext =>
  idempotencyKey === undefined
    ? context
    : {
        ...context,
        idempotency: { key_hash: keys.creationKey(idempotencyKey), hash: (salt) => keys.requestHash(input(), salt) },
      };
