/** An OpenTelemetry collector on loopback: takes OTLP over HTTP as JSON, keeps what it was sent, and can be told to fail. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';

interface Value {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
}

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events: readonly unknown[];
  readonly status: { readonly code: number };
}

interface SentTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CollectedSpan extends Omit<SentSpan, 'attributes'> {
  readonly attributes: Attributes;
  readonly resource: Attributes;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
}

/** `hang`: takes the request and never answers. */
type Behaviour = 'take' | 'hang' | number;

export interface Collector {
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` is set to. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** All that came, as it came. */
  readonly received: () => string;
  readonly requests: readonly { readonly path: string; readonly headers: http.IncomingHttpHeaders }[];
  /** From now on. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

const valueOf = ({ stringValue, boolValue, intValue, doubleValue }: Value) =>
  stringValue ?? boolValue ?? doubleValue ?? (intValue === undefined ? undefined : Number(intValue));

const attributesOf = (attributes: readonly Attribute[]): Attributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

const spansIn = ({ resourceSpans }: SentTraces): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        ...span,
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes),
        start: Number(span.startTimeUnixNano) / 1e6,
        end: Number(span.endTimeUnixNano) / 1e6,
      })),
  );

export async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const requests: { path: string; headers: http.IncomingHttpHeaders }[] = [];
  let behaviour: Behaviour = 'take';

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { url = '', headers } = request;
    const body = await text(headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request);
    requests.push({ path: url, headers });
    if (behaviour === 'hang') return;
    if (behaviour === 'take') {
      bodies.push(body);
      spans.push(...spansIn(JSON.parse(body) as SentTraces));
    }
    const status = behaviour === 'take' ? 200 : behaviour;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }

  const server = http.createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received: () => bodies.join('\n'),
    requests,
    behave(next) {
      behaviour = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
