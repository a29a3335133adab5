/** What each operation takes and answers, from the types of the API. */
import type { operations, operationTable } from './api.js';

export type OperationId = keyof typeof operationTable;

/** Of an operation that takes an e-mail: its text. */
type BodyIn<Content> = Content extends { content: { 'message/rfc822': infer Body } } ? Body : JsonOf<Content>;

type JsonOf<Thing> = Thing extends { content: { 'application/json': infer Body } } ? Body : never;

type BodyOf<Operation> = Operation extends { requestBody: infer Body }
  ? { body: BodyIn<Body> }
  : Operation extends { requestBody?: infer Body }
    ? { body?: BodyIn<NonNullable<Body>> }
    : unknown;

/** `path`, `query`, `header` and `body` of the operation, and a signal that ends it, repeats included. */
export type InputOf<Id extends OperationId> = Omit<operations[Id]['parameters'], 'cookie'> &
  BodyOf<operations[Id]> & { signal?: AbortSignal };

/** The whole answer: `data`, and what stands beside it. */
export type AnswerOf<Id extends OperationId> = JsonOf<
  operations[Id]['responses'][keyof operations[Id]['responses'] & (200 | 202)]
>;
