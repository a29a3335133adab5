/** Traces of the work of subscribers. A piece of work begins a trace with its first command, so that a look that finds nothing leaves no trace. */
import { SpanKind, type Attributes, type Tracer } from '@opentelemetry/api';
import type { Follow, Listener } from '../flow/observe.js';
import { childrenOf, correlated, fail, type Activity, type UnderWay } from './under-way.js';

interface WorkOptions {
  readonly tracer: Tracer;
  readonly underWay: UnderWay;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
}

export function followWork(options: WorkOptions): Pick<Follow, 'work' | 'handOver'> {
  const { tracer, underWay, clock, monotonic } = options;
  return {
    work(subscriber) {
      const [wall, began] = [clock(), monotonic()];
      const activity: Activity = {
        span: undefined,
        begin: (correlationId) =>
          tracer.startSpan(subscriber, { root: true, startTime: wall, attributes: correlated(correlationId) }),
        correlationId: undefined,
        commands: 0,
        isOver: false,
      };
      return {
        run: (work) => underWay.run(activity, work),
        end({ error }) {
          if (activity.span !== undefined && error !== undefined) fail(activity.span, error);
          underWay.end(activity, wall + monotonic() - began);
        },
      };
    },
    /** Begins a span of the attempt. */
    handOver() {
      const { span: attempt, correlationId } = underWay.current() ?? {};
      if (attempt?.isRecording() !== true || correlationId === undefined) return undefined;
      const attributes = correlated(correlationId);
      const span = tracer.startSpan('hand over', { kind: SpanKind.CLIENT, attributes }, childrenOf(attempt));
      return {
        end({ outcome }) {
          span.setAttributes(attributesOf(outcome));
          if (outcome.status !== 'sent' && outcome.status !== 'withdrawn') fail(span, outcome.reason);
          span.end();
        },
      };
    },
  };
}

/** Records the outcome of an attempt on its span. */
export const noteAttempts = ({ underWay }: Pick<WorkOptions, 'underWay'>): Listener => ({
  email(report) {
    if (report.type !== 'started' && report.type !== 'recorded') return;
    const { span } = underWay.current() ?? {};
    span?.updateName('email attempt').setAttribute('audience.email.attempt', report.attempt);
    if (report.type === 'recorded') span?.setAttributes(attributesOf({ ...report, status: report.outcome }));
  },
});

interface Ending {
  readonly status: string;
  readonly reason?: string | undefined;
  readonly smtp_code?: number | undefined;
  readonly enhanced_code?: string | undefined;
}

/** The codes of a reply, and never its words. */
const attributesOf = ({ status, reason, smtp_code, enhanced_code }: Ending): Attributes => ({
  'audience.email.outcome': status,
  ...(reason !== undefined && { 'audience.email.reason': reason }),
  ...(smtp_code !== undefined && { 'audience.email.smtp_code': smtp_code }),
  ...(enhanced_code !== undefined && { 'audience.email.enhanced_code': enhanced_code }),
});
