/** The first lists, tags and groups, so that the load of the first round finds something to write to. */
import { createClient } from './client.mjs';
import { named } from './operations.mjs';

const first = { list: 8, tag: 10, group: 10 };

export async function furnish({ url, key, journal, world }) {
  const client = createClient({ url, key, journal, sockets: 8 });
  for (const [noun, count] of Object.entries(first))
    for (let number = 0; number < count; number += 1) {
      const entry = await client.send(named.create(noun, `${noun} ${number}`));
      if (entry.status !== 200) throw new Error(`${noun} ${number} was answered ${entry.status}: ${entry.message}`);
      world.learn(entry);
    }
  client.close();
}
