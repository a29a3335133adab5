/** Tests readiness and metrics while the log cannot be written. */
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newList, ok } from '../support/answers.js';
import { eventually, startService, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

/** Limits the size of files that the process may write, in bytes. A write beyond it fails as on a disk that refuses it. */
const limitFiles = (pid: number, bytes: number | 'unlimited'): void =>
  void execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);

interface Ready {
  readonly event_store: { readonly writable: boolean };
}

const isWritable = async (service: Service): Promise<boolean> =>
  ((await service.get('/health/ready')).body as { readonly data: Ready }).data.event_store.writable;
const metric = async (service: Service): Promise<string | undefined> =>
  /^audience_log_writable (\d)$/m.exec((await service.get('/metrics')).text)?.[1];

// `prlimit` is part of util-linux.
test.skipIf(onServers || !hasPrlimit)(
  'the service said that its log can be written while it refused every write, and says so again once it can',
  async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    await newList(service);
    limitFiles(service.pid(), statSync(path.join(service.dataDir, 'events.db-wal')).size);
    const name = (at: number) => ({ tag_name: `tag ${at}` });
    for (let at = 0; at < 3; at += 1) expect((await service.post('/v1/tags/create', name(at))).status).toBe(503);
    expect([await isWritable(service), await metric(service)]).toEqual([false, '0']);
    expect((await service.get('/health/ready')).status).toBe(503);
    limitFiles(service.pid(), 'unlimited');
    await eventually(async () => ((await isWritable(service)) ? true : undefined), {
      what: 'a log that can be written',
    });
    expect(await metric(service)).toBe('1');
    await ok(service.post('/v1/tags/create', name(0)));
  },
);
