/** Judges the connection string before the client sees it: what the client says of a bad one holds the password. */
import { EventStoreDBClient, type Credentials } from '@eventstore/db-client';

/** What the client understands, as it compares: without case, hyphen and underscore. */
const options = new Set([
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

/** Those that a connection to a single node keeps. Deadlines and the search for the leader are the adapter's own. */
const optionsOfNode = new Set(['connectionname', 'tls', 'tlscafile', 'keepaliveinterval', 'keepalivetimeout']);
/** A connection whose other end has vanished is given up this long after an unanswered ping, which goes out every ten seconds. */
const keepAliveTimeout = 'keepAliveTimeout=5000';

/** The connection string cannot be used. The message holds nothing of it but names of options. */
export class EventStoreUrlError extends Error {
  override readonly name = 'EventStoreUrlError';
}

export interface ServerAddress {
  /** A connection string for each node that is named, without credentials. */
  readonly nodes: readonly string[];
  readonly credentials: Credentials | undefined;
}

/** @throws EventStoreUrlError */
export function parseServerUrl(url: string): ServerAddress {
  if (!/^\s*esdb(\+discover)?:\/\/./.test(url))
    throw new EventStoreUrlError('the EventStoreDB URL must begin with esdb:// or esdb+discover://');
  const [, authority = '', query = ''] = /^[^:]*:\/\/([^/?]*)[^?]*\??(.*)$/s.exec(url) ?? [];
  const [login, hosts] = splitAt(authority, authority.lastIndexOf('@'));
  assertCredentials(login);
  const pairs = query.split('&').filter((pair) => pair !== '');
  for (const pair of pairs) assertOption(pair);
  try {
    EventStoreDBClient.connectionString(url);
    const kept = pairs.filter((pair) => optionsOfNode.has(nameOf(pair)));
    if (!kept.some((pair) => nameOf(pair) === 'keepalivetimeout')) kept.push(keepAliveTimeout);
    return {
      nodes: hosts.split(',').map((host) => `esdb://${host}?${kept.join('&')}`),
      credentials: credentialsIn(login),
    };
  } catch (error) {
    throw new EventStoreUrlError(`the EventStoreDB URL cannot be used: ${reasonOf(error)}`);
  }
}

function splitAt(text: string, place: number): [string, string] {
  return place < 0 ? ['', text] : [text.slice(0, place), text.slice(place + 1)];
}

function credentialsIn(login: string): Credentials | undefined {
  if (login === '') return undefined;
  const [username, password] = splitAt(login, login.indexOf(':'));
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** The client cuts a password at a colon and ends it at an @, silently. */
function assertCredentials(login: string): void {
  if (login.includes('@') || login.split(':').length > 2)
    throw new EventStoreUrlError('user name and password in the EventStoreDB URL must be percent-encoded');
}

/** The client prints the whole URL to standard error when it meets an option that it does not know or support. */
function assertOption(pair: string): void {
  const name = nameOf(pair);
  const [written = '', value = ''] = pair.split('=');
  if (name === 'usercertfile' || name === 'userkeyfile')
    throw new EventStoreUrlError(`${name} is not supported: give a user name and a password`);
  if (!options.has(name)) throw new EventStoreUrlError(`the EventStoreDB URL has an unknown option ${quoted(written)}`);
  if (name === 'tlsverifycert' && value.trim() === 'false')
    throw new EventStoreUrlError('tlsVerifyCert=false is not supported: name the authority with tlsCAFile');
}

function nameOf(pair: string): string {
  const [name = ''] = pair.split('=');
  return name.trim().toLowerCase().replace(/[_-]/g, '');
}

/** A mistyped URL may have anything in the place of a name. */
const quoted = (name: string): string => (/^[\w-]{1,32}$/.test(name) ? JSON.stringify(name) : '');

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the client refuses it';
  // The parser's own errors quote the URL; they alone say what was expected, which does not.
  if ('expected' in error && typeof error.expected === 'string') return `expected ${error.expected}`;
  return /^(Failed to load certificate|Invalid (keepAlive|default))/.test(error.message)
    ? error.message
    : 'the client refuses it';
}
