/** Commands and the appends that carry their events, as spans of the request or work that asks for them. */
import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import type { CarriedCommand, CommandHandler, CommandRequest, TraceAppend } from '../commands/command-handler.js';
import { errorCatalogue, ServiceError } from '../errors.js';
import { WrongExpectedRevisionError } from '../eventstore/event-store.js';
import type { Shown } from './shown.js';
import { childrenOf, correlated, fail, type UnderWay } from './under-way.js';

interface CommandsOptions {
  readonly tracer: Tracer;
  readonly underWay: UnderWay;
  readonly shown: Shown;
}

export function traceCommands({ tracer, underWay, shown }: CommandsOptions) {
  /** Of the commands that are under way. */
  const spans = new WeakMap<CommandRequest<unknown>, Span>();

  async function executeTraced<Result extends { readonly events: readonly unknown[] }>(
    request: CommandRequest<unknown>,
    execute: () => Promise<Result>,
  ): Promise<Result> {
    const parent = underWay.parentOf(request.context.correlationId);
    if (parent === undefined) return await execute();
    const type = typeOf(request.command);
    const attributes = { ...attributesOf(request), 'audience.command.type': type };
    const span = tracer.startSpan(`command ${kindOf(request)} ${type}`, { attributes }, parent);
    spans.set(request, span);
    try {
      const result = await execute();
      span.setAttribute('audience.command.outcome', result.events.length > 0 ? 'changed' : 'unchanged');
      return result;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) fail(span, error);
      else span.setAttributes({ 'audience.command.outcome': 'refused', 'audience.command.refusal': refusal });
      throw error;
    } finally {
      span.end();
    }
  }

  const traceAppend: TraceAppend = async (carried, append) => {
    const begun = carried.flatMap((command) => {
      const parent = spans.get(command.request);
      return parent === undefined ? [] : [{ command, span: beginAppend(command, parent, carried.length) }];
    });
    if (begun.length === 0) return await append();
    try {
      const result = await append();
      for (const { command, span } of begun) {
        span.end();
        shown.await(result.position, span, correlated(command.request.context.correlationId));
      }
      return result;
    } catch (error) {
      for (const { span } of begun) {
        if (error instanceof WrongExpectedRevisionError) span.setAttribute('audience.append.conflict', true);
        else fail(span, error);
        span.end();
      }
      throw error;
    }
  };

  function beginAppend({ request, events }: CarriedCommand, parent: Span, commands: number): Span {
    const attributes = {
      ...attributesOf(request),
      'audience.append.events': events,
      'audience.append.commands': commands,
    };
    return tracer.startSpan(`append ${kindOf(request)}`, { attributes }, childrenOf(parent));
  }

  return {
    traceAppend,
    traceHandler: <State, Command, Event>(
      handler: CommandHandler<State, Command, Event>,
    ): CommandHandler<State, Command, Event> => ({
      ...handler,
      execute: (request) => executeTraced(request, () => handler.execute(request)),
    }),
  };
}

/** Of a stream. The rest of its name is a pseudonym. */
const kindOf = ({ stream }: CommandRequest<unknown>): string => stream.split('-', 1)[0] ?? stream;

const attributesOf = (request: CommandRequest<unknown>): Attributes => ({
  ...correlated(request.context.correlationId),
  'audience.stream.kind': kindOf(request),
});

/** The command that notes who looked has none. */
const typeOf = (command: unknown): string =>
  typeof command === 'object' && command !== null && 'type' in command ? String(command.type) : 'RecordRead';

function refusalOf(error: unknown): string | undefined {
  return error instanceof ServiceError && errorCatalogue[error.code].status < 500 ? error.code : undefined;
}
