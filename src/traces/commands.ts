/** Commands and the appends that carry their events, as spans of the request or work that asks for them. */
import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import { errorCatalogue, ServiceError } from '../errors.js';
import { WrongExpectedRevisionError } from '../eventstore/event-store.js';
import type { Follow, ObservedCommand } from '../flow/observe.js';
import type { Shown } from './shown.js';
import { childrenOf, correlated, fail, type UnderWay } from './under-way.js';

interface CommandsOptions {
  readonly tracer: Tracer;
  readonly underWay: UnderWay;
  readonly shown: Shown;
}

export function followCommands({ tracer, underWay, shown }: CommandsOptions): Pick<Follow, 'command' | 'append'> {
  /** The spans of the commands that are under way. */
  const spans = new WeakMap<ObservedCommand, Span>();

  return {
    command(request) {
      const parent = underWay.parentOf(request.context.correlationId);
      if (parent === undefined) return undefined;
      const type = typeOf(request.command);
      const attributes = { ...attributesOf(request), 'audience.command.type': type };
      const span = tracer.startSpan(`command ${kindOf(request)} ${type}`, { attributes }, parent);
      spans.set(request, span);
      return {
        end(outcome) {
          if (outcome.status === 'accepted')
            span.setAttribute('audience.command.outcome', outcome.events.length > 0 ? 'changed' : 'unchanged');
          else noteError(span, outcome.error);
          span.end();
        },
      };
    },
    append(carried) {
      const begun = carried.flatMap(({ request, events }) => {
        const parent = spans.get(request);
        if (parent === undefined) return [];
        const attributes = {
          ...attributesOf(request),
          'audience.append.events': events,
          'audience.append.commands': carried.length,
        };
        const span = tracer.startSpan(`append ${kindOf(request)}`, { attributes }, childrenOf(parent));
        return [{ span, correlation: correlated(request.context.correlationId) }];
      });
      if (begun.length === 0) return undefined;
      return {
        end(append) {
          for (const { span, correlation } of begun) {
            if (!('error' in append)) {
              span.end();
              shown.await(append.position, span, correlation);
              continue;
            }
            if (append.error instanceof WrongExpectedRevisionError) span.setAttribute('audience.append.conflict', true);
            else fail(span, append.error);
            span.end();
          }
        },
      };
    },
  };
}

function noteError(span: Span, error: unknown): void {
  const refusal = refusalOf(error);
  if (refusal === undefined) fail(span, error);
  else span.setAttributes({ 'audience.command.outcome': 'refused', 'audience.command.refusal': refusal });
}

/** Returns the kind of a stream. The rest of its name is a pseudonym. */
const kindOf = ({ stream }: ObservedCommand): string => stream.split('-', 1)[0] ?? stream;

const attributesOf = (request: ObservedCommand): Attributes => ({
  ...correlated(request.context.correlationId),
  'audience.stream.kind': kindOf(request),
});

/** Returns the type of a command. The command that records a read has no type of its own. */
const typeOf = (command: unknown): string =>
  typeof command === 'object' && command !== null && 'type' in command ? String(command.type) : 'RecordRead';

function refusalOf(error: unknown): string | undefined {
  return error instanceof ServiceError && errorCatalogue[error.code].status < 500 ? error.code : undefined;
}
