/** Checks the connection string before the client sees it: the client's messages about a bad one hold the password. */
import { EventStoreDBClient, type Credentials } from '@eventstore/db-client';

/** Options that a connection to a single node keeps, as the client compares them: without case, hyphen and underscore. */
const optionsOfNode = new Set(['connectionname', 'tls', 'tlscafile', 'keepaliveinterval', 'keepalivetimeout']);
/** The client's other options. Deadlines and the search for the leader are the adapter's own. */
const ignoredOptions = new Set([
  'maxdiscoverattempts',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'nodepreference',
  'tlsverifycert',
  'throwonappendfailure',
]);
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

/** User name, password, hosts, options. The client would cut a password at a colon and end it at an @, silently. */
const outline = /^\s*esdb(?:\+discover)?:\/\/(?:([^:@/?]+):([^:@/?]+)@)?([^@/?]+)\/*(?:\?(.*))?$/s;

/** @throws EventStoreUrlError */
export function parseServerUrl(url: string): ServerAddress {
  if (!/^\s*esdb(\+discover)?:\/\//.test(url))
    throw new EventStoreUrlError('the EventStoreDB URL must begin with esdb:// or esdb+discover://');
  const parts = outline.exec(url);
  if (parts === null)
    throw new EventStoreUrlError(
      'the EventStoreDB URL must be esdb://user:password@host:port?option=value, user name and password percent-encoded',
    );
  const [, username, password = '', hosts = '', query = ''] = parts;
  const pairs = query.split('&').filter((pair) => pair !== '');
  for (const pair of pairs) assertOption(pair);
  try {
    EventStoreDBClient.connectionString(url);
    const kept = pairs.filter((pair) => optionsOfNode.has(nameOf(pair)));
    if (!kept.some((pair) => nameOf(pair) === 'keepalivetimeout')) kept.push(keepAliveTimeout);
    return {
      nodes: hosts.split(',').map((host) => `esdb://${host}?${kept.join('&')}`),
      credentials: username === undefined ? undefined : decoded({ username, password }),
    };
  } catch (error) {
    throw new EventStoreUrlError(`the EventStoreDB URL cannot be used: ${reasonOf(error)}`);
  }
}

const decoded = ({ username, password }: Credentials): Credentials => ({
  username: decodeURIComponent(username),
  password: decodeURIComponent(password),
});

/** The client prints the whole URL to standard error when it meets an option that it does not know or support. */
function assertOption(pair: string): void {
  const name = nameOf(pair);
  const [written = '', value = ''] = pair.split('=');
  if (!optionsOfNode.has(name) && !ignoredOptions.has(name))
    throw new EventStoreUrlError(`the EventStoreDB URL has an unknown option ${quoted(written)}`);
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
  // The parser's errors quote the URL, but what they say was expected does not.
  if ('expected' in error && typeof error.expected === 'string') return `expected ${error.expected}`;
  return /^(Failed to load certificate|Invalid (keepAlive|default))/.test(error.message)
    ? error.message
    : 'the client refuses it';
}
