/** docker-compose.yml as Compose reads it: anchors merged, variables replaced by their defaults. */
import { parse } from 'yaml';
import { z } from 'zod';
import { document } from '../support/markdown.js';

const health = z.strictObject({
  test: z.array(z.string()).min(2),
  interval: z.string(),
  timeout: z.string(),
  start_period: z.string(),
  retries: z.number(),
});

/** The keys that we use, so that a misspelt one shows even where the schema of Compose is not at hand. */
const service = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  platform: z.string().optional(),
  pull_policy: z.enum(['build', 'never']).optional(),
  profiles: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  user: z.string().optional(),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.literal(false) })).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  hostname: z.string().optional(),
  logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }),
  init: z.boolean().optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
    .optional(),
  healthcheck: health.optional(),
  stop_grace_period: z.string().optional(),
  restart: z.enum(['unless-stopped', 'no']),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
});
type ComposeService = z.output<typeof service>;

const file = z.strictObject({
  name: z.string(),
  'x-service': z.unknown(),
  'x-logging': z.unknown(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

/** `${NAME}`, `${NAME-default}` and `${NAME:-default}` (for an empty one, too) are the only forms that we use. */
export function interpolate(value: unknown, environment: Readonly<Record<string, string>> = {}): unknown {
  if (Array.isArray(value)) return value.map((inner) => interpolate(inner, environment));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, interpolate(inner, environment)]));
  if (typeof value !== 'string') return value;
  const text = value.replaceAll(/\$\{(\w+)(?:(:?)-([^}]*))?\}/g, (_, name: string, colon = '', fallback = '') => {
    const set = environment[name];
    return String(set === undefined || (set === '' && colon === ':') ? fallback : set);
  });
  if (text.includes('$')) throw new Error(`"${value}" has a form of variable that this reading does not know`);
  return text;
}

export const composeFile: unknown = parse(document('docker-compose.yml'), { merge: true });
export const compose = file.parse(interpolate(composeFile));

/** The services that run our image, and stay. */
export const ourServices: readonly (readonly [string, ComposeService])[] = Object.entries(compose.services).filter(
  ([name, { image }]) => image.startsWith('audience-ledger:') && name !== 'seal-key',
);
