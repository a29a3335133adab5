/** What imports through the running service have in common: a service that may be started again meanwhile, and lists by their name. */
import path from 'node:path';
import { z } from 'zod';
import { nameKey } from '../../events/catalogues.js';
import { CommandFailedError } from '../../failures.js';
import type { CommandLine } from './command-line.js';
import type { ServiceAnswer, ServiceClient } from './service-client.js';
import { demandService, itemsFrom } from './through-service.js';

interface ImportingService {
  readonly found: ServiceClient;
  /** An import that was begun through a service of another name is not continued. */
  readonly name: string;
  /** POSTs lines. @throws CommandFailedError */
  readonly send: (target: string, body: string) => Promise<ServiceAnswer>;
}

/** `why` follows "No service runs on this data folder". @throws CommandFailedError */
export async function importingService(line: CommandLine, why: string): Promise<ImportingService> {
  const find = () => demandService(line, why);
  const found = await find();
  const name = found.isNamed ? found.url : path.resolve(line.place().dataDir);
  let service: Promise<ServiceClient> | undefined = Promise.resolve(found);
  async function send(target: string, body: string): Promise<ServiceAnswer> {
    // Where it has failed it may have been started again, on another port.
    const current = (service ??= find());
    try {
      return await (await current).ask({ method: 'POST', path: target, body });
    } catch (error) {
      if (service === current) service = undefined;
      throw error;
    }
  }
  return { found, name, send };
}

const listSchema = z.object({ list_id: z.string(), list_name: z.string() });

/** @throws CommandFailedError there is no list of this name */
export async function idOfList(list: string, service: ServiceClient): Promise<string> {
  if (list.startsWith('lst_')) return list;
  const lists = await itemsFrom(service, '/v1/lists?limit=200', { item: listSchema });
  const found = lists.find(({ list_name }) => nameKey(list_name) === nameKey(list));
  if (found !== undefined) return found.list_id;
  throw new CommandFailedError(`There is no list ${list}.`, { type: 'unknown_list' });
}
