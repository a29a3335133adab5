/** What the clients know and name: ids that were answered, names and addresses that collide often enough to be refused. */

export const nouns = ['group', 'list', 'tag'];
/** About how many of a kind are kept alive. */
const wanted = { group: 60, list: 10, tag: 40 };
const hotAddresses = 20;
/** How many of the last contacts that were written to are known with their list. */
const rememberedMembers = 500;

export function createWorld() {
  const ids = { group: [], list: [], tag: [] };
  const emails = [];
  const members = [];
  let addresses = 40;
  let unique = 0;
  let saved = 0;

  const spelled = (random, text) => (random.chance(0.2) ? text.toUpperCase() : text);

  return {
    emails,
    id: (random, noun) => (ids[noun].length === 0 ? `${noun.slice(0, 3)}_unknown` : random.pick(ids[noun])),
    wants: (noun) => ids[noun].length < wanted[noun],
    name(random, noun) {
      const text = `${noun} ${random.below(wanted[noun] * 3)}`;
      const inner = random.chance(0.1) ? text.replace(' ', '   ') : text;
      return spelled(random, random.chance(0.1) ? ` ${inner} ` : inner);
    },
    /** A few addresses are written to all the time, the others now and then. */
    address(random) {
      const number = random.chance(0.2) ? random.below(hotAddresses) : random.below(addresses);
      return spelled(random, `contact.${number}@example.test`);
    },
    /** A list and an address in it, most of the time. */
    member(random) {
      if (members.length > 0 && random.chance(0.8)) return random.pick(members);
      return [this.id(random, 'list'), this.address(random)];
    },
    newAddress: () => `contact.${addresses++}@example.test`,
    unique: () => `${(unique += 1)}`,
    /** Learns from an answer which ids there are. */
    learn({ kind, noun, target, list, email, status, data, type, location }) {
      if (kind === 'create' && status === 200) ids[noun].push(data[`${noun}_id`]);
      if ((kind === 'delete' && status === 200) || (noun !== undefined && type === 'unknown_id'))
        ids[noun] = ids[noun].filter((id) => id !== target);
      if (kind.startsWith('contact.') && status === 200) members[saved++ % rememberedMembers] = [list, email];
      if (kind === 'email.send' && status === 200) emails.push(location.split('/').at(-1));
    },
  };
}
