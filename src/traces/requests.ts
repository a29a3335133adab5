/** Requests as spans, by the semantic conventions of HTTP: patterns of paths only, and nothing of who calls. */
import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, type Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Follow } from '../flow/observe.js';
import { correlated, fail, type Activity, type UnderWay } from './under-way.js';

/** Those that the conventions know. Others could be anything. */
const methods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']);

interface RequestsOptions {
  readonly tracer: Tracer;
  readonly underWay: UnderWay;
  /** Whether a request continues the trace of its caller. */
  readonly continuesTraces: boolean;
}

export function followRequests({ tracer, underWay, continuesTraces }: RequestsOptions): Follow['request'] {
  const propagator = new W3CTraceContextPropagator();

  return ({ method, headers, isEncrypted }) => {
    const isKnown = methods.has(method);
    const name = isKnown ? method : 'HTTP';
    const caller = continuesTraces ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter) : ROOT_CONTEXT;
    const attributes = {
      'http.request.method': isKnown ? method : '_OTHER',
      'url.scheme': isEncrypted ? 'https' : 'http',
    };
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
    const activity: Activity = { span, begin: () => span, correlationId: undefined, commands: 0, isOver: false };
    return {
      traceId: span.spanContext().traceId,
      run: (answer) => underWay.run(activity, answer),
      end({ route, status, error, correlation_id }) {
        const hasRoute = route !== '-';
        if (hasRoute) span.updateName(`${name} ${route}`);
        span.setAttributes({
          ...(correlation_id !== undefined && correlated(correlation_id)),
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
