/** What is under way: a request, or a piece of a subscriber's work. What is done for it joins its trace until it ends. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanStatusCode, trace, type Attributes, type Context, type Span } from '@opentelemetry/api';
import { ServiceError } from '../errors.js';

/** Spans of the commands of one request or piece of work. One with thousands of lines would push all others out. */
const mostCommands = 100;

export interface Activity {
  /** Of the whole. Undefined before there is anything worth a span. */
  span: Span | undefined;
  /** Begins it, with the correlation id of its first command. */
  readonly begin: (correlationId: string) => Span;
  correlationId: string | undefined;
  commands: number;
  /** What it started may run on, or wake something else: that is not part of it. */
  isOver: boolean;
}

export type UnderWay = ReturnType<typeof createUnderWay>;

export const correlated = (correlationId: string): Attributes => ({ 'audience.correlation_id': correlationId });

export function createUnderWay() {
  const store = new AsyncLocalStorage<Activity>();

  function current(): Activity | undefined {
    const activity = store.getStore();
    return activity?.isOver === true ? undefined : activity;
  }

  return {
    current,
    run: <Result>(activity: Activity, action: () => Result): Result => store.run(activity, action),
    /** Where the span of a further command hangs. Undefined: it gets none. */
    parentOf(correlationId: string): Context | undefined {
      const activity = current();
      if (activity === undefined) return undefined;
      activity.correlationId ??= correlationId;
      activity.commands += 1;
      activity.span ??= activity.begin(correlationId);
      if (!activity.span.isRecording() || activity.commands > mostCommands) return undefined;
      return childrenOf(activity.span);
    },
    /** `at`: milliseconds since the epoch. Default: now. */
    end(activity: Activity, at?: number): void {
      const { span, commands } = activity;
      activity.isOver = true;
      if (commands > 0 && span?.isRecording() === true) span.setAttribute('audience.commands', commands);
      span?.end(at);
    },
  };
}

/** `fault`: an error, of which the words may be personal, or a code. */
export function fail(span: Span, fault: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', typeof fault === 'string' ? fault : typeOfError(fault));
}

function typeOfError(error: unknown): string {
  if (error instanceof ServiceError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}

export const childrenOf = (span: Span): Context => trace.setSpan(ROOT_CONTEXT, span);
