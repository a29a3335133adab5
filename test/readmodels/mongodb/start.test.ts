/** What a start learns of a MongoDB that does not serve it; needs no server. */
import { BSON } from 'mongodb';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:tls';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { checkMongo } from '../../../src/readmodels/mongodb/check.js';
import { connectMongo, mongoTimeouts } from '../../../src/readmodels/mongodb/client.js';
import { openMongoReadModels } from '../../../src/readmodels/mongodb/read-models.js';
import { makeCertificate } from '../../support/certificates.js';

const secret = 's3cret';
const quick = { connecting: 300, reading: 500, writing: 500 };
const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A server that answers each command, by its name; `hello` by default. */
async function fakeServer(
  answers: Readonly<Record<string, object | (() => object)>>,
  asked: object[] = [],
): Promise<number> {
  const hello = {
    ok: 1,
    isWritablePrimary: true,
    ismaster: true,
    helloOk: true,
    minWireVersion: 0,
    maxWireVersion: 21,
  };
  const answer = (command: object): object => {
    const name = Object.keys(command)[0] ?? '';
    asked.push(command);
    const own = answers[name];
    if (own !== undefined) return typeof own === 'function' ? (own as () => object)() : own;
    return /^(hello|ismaster)$/i.test(name) ? { ...hello, ...answers['hello'] } : { ok: 1 };
  };
  return listen((socket) => {
    let pending = Buffer.alloc(0);
    socket.on('data', (data: Buffer) => {
      pending = Buffer.concat([pending, data]);
      while (pending.length >= 16 && pending.length >= pending.readInt32LE(0)) {
        const message = pending.subarray(0, pending.readInt32LE(0));
        pending = pending.subarray(message.length);
        socket.write(reply(message, answer));
      }
    });
  });
}

/** OP_QUERY (2004) is answered by OP_REPLY (1), OP_MSG (2013) by its like. */
function reply(message: Buffer, answer: (command: object) => object): Buffer {
  const isQuery = message.readInt32LE(12) === 2004;
  const start = isQuery ? message.indexOf(0, 20) + 9 : 21;
  const command = BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)));
  const body = BSON.serialize(answer(command));
  const head = Buffer.alloc(isQuery ? 36 : 21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(isQuery ? 1 : 2013, 12);
  if (isQuery) head.writeInt32LE(1, 32);
  return Buffer.concat([head, body]);
}

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    onSocket(socket);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const failure = (code: number, codeName: string) => ({ ok: 0, code, codeName, errmsg: `user admin ${secret}` });
const urlOf = (port: number) => `mongodb://admin:${secret}@127.0.0.1:${port}/views?authMechanism=PLAIN&tls=false`;

describe('the check of a MongoDB', () => {
  it('says unreachable where nobody listens', async () => {
    const port = await listen(() => undefined);
    servers.splice(0).forEach((server) => server.close());
    expect(await checkMongo(`mongodb://127.0.0.1:${port}`, quick)).toEqual({
      status: 'unreachable',
      reason: 'MongoServerSelectionError ECONNREFUSED',
    });
  });

  it('says unreachable where somebody listens and says nothing, in time', async () => {
    const port = await listen(() => undefined);
    const before = performance.now();
    expect(await checkMongo(`mongodb://127.0.0.1:${port}`, quick)).toMatchObject({ status: 'unreachable' });
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it('says unreachable where no member is primary', async () => {
    const port = await fakeServer({
      hello: { isWritablePrimary: false, ismaster: false, secondary: true, setName: 'rs' },
    });
    expect(await checkMongo(`mongodb://127.0.0.1:${port}/?replicaSet=rs`, quick)).toMatchObject({
      status: 'unreachable',
    });
  });

  it('says refused when the credentials are wrong', async () => {
    const port = await fakeServer({ saslStart: failure(18, 'AuthenticationFailed') });
    expect(await checkMongo(urlOf(port), quick)).toEqual({
      status: 'refused',
      reason: 'MongoServerError 18 AuthenticationFailed',
    });
  });

  const cursor = { id: BSON.Long.ZERO, ns: 'views.scratch', firstBatch: [] };
  const nothing = { ok: 1, n: 0, nModified: 0 };
  const duplicate = { ok: 1, n: 0, writeErrors: [{ index: 0, code: 11_000, errmsg: secret }] };
  /** As a MongoDB answers the trial, up to the race for a lease. */
  const usual = () => {
    let inserts = 0;
    return {
      find: { ok: 1, cursor },
      listCollections: { ok: 1, cursor },
      update: nothing,
      insert: () => ((inserts += 1) > 1 ? duplicate : { ok: 1, n: 1 }),
    };
  };

  it.each([
    ['createIndex', 'createIndexes'],
    ['insert', 'insert'],
    ['find', 'find'],
    ['update', 'update'],
    ['listCollections', 'listCollections'],
  ])('says refused when the user lacks the right %s, and names it', async (right, command) => {
    const port = await fakeServer({ ...usual(), [command]: failure(13, 'Unauthorized') });
    expect(await checkMongo(`mongodb://127.0.0.1:${port}`, quick)).toEqual({
      status: 'refused',
      reason: `the right ${right} is missing (MongoServerError 13 Unauthorized)`,
    });
  });

  it.each([
    ['lets a guarded write win that must lose', { update: { ok: 1, n: 1, nModified: 1 } }, 'a guarded write'],
    ['takes two documents of one _id', { insert: { ok: 1, n: 1 } }, 'a second document of the same _id'],
    ['lets all racers have one lease', { findAndModify: { ok: 1, value: { _id: 'one' } } }, 'of 4 .* 4 had it'],
  ])('says unusable of a look-alike that %s', async (_, answer, reason) => {
    const port = await fakeServer({ ...usual(), ...answer });
    const verdict = await checkMongo(`mongodb://127.0.0.1:${port}`, quick);
    expect(verdict).toMatchObject({ status: 'unusable' });
    expect(verdict).toHaveProperty('reason', expect.stringMatching(reason));
  });

  it('says unusable where a file that the URL names is not there, and shows nothing of it', async () => {
    expect(await checkMongo(`mongodb://127.0.0.1/?tls=true&tlsCAFile=/${secret}`, quick)).toEqual({
      status: 'unusable',
      reason: 'a file that the URL names (such as tlsCAFile) cannot be read: ENOENT',
    });
  });

  it('says tls where the certificate is of an unknown authority', async () => {
    const server = createTlsServer(makeCertificate({ name: '127.0.0.1' })).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await checkMongo(`mongodb://127.0.0.1:${port}/?tls=true`, quick)).toMatchObject({ status: 'tls' });
  });

  it.each([
    ['that the server may want TLS', '', (socket: Socket) => socket.end(), 'does it want TLS'],
    ['that the server may not speak TLS', '?tls=true', (socket: Socket) => socket.end(), 'does the server speak it'],
  ])('hints %s', async (_, options, onSocket, hint) => {
    const port = await listen(onSocket);
    const verdict = await checkMongo(`mongodb://127.0.0.1:${port}/${options}`, quick);
    expect(verdict).toMatchObject({ status: 'unreachable' });
    expect(verdict).toHaveProperty('reason', expect.stringContaining(hint));
  });

  it('hints that the replica set has another name', async () => {
    const port = await fakeServer({ hello: { setName: 'rs', hosts: [] } });
    const verdict = await checkMongo(`mongodb://127.0.0.1:${port}/?replicaSet=other`, quick);
    expect(verdict).toHaveProperty('reason', expect.stringContaining('no server there is of the replicaSet'));
  });

  it('hints that the replica set was not initiated, whether or not the URL names one', async () => {
    const port = await fakeServer({ hello: { isWritablePrimary: false, ismaster: false, isreplicaset: true } });
    for (const options of ['', '?replicaSet=rs'])
      expect(await checkMongo(`mongodb://127.0.0.1:${port}/${options}`, quick)).toEqual({
        status: 'unreachable',
        reason: 'MongoServerSelectionError (its replica set was not initiated: run rs.initiate() there)',
      });
  });

  it('says unusable when the server is too old for the driver', async () => {
    const port = await fakeServer({ hello: { maxWireVersion: 6 } });
    expect(await checkMongo(`mongodb://127.0.0.1:${port}`, quick)).toMatchObject({ status: 'unusable' });
  });

  it.each([
    `mongodb://admin:${secret}@`,
    `mongodb://admin:${secret}?x=1@127.0.0.1/views`,
    `mongodb://admin:${secret}@127.0.0.1/views?${secret}=1`,
    `mongodb://admin:${secret}@127.0.0.1/?w=${secret}&tls=${secret}`,
    `mongo://admin:${secret}@127.0.0.1`,
    `mongodb://127.0.0.1/a%ZZ`,
    secret,
  ])('says unusable of such a URL as number %#, and shows nothing of it', async (url) => {
    const verdict = await checkMongo(url, quick);
    expect(verdict.status).toBe('unusable');
    expect(JSON.stringify(verdict)).not.toContain(secret);
    expect(() => openMongoReadModels({ url })).toThrow(TypeError);
  });
});

describe('the connection to a MongoDB', () => {
  it.each([
    ['mongodb://127.0.0.1', 'audience'],
    ['mongodb://127.0.0.1/', 'audience'],
    ['mongodb://a:p%2Fw@127.0.0.1:1,127.0.0.2:2/?authSource=admin', 'audience'],
    ['mongodb://127.0.0.1/views', 'views'],
    ['mongodb://a:p%2Fw@127.0.0.1:1,127.0.0.2:2/my%2Dviews?w=1', 'my-views'],
  ])('%s leads to the database %s', async (url, name) => {
    const connection = connectMongo(url, mongoTimeouts);
    expect(connection.db.databaseName).toBe(name);
    await connection.close();
  });

  it('asks for a majority, the journal and the primary, whatever the URL says', async () => {
    const url = 'mongodb://127.0.0.1/?w=0&journal=false&readPreference=secondary&readConcernLevel=available';
    const { db, close } = connectMongo(url, mongoTimeouts);
    expect(db.writeConcern).toMatchObject({ w: 'majority', journal: true });
    expect(db.readPreference?.mode).toBe('primary');
    expect(db.readConcern?.level).toBe('local');
    await close();
  });

  it('folds only on what a majority has, and lets the server give up a read that nobody waits for', async () => {
    const asked: object[] = [];
    const cursor = { id: BSON.Long.ZERO, ns: 'views.things_v1', firstBatch: [] };
    const port = await fakeServer({ hello: { logicalSessionTimeoutMinutes: 30 }, find: { ok: 1, cursor } }, asked);
    const models = openMongoReadModels({ url: `mongodb://127.0.0.1:${port}`, timeouts: quick });
    const view = { name: 'things', version: 1, indexes: [] };
    const finds = async (action: () => Promise<unknown>): Promise<readonly unknown[]> => {
      asked.length = 0;
      await action().catch(() => undefined);
      return asked.filter((command) => 'find' in command);
    };
    const maxTimeMS = quick.reading;
    const majority = { maxTimeMS, readConcern: { level: 'majority' } };
    const place = { logId: 'log', position: '1', eventId: 'event', storages: {} };
    const write = { view, id: 'one', document: {}, position: '1', loaded: null };
    const commit = { writes: [write], checkpoint: { name: 'own', previous: null, next: place } };
    expect(await finds(() => models.load(view, ['one']))).toMatchObject([majority]);
    // The checkpoint, what was not written after all, and the checkpoint again.
    const ofCommit = await finds(() => models.commit(commit));
    expect(ofCommit).not.toEqual([]);
    for (const find of ofCommit) expect(find).toMatchObject({ readConcern: majority.readConcern });
    // Queries show what the primary has.
    for (const query of [
      () => models.get(view, 'one'),
      () => models.getMany(view, ['one']),
      () => models.find(view, { limit: 1 }),
      () => models.checkpoint('own'),
      () => models.readRecord('own'),
    ])
      expect(await finds(query)).toMatchObject([{ maxTimeMS, readConcern: { level: 'local' } }]);
    await models.close();
  });

  it('tells neither values nor credentials when the server refuses', async () => {
    const port = await fakeServer({ find: failure(13, 'Unauthorized') });
    const models = openMongoReadModels({ url: `mongodb://127.0.0.1:${port}`, timeouts: quick });
    const error: unknown = await models.checkpoint('x').catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'ReadModelsUnavailableError',
      message: 'MongoServerError 13 Unauthorized: no repeat mends this, MongoDB refuses the user or what it is to do',
    });
    expect((error as Error).cause).toBeUndefined();
    await models.close();
  });
});
