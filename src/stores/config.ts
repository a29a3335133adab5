/** Reads the environment: a bad value stops the start with a message that names the variable and shows no secret. */
import { compile } from 'proxy-addr';
import { z } from 'zod';
import { hasInvisibleCharacter, isAddress } from '../events/address.js';
import { addressPart, parseMailbox } from '../commands/address.js';
import { defaultUnclearDays, mostUnclearDays } from '../commands/counted-bounces.js';
import { isReservedKeyName } from '../events/keys.js';
import { longestReturnPathName } from '../events/return-path.js';
import { isDnsName, parseDkimKey, type DkimSettings } from '../mailer/dkim.js';
import { isSmtpName } from '../mailer/smtp-url.js';
import { parseSmtpUrl } from '../mailer/smtp-url.js';
import { parsePublicUrl } from './public-url.js';
import { ConfigurationError, inFiles, withFiles, type Environment } from './values-from-files.js';

export { ConfigurationError } from './values-from-files.js';

/** An empty variable counts as absent. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

export const present = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value <= most, `must be at most ${most}`);

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function milliseconds(text: string): number {
  return Number.parseInt(text, 10) * (unitMs[text.slice(-1)] ?? 0);
}

const duration = z
  .string()
  .regex(/^(?:0|\d{1,6}[smhd])$/, 'must be a duration such as 24h, 30m or 90s, or 0 for off')
  .transform(milliseconds);

/** At least one second; `most` as it is written. */
const pause = (most: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,5}[smhd]$/, 'must be a duration such as 48h, 5m or 90s')
    .transform(milliseconds)
    .refine((value) => value <= milliseconds(most), `must be at most ${most}`);

/** Checks the scheme only. The rest, such as several hosts, is for the client of the server to read. */
const url = (...schemes: readonly string[]) =>
  z.string().refine((text) => schemes.some((scheme) => text.startsWith(`${scheme}//`) && !/\s/.test(text)), {
    message: `must be an address that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  });

/** Read by what will use it, so that a bad value is refused before anything is written. */
const readBy = <Value>(read: (text: string) => Value, whatIsWrong: (error: unknown) => string) =>
  z.string().transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      context.issues.push({ code: 'custom', input: text, message: whatIsWrong(error) });
      return z.NEVER;
    }
  });

const messageOf = (error: unknown): string => (error instanceof TypeError ? error.message : 'cannot be read');
const smtpUrl = readBy(parseSmtpUrl, (error) => messageOf(error).replace(/^SMTP_URL /, ''));
const dkimKey = readBy(parseDkimKey, messageOf);
const publicUrl = readBy(parsePublicUrl, messageOf);
const dkimName = z
  .string()
  .refine(isDnsName, 'must be a name of the DNS in ASCII, such as example.com or xn--bcher-kva.example');

const returnPath = z
  .string()
  .refine(
    (text) => isAddress(text) && /^[\x21-\x7e]+$/.test(text) && text.indexOf('@') <= longestReturnPathName,
    `must be an address in ASCII with at most ${longestReturnPathName} characters before the @, such as bounce@mail.example.com`,
  );

/** 0: off. */
const bounceThreshold = z
  .string()
  .regex(/^(?:off|\d{1,9})$/, 'must be a whole number, or off')
  .transform((text) => (text === 'off' ? 0 : Number(text)))
  .refine((value) => value <= mostUnclearDays, `must be at most ${mostUnclearDays}, or off`);

const commaList = (text: string): string[] => text.split(',').map((item) => item.trim());

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const allRoles = ['api', 'projector', 'mailer'] as const;
export type Role = (typeof allRoles)[number];

const roles = z
  .string()
  .transform(commaList)
  .pipe(z.array(z.enum(allRoles, `must be a comma list of ${allRoles.join(', ')}`)).min(1));

const apiKey = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9._-]{1,64}:)?[\x21-\x39\x3b-\x7e]+$/,
    'must be a comma list of name:key or key (name: up to 64 letters, digits, dots, hyphens, underscores; key: visible ASCII without colon)',
  )
  .refine(
    (key) => !key.includes(':') || !isReservedKeyName(key.slice(0, key.indexOf(':'))),
    'must not use the names mailer, cli, service or recipient, nor the id of a key',
  );

const apiKeys = z
  .string()
  .transform((text) => commaList(text).filter((key) => key !== ''))
  .pipe(z.array(apiKey).min(1, 'must name at least one key, or be absent'))
  .refine(
    (keys) => new Set(keys.map((key) => key.slice(key.indexOf(':') + 1))).size === new Set(keys).size,
    'must not give the same key two names',
  );

/** Public keys in base64 of SPKI in DER, as seals have them. */
const publicKeys = z
  .string()
  .transform(commaList)
  .pipe(
    z.array(
      z
        .string()
        .regex(
          /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/,
          'must be a comma list of Ed25519 public keys in base64 of SPKI in DER, such as the member public_key of a seal',
        ),
    ),
  );

const trustedProxies = readBy(
  // A lone number is no address, though it can be read as one: elsewhere it counts proxies.
  (text) => compile(commaList(text).map((item) => item.replace(/^\d+$/, ''))),
  () => 'must be a comma list of addresses, ranges (10.0.0.0/8), loopback, linklocal or uniquelocal',
);

/** As browsers write it. */
const origin = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
    'must be a comma list of origins such as https://app.example.com; * is refused, for any page could then use a key that is in a browser',
  );

/** Of RETAIN_EMAILS. */
export const mostRetainedDays = 36_500;

const schema = z.object({
  PORT: optional(wholeNumber(65_535)).default(3000),
  HOST: optional(z.string()).default('127.0.0.1'),
  TRUST_PROXY: optional(trustedProxies),
  PUBLIC_URL: optional(publicUrl),
  CORS_ORIGINS: optional(z.string().transform(commaList).pipe(z.array(origin))).default([]),
  API_KEYS: optional(apiKeys).default([]),
  METRICS_PORT: optional(wholeNumber(65_535)),
  METRICS_HOST: optional(z.string()).default('127.0.0.1'),
  TLS_CERT: optional(z.string()),
  TLS_KEY: optional(z.string()),
  DATA_DIR: optional(z.string()).default('./data'),
  EVENTSTORE_URL: optional(url('esdb:', 'esdb+discover:')),
  EVENTSTORE_PREFIX: optional(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters, digits, _ and -')).default(
    'audience_',
  ),
  MONGODB_URL: optional(url('mongodb:', 'mongodb+srv:')),
  SMTP_URL: optional(smtpUrl),
  SMTP_NAME: optional(
    z.string().refine(isSmtpName, 'must be a full name such as mail.example.com, or an address such as [192.0.2.1]'),
  ),
  MAIL_CONNECTIONS: optional(wholeNumber(1000).refine((value) => value > 0, 'must be at least 1')).default(10),
  MAIL_RETURN_PATH: optional(returnPath),
  BOUNCE_THRESHOLD: optional(bounceThreshold).default(defaultUnclearDays),
  MAIL_FROM: optional(
    z
      .string()
      .refine((text) => !hasInvisibleCharacter(addressPart(text)), 'must not contain an invisible character')
      .refine((text) => parseMailbox(text) !== undefined, 'must be an address, or Name <address>'),
  ),
  PAGES_DIR: optional(z.string()),
  CONSENT_IP: optional(z.enum(['on', 'off'], 'must be on or off')).default('off'),
  DKIM_DOMAIN: optional(dkimName),
  DKIM_SELECTOR: optional(dkimName),
  DKIM_KEY: optional(dkimKey),
  SECRET: optional(z.string().refine((text) => Buffer.byteLength(text) >= 32, 'must be at least 32 bytes')),
  SEAL_EVERY: optional(duration).default(60 * 60_000),
  SEAL_DIR: optional(z.string()),
  SEAL_KEY: optional(z.string()),
  SEAL_KEYS_BEFORE: optional(publicKeys).default([]),
  ACCESS_LOG: optional(z.enum(['on', 'off'], 'must be on or off')).default('on'),
  RATE_LIMIT: optional(wholeNumber(100_000_000)).default(6000),
  RATE_LIMIT_EMAIL: optional(wholeNumber(100_000_000)).default(600),
  RATE_LIMIT_PAGES: optional(wholeNumber(100_000_000)).default(600),
  ROLES: optional(roles).default([...allRoles]),
  LOG_LEVEL: optional(z.enum(logLevels, `must be one of ${logLevels.join(', ')}`)).default('info'),
  RETAIN_EMAILS: optional(wholeNumber(mostRetainedDays)).default(0),
  MAIL_IN_DOUBT: optional(z.enum(['resend', 'hold'], 'must be resend or hold')).default('resend'),
  MAIL_IN_DOUBT_AFTER: optional(pause('1d')).default(milliseconds('5m')),
  MAIL_GIVE_UP_AFTER: optional(pause('365d')).default(milliseconds('48h')),
});

/** Every variable that the service reads. */
export const serviceVariables: readonly string[] = [
  ...Object.keys(schema.shape),
  ...inFiles.map((name) => `${name}_FILE`),
];

export type Config = ReturnType<typeof readConfig>;

function parsed<Schema extends z.ZodObject>(variables: Schema, environment: Environment): z.output<Schema> {
  const result = variables.safeParse(withFiles(environment, Object.keys(variables.shape)));
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`);
  throw new ConfigurationError(`The configuration is not valid: ${[...new Set(lines)].join('; ')}`);
}

/** @throws ConfigurationError naming every variable that is wrong. */
export function readConfig(environment: Environment) {
  const settings = parsed(schema, environment);
  const servers = serversIn(settings);
  requireWhatBelongsTogether(settings);
  const { TLS_CERT: cert, TLS_KEY: key } = settings;
  return {
    port: settings.PORT,
    host: settings.HOST,
    /** The files of the certificate. Undefined: HTTP without TLS. */
    tls: cert !== undefined && key !== undefined ? { cert, key } : undefined,
    /** Undefined: metrics are on the main port only, with a key. */
    metrics:
      settings.METRICS_PORT === undefined ? undefined : { port: settings.METRICS_PORT, host: settings.METRICS_HOST },
    isTrustedProxy: settings.TRUST_PROXY,
    /** Where recipients reach this service, without a slash at its end. Undefined: no mail to subscribers of lists. */
    publicUrl: settings.PUBLIC_URL,
    /** Pages for the recipients of e-mails. `mailFrom`: sender of our own e-mails; undefined: there are none. `folder`: the operator's own style, logo and texts. `keepsIp`: with what a person decides. */
    pages: { mailFrom: settings.MAIL_FROM, folder: settings.PAGES_DIR, keepsIp: settings.CONSENT_IP === 'on' },
    corsOrigins: settings.CORS_ORIGINS,
    apiKeys: settings.API_KEYS,
    /** Undefined: e-mail goes to the outbox folder. */
    smtp: settings.SMTP_URL,
    /** Undefined: the name of this host. */
    smtpName: settings.SMTP_NAME,
    mailConnections: settings.MAIL_CONNECTIONS,
    /** Undefined: reports go to the sender of each e-mail. */
    mailReturnPath: settings.MAIL_RETURN_PATH,
    /** Days of unclear refusals after which mail to an address stops. 0: refusals are not counted. */
    bounceThreshold: settings.BOUNCE_THRESHOLD,
    /** Undefined: e-mails are not signed. */
    dkim: dkimIn(settings),
    dataDir: settings.DATA_DIR,
    secret: settings.SECRET,
    /** The servers of events and views, or undefined if both are in the data folder. */
    servers,
    /** `every`: milliseconds; 0: only at a stop and for proofs. `copies`: a second folder. `key`: a file; undefined: the one in the data folder. `keysBefore`: public keys of earlier keys, in base64 of SPKI in DER. */
    seals: {
      every: settings.SEAL_EVERY,
      copies: settings.SEAL_DIR,
      key: settings.SEAL_KEY,
      keysBefore: settings.SEAL_KEYS_BEFORE,
    },
    /** Whether reads of auditors are recorded. */
    isAccessLogged: settings.ACCESS_LOG === 'on',
    roles: new Set(settings.ROLES),
    rateLimit: settings.RATE_LIMIT,
    rateLimitEmail: settings.RATE_LIMIT_EMAIL,
    rateLimitPages: settings.RATE_LIMIT_PAGES,
    logLevel: settings.LOG_LEVEL,
    /** Days; 0: for ever. */
    retainEmails: settings.RETAIN_EMAILS,
    mailInDoubt: settings.MAIL_IN_DOUBT,
    /** Milliseconds: the first pause after a lost reply, and from the request to giving up. */
    mailTimings: { inDoubt: settings.MAIL_IN_DOUBT_AFTER, giveUp: settings.MAIL_GIVE_UP_AFTER },
  };
}

const storesSchema = schema.pick({
  DATA_DIR: true,
  EVENTSTORE_URL: true,
  EVENTSTORE_PREFIX: true,
  MONGODB_URL: true,
  SECRET: true,
  SEAL_DIR: true,
  SEAL_KEY: true,
  SEAL_KEYS_BEFORE: true,
});

/** Reads the variables of the stores alone, for commands. The secret may be missing, and a command without views needs no server of views. @throws ConfigurationError */
export function readStoresConfig(environment: Environment) {
  const settings = parsed(storesSchema, environment);
  return {
    dataDir: settings.DATA_DIR,
    secret: settings.SECRET,
    /** The server of the log, or undefined if the log is in the data folder. */
    logServer: logServerIn(settings),
    /** Returns where events and views are, or undefined if they are in the data folder. @throws ConfigurationError if only one server is named */
    servers: () => serversIn(settings),
    seals: { copies: settings.SEAL_DIR, key: settings.SEAL_KEY, keysBefore: settings.SEAL_KEYS_BEFORE },
  };
}

const mailSchema = schema.pick({
  SMTP_URL: true,
  SMTP_NAME: true,
  DKIM_DOMAIN: true,
  DKIM_SELECTOR: true,
  DKIM_KEY: true,
});

/** Reads the variables of the mail server alone, for commands. @throws ConfigurationError */
export function readMailConfig(environment: Environment) {
  const settings = parsed(mailSchema, environment);
  return { smtp: settings.SMTP_URL, smtpName: settings.SMTP_NAME, dkim: dkimIn(settings) };
}

/** Days; 0: for ever. @throws ConfigurationError */
export const readRetention = (environment: Environment): number =>
  parsed(schema.pick({ RETAIN_EMAILS: true }), environment).RETAIN_EMAILS;

type StoreVariables = z.output<typeof storesSchema>;

const logServerIn = ({ EVENTSTORE_URL: url, EVENTSTORE_PREFIX: prefix }: StoreVariables) =>
  url === undefined ? undefined : { events: { url, prefix } };

function serversIn(settings: StoreVariables) {
  const log = logServerIn(settings);
  const { MONGODB_URL: url } = settings;
  if (log !== undefined && url !== undefined) return { ...log, views: { url } };
  if (log !== undefined)
    throw new ConfigurationError(
      'MONGODB_URL is required with EVENTSTORE_URL: EVENTSTORE_URL puts the events on a server, and their views are then in MongoDB. Set MONGODB_URL, or unset EVENTSTORE_URL to keep events and views in the data folder',
    );
  if (url !== undefined)
    throw new ConfigurationError(
      'EVENTSTORE_URL is required with MONGODB_URL: MONGODB_URL puts the views on a server, and their events are then in EventStoreDB. Set EVENTSTORE_URL, or unset MONGODB_URL to keep events and views in the data folder',
    );
  return undefined;
}

function dkimIn(settings: z.output<typeof mailSchema>): DkimSettings | undefined {
  const { DKIM_DOMAIN: domain, DKIM_SELECTOR: selector, DKIM_KEY: privateKey } = settings;
  if (domain !== undefined && selector !== undefined && privateKey !== undefined)
    return { domain, selector, privateKey };
  if ([domain, selector, privateKey].every((setting) => setting === undefined)) return undefined;
  throw new ConfigurationError(
    'DKIM_DOMAIN, DKIM_SELECTOR and DKIM_KEY or DKIM_KEY_FILE are needed together: the domain that signs, the name of its key, and the key',
  );
}

function requireWhatBelongsTogether(settings: z.output<typeof schema>): void {
  const { ROLES, EVENTSTORE_URL, SECRET, TLS_CERT, TLS_KEY } = settings;
  if ((TLS_CERT === undefined) !== (TLS_KEY === undefined))
    throw new ConfigurationError('TLS_CERT and TLS_KEY are needed together: the files of the certificate and its key');
  if (EVENTSTORE_URL !== undefined && SECRET === undefined)
    throw new ConfigurationError(
      'SECRET is required with EVENTSTORE_URL: at least 32 bytes, the same in every process, kept in the backup. Stream names are derived from it.',
    );
  const isSplit = new Set(ROLES).size < allRoles.length;
  if (isSplit && EVENTSTORE_URL === undefined)
    throw new ConfigurationError(
      'ROLES must name api, projector and mailer unless both EVENTSTORE_URL and MONGODB_URL are set: embedded stores belong to one process',
    );
}
