/** The running service, for commands that do nothing without it. */
import { CommandFailedError } from '../transfer/failures.js';
import type { CommandLine } from './command-line.js';
import type { ServiceClient } from './service-client.js';

/** `why` follows "No service runs on this data folder". @throws CommandFailedError */
export async function demandService(line: CommandLine, why: string): Promise<ServiceClient> {
  const service = await line.service();
  if (service === undefined)
    throw new CommandFailedError(`No service runs on this data folder${why}`, { type: 'no_service' });
  return service;
}
