/** What clients can ask for of groups, lists and tags: create, rename, delete. */
import type { Idempotency } from '../events/envelope.js';
import type { StreamKeys } from '../events/streams.js';
import type { CommandContext } from './batch.js';
import type { CatalogueCommand, CatalogueState } from './catalogue.js';
import type { CommandHandler, Handled } from './command-handler.js';

export type CatalogueHandler = Pick<
  CommandHandler<CatalogueState, CatalogueCommand, unknown>,
  'execute' | 'fresh' | 'known'
>;

/** The position of the last event written, or of the state that made a write unnecessary. */
export interface Written {
  readonly position: string;
}

/** True: an earlier request with the same `Idempotency-Key` has created it, and this is the answer to that one. */
export interface Replayable {
  readonly replayed: boolean;
}

export interface Named extends Written {
  readonly id: string;
  readonly name: string;
}

/** Each throws a ServiceError: a refusal of the contract, or `unavailable`. */
export interface Catalogue {
  create(name: string, context: CommandContext, idempotencyKey?: string): Promise<Named & Replayable>;
  rename(entry: { readonly id: string; readonly name: string }, context: CommandContext): Promise<Named>;
  remove(id: string, context: CommandContext): Promise<Written>;
}

interface CatalogueRequestsOptions {
  readonly handler: CatalogueHandler;
  readonly stream: string;
  readonly keys: StreamKeys;
  readonly newId: () => string;
}

export function createCatalogueRequests({ handler, stream, keys, newId }: CatalogueRequestsOptions): Catalogue {
  const answerOf = ({ state, position }: Handled<CatalogueState, unknown>, id: string): Named => ({
    id,
    name: state.nameById.get(id) ?? '',
    position,
  });
  return {
    async create(name, context, idempotencyKey) {
      const id = newId();
      const command = { type: 'Create', id, name } as const;
      if (idempotencyKey === undefined)
        return { ...answerOf(await handler.execute({ stream, command, context }), id), replayed: false };
      const idempotency = idempotencyOf(keys, idempotencyKey, [stream, name]);
      const { state, position } = await handler.execute({ stream, command, context: { ...context, idempotency } });
      const first = state.idByKeyHash.get(idempotency.key_hash) ?? id;
      // The name of the first answer: it may have been renamed since.
      return { id: first, name, position, replayed: first !== id };
    },
    async rename({ id, name }, context) {
      return answerOf(await handler.execute({ stream, command: { type: 'Rename', id, name }, context }), id);
    },
    async remove(id, context) {
      const { position } = await handler.execute({ stream, command: { type: 'Delete', id }, context });
      return { position };
    },
  };
}

/** `input`: what the create asks for, always in the same order. */
export const idempotencyOf = (keys: StreamKeys, idempotencyKey: string, input: readonly unknown[]): Idempotency => ({
  key_hash: keys.creationKey(idempotencyKey),
  request_hash: keys.requestHash(input),
});
