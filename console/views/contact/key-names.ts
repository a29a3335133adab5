/** Names of API keys by their ids, for who may see keys; the log has the ids. */
import { useAnswer } from '../../answers.js';
import { may } from '../../session.js';

export type KeyNames = ReadonlyMap<string, string>;

const none: KeyNames = new Map();

/** Returns the names of all keys, and none to a key that may not see keys. */
export const useKeyNames = (): KeyNames =>
  useAnswer(async (client, signal) => {
    if (!may('keys')) return none;
    const names = new Map<string, string>();
    for await (const { key_id: id, name } of client.all('listApiKeys', { query: { limit: 200 }, signal }))
      names.set(id, name);
    return names;
  }, []).data ?? none;
