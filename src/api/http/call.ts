/** The request that a handler gets after every check, and the answers that a handler may return. */
import type { Request } from 'express';
import type { CommandContext } from '../../commands/batch.js';
import type { Answer } from './envelope.js';
import type { DirectAnswer, StreamedAnswer } from './send.js';

export interface Call<Input = unknown, Query = unknown, Parameter extends string = string> {
  readonly input: Input;
  readonly query: Query;
  /** The scopes of the API key. */
  readonly scopes: ReadonlySet<string>;
  /** Returns the value of a parameter in the path. */
  readonly parameter: (name: Parameter) => string;
  readonly request: Request;
  readonly context: CommandContext;
  /** Undefined without the header, and on endpoints that take no `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  /** Returns a signal that aborts when the client goes away. */
  readonly signal: () => AbortSignal;
}

export type HandlerAnswer = Answer | StreamedAnswer | DirectAnswer;
