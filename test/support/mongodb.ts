/** The MongoDB that TEST_MONGODB_URL names, for tests: a database of their own for each run. */
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';

/** Undefined: there is none. */
export const testMongoUrl = process.env['TEST_MONGODB_URL'];
export const noMongo = 'TEST_MONGODB_URL names no MongoDB server';

interface Parts {
  /** `mongodb://`, with user and password. */
  readonly head: string;
  readonly hosts: string;
  readonly database: string;
  readonly options: string;
}

function parse(url: string): Parts {
  const [, head = '', hosts = '', database = '', options = ''] =
    /^(mongodb(?:\+srv)?:\/\/(?:[^@/]*@)?)([^/?]+)\/?([^?]*)\??(.*)$/.exec(url) ?? [];
  return { head, hosts, database, options };
}

/** The same server, user and options, another database. */
export function withDatabase(url: string, name: string): string {
  const { head, hosts, database, options } = parse(url);
  const own = options === '' ? [] : options.split('&');
  // A user belongs to the database that the URL named.
  if (head.includes('@') && !/(^|&)authSource=/i.test(options)) own.push(`authSource=${database || 'admin'}`);
  return `${head}${hosts}/${name}${own.length === 0 ? '' : `?${own.join('&')}`}`;
}

/** The first server, and the URL that leads to a proxy of it instead. Undefined for an address that DNS has to expand. */
export function behindProxy(
  url: string,
): { readonly target: { readonly host: string; readonly port: number }; through(port: number): string } | undefined {
  const { head, hosts, database, options } = parse(url);
  const [host = '', port = '27017'] = (hosts.split(',')[0] ?? '').split(':');
  if (head.startsWith('mongodb+srv')) return undefined;
  // Else the driver would go on to the addresses that a replica set gives for itself.
  const direct = ['directConnection=true', ...options.split('&').filter((option) => !/^$|^replicaSet=/i.test(option))];
  return {
    target: { host, port: Number(port) },
    through: (proxyPort) => `${head}127.0.0.1:${proxyPort}/${database}?${direct.join('&')}`,
  };
}

export interface TestDatabase {
  readonly url: string;
  readonly client: MongoClient;
  /** Drops the database. */
  close(): Promise<void>;
}

export function openTestDatabase(url: string): TestDatabase {
  const name = `audience_test_${randomUUID().slice(0, 8)}`;
  const own = withDatabase(url, name);
  const client = new MongoClient(own, { serverSelectionTimeoutMS: 5_000 });
  return {
    url: own,
    client,
    async close() {
      await client.db(name).dropDatabase();
      await client.close();
    },
  };
}
