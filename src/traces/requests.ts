/** Requests as spans, by the semantic conventions of HTTP: patterns of paths only, and nothing of who calls. */
import type { IncomingHttpHeaders } from 'node:http';
import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, type Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { correlated, fail, type Activity, type UnderWay } from './under-way.js';

interface TracedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly isEncrypted: boolean;
}

interface RequestEnding {
  /** The pattern of the path, `-` where there is none. */
  readonly route: string;
  readonly status: number;
  /** Only of server faults. */
  readonly error: unknown;
  readonly correlationId: string;
}

export interface RequestTrace {
  readonly traceId: string;
  /** What is done in it is part of the trace. */
  run<Result>(answer: () => Result): Result;
  end(ending: RequestEnding): void;
}

/** Those that the conventions know. Others could be anything. */
const methods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']);

interface RequestsOptions {
  readonly tracer: Tracer;
  readonly underWay: UnderWay;
  readonly goesOn: boolean;
}

export function traceRequests({ tracer, underWay, goesOn }: RequestsOptions) {
  const propagator = new W3CTraceContextPropagator();

  return ({ method, headers, isEncrypted }: TracedRequest): RequestTrace => {
    const isKnown = methods.has(method);
    const name = isKnown ? method : 'HTTP';
    const caller = goesOn ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter) : ROOT_CONTEXT;
    const attributes = {
      'http.request.method': isKnown ? method : '_OTHER',
      'url.scheme': isEncrypted ? 'https' : 'http',
    };
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
    const activity: Activity = { span, begin: () => span, correlationId: undefined, commands: 0, isOver: false };
    return {
      traceId: span.spanContext().traceId,
      run: (answer) => underWay.run(activity, answer),
      end({ route, status, error, correlationId }) {
        const hasRoute = route !== '-';
        if (hasRoute) span.updateName(`${name} ${route}`);
        span.setAttributes({
          ...correlated(correlationId),
          'http.response.status_code': status,
          ...(hasRoute && { 'http.route': route }),
        });
        if (status >= 500) fail(span, String(status));
        else if (error !== undefined) fail(span, error);
        underWay.end(activity);
      },
    };
  };
}
