/** Log destinations that fail: a full disk, and a pipe whose reader has gone. One that nobody reads is in output.test.ts. */
import { constants, existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { unique } from '../support/answers.js';
import { opened, pipe, requests } from './log-destinations.js';
import { startService, type Service, type ServiceOptions } from '../support/service.js';

let service: Service | undefined;
afterEach(() => service?.close());
const started = async (options: ServiceOptions): Promise<Service> => (service = await startService(options));
const newGroup = (on: Service): Promise<string> =>
  on.make('/v1/groups/create', { group_name: unique('Group') }, 'group_id');
const ended = { code: 0, signal: null };

describe('a log destination that takes nothing stops neither the service nor its end', () => {
  test('a full disk', async ({ skip }) => {
    skip(!existsSync('/dev/full'), 'needs /dev/full');
    const service = await started({ stdout: opened('/dev/full', constants.O_WRONLY) });
    await requests(service, 100);
    await newGroup(service);
    expect(await service.kill('SIGTERM')).toMatchObject(ended);
    await service.start();
  });

  test('a pipe whose reader has gone', async () => {
    const { writer, closeReader } = pipe();
    const service = await started({ stdout: writer });
    closeReader();
    await requests(service, 100);
    await newGroup(service);
    expect(await service.kill('SIGTERM')).toMatchObject(ended);
  });
});
