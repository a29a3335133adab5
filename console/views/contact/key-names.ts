/** Names of API keys by their ids, for who may see keys; the log has the ids. */
import { useAnswer } from '../../answers.js';
import { may } from '../../session.js';

export type KeyNames = ReadonlyMap<string, string>;

const none: KeyNames = new Map();

/** Of the first 200 keys: the others are shown by their ids. */
export const useKeyNames = (): KeyNames =>
  useAnswer(async (client, signal) => {
    if (!may('keys')) return none;
    const { data } = await client.listApiKeys({ query: { limit: 200 }, signal });
    return new Map(data.map(({ key_id: id, name }) => [id, name]));
  }, []).data ?? none;
