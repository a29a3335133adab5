/** Judges the connection string before the client sees it: what the client says of a bad one holds the password. */
import { EventStoreDBClient } from '@eventstore/db-client';
import { readFileSync } from 'node:fs';

/** What the client understands, as it compares: without case, hyphen and underscore. */
const options = new Set([
  'usercertfile',
  'userkeyfile',
  'maxdiscoverattempts',
  'connectionname',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'nodepreference',
  'tls',
  'tlsverifycert',
  'tlscafile',
  'throwonappendfailure',
  'keepaliveinterval',
  'keepalivetimeout',
]);

/** The connection string cannot be used. The message holds nothing of it but names of options. */
export class EventStoreUrlError extends Error {
  override readonly name = 'EventStoreUrlError';
}

/** Connects nothing yet. @throws EventStoreUrlError */
export function createClient(url: string): EventStoreDBClient {
  assertScheme(url);
  assertCredentials(url);
  assertOptions(url);
  try {
    return EventStoreDBClient.connectionString(url);
  } catch (error) {
    throw new EventStoreUrlError(`the EventStoreDB URL cannot be used: ${reasonOf(error)}`);
  }
}

/** The first node that the URL names, without a search for the others: that search keeps to itself why it fails. */
export const firstNode = (url: string): string =>
  url.replace(/^\s*esdb(?:\+discover)?:\/\/((?:[^:]+:[^@]+@)?)([^,/?]+)[^?]*/, 'esdb://$1$2');

/** What a connection needs beside the node's address. */
export interface NodeAccess {
  /** Undefined: without TLS. */
  readonly tls: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer } | undefined;
  /** For the header `authorization`. */
  readonly credentials: string | undefined;
  /** How often the other end of a connection is asked whether it is still there, and how long it may take to say so. Undefined: never. */
  readonly keepAlive: { readonly intervalMs: number; readonly timeoutMs: number } | undefined;
}

/** As the client reads it; to be called with a URL that the client has taken. */
export function nodeAccess(url: string): NodeAccess {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const given = new Map(
    query.split('&').map((pair): [string, string] => {
      const [name = '', value = ''] = pair.split('=');
      return [flat(name), value.trim()];
    }),
  );
  const file = (name: string): Buffer | undefined => {
    const named = given.get(name);
    return named === undefined ? undefined : readFileSync(named);
  };
  const [, user, password] = /^\s*esdb(?:\+discover)?:\/\/([^:/?]+):([^@]+)@/.exec(url) ?? [];
  const [ca, cert, key] = [file('tlscafile'), file('usercertfile'), file('userkeyfile')];
  return {
    tls: given.get('tls') === 'false' ? undefined : { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
    credentials:
      user === undefined || password === undefined
        ? undefined
        : `Basic ${Buffer.from(`${decodeURIComponent(user)}:${decodeURIComponent(password)}`).toString('base64')}`,
    keepAlive: keepAliveIn(given),
  };
}

/** The defaults are the client's; -1 switches it off. */
function keepAliveIn(given: ReadonlyMap<string, string>): NodeAccess['keepAlive'] {
  const milliseconds = (name: string): number => Number(given.get(name) ?? 10_000);
  const [intervalMs, timeoutMs] = [milliseconds('keepaliveinterval'), milliseconds('keepalivetimeout')];
  if (intervalMs < 0 || timeoutMs < 0) return undefined;
  return { intervalMs: Math.max(intervalMs, shortest.intervalMs), timeoutMs: Math.max(timeoutMs, shortest.timeoutMs) };
}

/** A server would take more of it for an attack, and must have time to answer. */
const shortest = { intervalMs: 1_000, timeoutMs: 100 };

const flat = (name: string): string => name.trim().toLowerCase().replace(/[_-]/g, '');

function assertScheme(url: string): void {
  if (!/^\s*esdb(\+discover)?:\/\/./.test(url))
    throw new EventStoreUrlError('the EventStoreDB URL must begin with esdb:// or esdb+discover://');
}

/** The client cuts a password at a colon and ends it at an @, silently. */
function assertCredentials(url: string): void {
  const authority = url.replace(/^[^:]*:\/\//, '').replace(/[/?].*$/s, '');
  const credentials = authority.slice(0, Math.max(authority.lastIndexOf('@'), 0));
  if (credentials.includes('@') || credentials.split(':').length > 2)
    throw new EventStoreUrlError('user name and password in the EventStoreDB URL must be percent-encoded');
}

/** The client prints the whole URL to standard error when it meets an option that it does not know or support. */
function assertOptions(url: string): void {
  const query = url.slice(url.indexOf('?') + 1);
  if (query === url) return;
  for (const pair of query.split('&')) {
    const [name = '', value = ''] = pair.split('=');
    const key = flat(name);
    if (!options.has(key)) throw new EventStoreUrlError(`the EventStoreDB URL has an unknown option ${quoted(name)}`);
    if (key === 'tlsverifycert' && value.trim() === 'false')
      throw new EventStoreUrlError('tlsVerifyCert=false is not supported: name the authority with tlsCAFile');
  }
}

/** A mistyped URL may have anything in the place of a name. */
const quoted = (name: string): string => (/^[\w-]{1,32}$/.test(name) ? JSON.stringify(name) : '');

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the client refuses it';
  // The parser's own errors quote the URL; they alone say what was expected, which does not.
  if ('expected' in error && typeof error.expected === 'string') return `expected ${error.expected}`;
  return /^(Failed to load certificate|userCertFile must|Invalid (keepAlive|default))/.test(error.message)
    ? error.message
    : 'the client refuses it';
}
