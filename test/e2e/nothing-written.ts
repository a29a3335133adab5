/** For tests of what is refused: none of them writes an event, stops the service or makes it begin anew. */
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Service } from '../support/service.js';

/** To be called after the hook that starts the service. */
export function expectNothingWritten(serviceOf: () => Service): void {
  let events: number;
  let pid: number;
  beforeAll(() => {
    pid = serviceOf().pid();
  });
  beforeEach(async () => {
    events = await serviceOf().countEvents();
  });
  afterEach(async () => {
    const service = serviceOf();
    expect(await service.countEvents()).toBe(events);
    expect((await service.get('/health/live')).status).toBe(200);
    expect(service.pid()).toBe(pid);
  });
}
