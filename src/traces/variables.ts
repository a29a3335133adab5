/**
 * Checks the standard variables of OpenTelemetry. The SDK reads their values itself, and would silently ignore some wrong
 * values. A wrong value is not fatal, because these variables are often set for many programs at once.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const oneOf = (...values: readonly [string, ...string[]]) =>
  z
    .string()
    .toLowerCase()
    .pipe(z.enum(values, `must be one of ${values.join(', ')}`));

const wholeNumber = z.string().regex(/^\d{1,9}$/, 'must be a whole number');
const positive = wholeNumber.refine((text) => Number(text) > 0, 'must be at least 1');
const share = z.string().transform(Number).pipe(z.number('must be a number from 0 to 1').min(0).max(1));
const address = z.url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' });
const file = z.string().refine(isReadable, 'must name a file that can be read');
const attributes = z
  .string()
  .refine(
    (text) => text.split(',').every((pair) => pair.trim() === '' || isAttribute(pair)),
    'must be a comma list of name=value, percent-encoded, each with at most 255 characters',
  );
const propagators = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
  .pipe(z.array(z.enum(['tracecontext', 'baggage', 'none'], 'must be a comma list of tracecontext, baggage and none')));

/** The settings of the exporter, each of which has one variable for traces and one for all that is exported. */
const exporter = {
  ENDPOINT: address,
  PROTOCOL: z.literal('http/json', 'must be http/json: nothing else is spoken'),
  HEADERS: z.string(),
  TIMEOUT: positive,
  COMPRESSION: z.enum(['gzip', 'none'], 'must be gzip or none'),
  CERTIFICATE: file,
  CLIENT_CERTIFICATE: file,
  CLIENT_KEY: file,
};

const rules: ReadonlyMap<string, z.ZodType> = new Map([
  ...Object.entries(exporter).flatMap(([name, rule]): [string, z.ZodType][] => [
    [`OTEL_EXPORTER_OTLP_${name}`, rule],
    [`OTEL_EXPORTER_OTLP_TRACES_${name}`, rule],
  ]),
  ...Object.entries({
    OTEL_SDK_DISABLED: oneOf('true', 'false'),
    OTEL_TRACES_EXPORTER: oneOf('otlp', 'none'),
    OTEL_SERVICE_NAME: z.string(),
    OTEL_RESOURCE_ATTRIBUTES: attributes,
    OTEL_PROPAGATORS: propagators,
    OTEL_TRACES_SAMPLER: oneOf(
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ),
    OTEL_TRACES_SAMPLER_ARG: share,
    OTEL_BSP_SCHEDULE_DELAY: wholeNumber,
    OTEL_BSP_EXPORT_TIMEOUT: positive,
    OTEL_BSP_MAX_QUEUE_SIZE: positive,
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: positive,
  }),
]);

export const traceVariables: readonly string[] = [...rules.keys()];

type Environment = Readonly<Record<string, string | undefined>>;

interface TraceVariables {
  /** Whether a collector is named, and traces are not turned off. */
  readonly isOn: boolean;
  /** The fault of each wrong variable, by its name, without its value. Empty if no collector is named. */
  readonly wrong: ReadonlyMap<string, string>;
}

export function checkTraceVariables(environment: Environment): TraceVariables {
  const valueOf = (name: string): string => environment[name]?.trim() ?? '';
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].filter(
    (name) => valueOf(name) !== '',
  );
  const isOff =
    valueOf('OTEL_SDK_DISABLED').toLowerCase() === 'true' || valueOf('OTEL_TRACES_EXPORTER').toLowerCase() === 'none';
  if (endpoints.length === 0 || isOff) return { isOn: false, wrong: new Map() };
  const wrong = new Map(
    [...rules].flatMap(([name, rule]): [string, string][] => {
      const error = valueOf(name) === '' ? undefined : rule.safeParse(valueOf(name)).error;
      return error === undefined ? [] : [[name, error.issues[0]?.message ?? 'is not understood']];
    }),
  );
  return { isOn: endpoints.some((name) => !wrong.has(name)), wrong };
}

/** If one pair is wrong, the SDK drops all of them. */
function isAttribute(pair: string): boolean {
  const [name = '', value, ...more] = pair.split('=').map((part) => part.trim());
  if (name === '' || value === undefined || more.length > 0) return false;
  try {
    return [name, value].every((part) => decodeURIComponent(part).length <= 255);
  } catch {
    return false;
  }
}

function isReadable(name: string): boolean {
  try {
    readFileSync(name);
    return true;
  } catch {
    return false;
  }
}
