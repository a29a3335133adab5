/** The standard variables of OpenTelemetry: those that hold here. What is not understood is named and ignored, as the specification demands: they are often set for many programs at once. */
import { accessSync, constants } from 'node:fs';
import { z } from 'zod';

const oneOf = <Value extends string>(...values: readonly [Value, ...Value[]]) =>
  z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(values, `must be one of ${values.join(', ')}`));

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number);
const positive = wholeNumber.refine((value) => value > 0, 'must be at least 1');
const share = z.string().transform(Number).pipe(z.number('must be a number from 0 to 1').min(0).max(1));
const address = z.url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' });
const file = z.string().refine(isReadable, 'must name a file that can be read');
const protocol = z.literal('http/json', 'must be http/json: nothing else is spoken');
const compression = z.enum(['gzip', 'none'], 'must be gzip or none');

const propagators = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
  .pipe(z.array(z.enum(['tracecontext', 'baggage', 'none'], 'must be a comma list of tracecontext, baggage and none')));

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The exporter reads headers, time-out, compression and certificates from the environment itself, with the same defaults for what is wrong: here they are checked. */
const schema = z
  .object({
    OTEL_SDK_DISABLED: oneOf('true', 'false'),
    OTEL_TRACES_EXPORTER: oneOf('otlp', 'none'),
    OTEL_EXPORTER_OTLP_ENDPOINT: address,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_HEADERS: z.string(),
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string(),
    OTEL_EXPORTER_OTLP_TIMEOUT: positive,
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: positive,
    OTEL_EXPORTER_OTLP_COMPRESSION: compression,
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression,
    OTEL_EXPORTER_OTLP_CERTIFICATE: file,
    OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: file,
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: file,
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: file,
    OTEL_EXPORTER_OTLP_CLIENT_KEY: file,
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: file,
    OTEL_SERVICE_NAME: z.string(),
    OTEL_RESOURCE_ATTRIBUTES: z.string(),
    OTEL_PROPAGATORS: propagators,
    OTEL_TRACES_SAMPLER: oneOf(...samplers),
    OTEL_TRACES_SAMPLER_ARG: share,
    OTEL_BSP_SCHEDULE_DELAY: wholeNumber,
    OTEL_BSP_EXPORT_TIMEOUT: positive,
    OTEL_BSP_MAX_QUEUE_SIZE: positive,
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: positive,
  })
  .partial();

export const traceVariables: readonly string[] = Object.keys(schema.shape);

type Variables = z.output<typeof schema>;

export interface TraceSettings {
  /** Where spans are posted. */
  readonly url: string;
  /** Whether the trace of a caller is gone on with. */
  readonly goesOn: boolean;
  /** `share`: of the traces that begin here. `asksParent`: whether a trace is made that a caller has begun is for the caller to say. */
  readonly sampler: { readonly share: number; readonly asksParent: boolean };
  /** Spans that wait at most, those that are sent at once, and milliseconds. */
  readonly batches: {
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
    readonly scheduledDelayMillis: number;
    readonly exportTimeoutMillis: number;
  };
}

interface TraceVariables {
  /** Undefined: no traces. */
  readonly settings: TraceSettings | undefined;
  /** What is wrong with a variable, without its value. */
  readonly ignored: readonly string[];
}

export function readTraceVariables(environment: Readonly<Record<string, string | undefined>>): TraceVariables {
  const { given, variables, ignored } = understood(environment);
  const isAsked = given.has('OTEL_EXPORTER_OTLP_ENDPOINT') || given.has('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const isOff = variables.OTEL_SDK_DISABLED === 'true' || variables.OTEL_TRACES_EXPORTER === 'none';
  if (!isAsked || isOff) return { settings: undefined, ignored: [] };
  const url = urlOf(variables);
  return { settings: url === undefined ? undefined : settingsWith(url, variables), ignored };
}

function understood(environment: Readonly<Record<string, string | undefined>>) {
  const given = new Map(
    traceVariables.flatMap((name) => {
      const value = environment[name]?.trim() ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );
  const { error } = schema.safeParse(Object.fromEntries(given));
  const wrong = new Map(error?.issues.map(({ path, message }) => [String(path[0]), message]));
  return {
    given,
    variables: schema.parse(Object.fromEntries([...given].filter(([name]) => !wrong.has(name)))),
    ignored: [...wrong].map(([name, message]) => `${name} ${message}`),
  };
}

/** One for traces alone is taken as it is, the general one begins it. */
function urlOf(variables: Variables): string | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: general } = variables;
  if (own !== undefined || general === undefined) return own;
  const url = new URL(general);
  url.pathname = url.pathname.replace(/\/?$/, '/v1/traces');
  return url.href;
}

function settingsWith(url: string, variables: Variables): TraceSettings {
  const { OTEL_TRACES_SAMPLER: sampler = 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: ratio = 1 } = variables;
  const { OTEL_PROPAGATORS = ['tracecontext'], OTEL_BSP_MAX_QUEUE_SIZE: maxQueueSize = 2_048 } = variables;
  return {
    url,
    goesOn: OTEL_PROPAGATORS.includes('tracecontext'),
    sampler: { share: shareOf(sampler, ratio), asksParent: sampler.startsWith('parentbased_') },
    batches: {
      maxQueueSize,
      maxExportBatchSize: Math.min(variables.OTEL_BSP_MAX_EXPORT_BATCH_SIZE ?? 512, maxQueueSize),
      scheduledDelayMillis: variables.OTEL_BSP_SCHEDULE_DELAY ?? 5_000,
      exportTimeoutMillis: variables.OTEL_BSP_EXPORT_TIMEOUT ?? 30_000,
    },
  };
}

function shareOf(sampler: (typeof samplers)[number], ratio: number): number {
  if (sampler.endsWith('traceidratio')) return ratio;
  return sampler.endsWith('always_on') ? 1 : 0;
}

function isReadable(name: string): boolean {
  try {
    accessSync(name, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
