/** The load: clients that send requests at random, and look at what they have just written, until the service is gone. */
import { createClient } from './client.mjs';
import { contact, email, named } from './operations.mjs';
import { nouns } from './world.mjs';

/** Starts the clients; `stopped` resolves when the last of them has its answer, or knows that none will come. */
export function startLoad({ url, key, journal, world, random, options }) {
  const client = createClient({ url, key, journal, sockets: options.clients });
  let over = false;

  async function converse(own) {
    while (!over) {
      const answered = await sendAndLearn(someOperation(own, world, options));
      // A broken connection: the service is going down.
      if (answered.status === 0) return;
      const look = own.chance(0.3) ? readBack(answered, own, world) : undefined;
      if (look !== undefined) await sendAndLearn(look);
    }
  }

  async function sendAndLearn(operation) {
    const entry = await client.send(operation);
    if (entry.status !== 0) world.learn(entry);
    return entry;
  }

  const clients = Array.from({ length: options.clients }, () => converse(random.fork()));
  return {
    async stopped() {
      over = true;
      await Promise.all(clients);
      client.close();
    },
  };
}

function someOperation(random, world, options) {
  const list = () => world.id(random, 'list');
  const address = () => world.address(random);
  const make = random.weighted([
    [4, () => someCreate(random, world)],
    [4, () => someRename(random, world)],
    [0.8, () => someRemove(random, world)],
    [12, () => contact.create(list(), someContact(random, world.newAddress()))],
    [2, () => contact.create(list(), someContact(random, address()))],
    [20, () => contact.upsert(list(), { ...someContact(random, address()), tagNames: someTags(random, world, 0) })],
    [12, () => contact.status(...world.member(random), someStatus(random))],
    [10, () => contact.tag(...world.member(random), someTags(random, world, 1))],
    [6, () => contact.untag(...world.member(random), someTags(random, world, 1))],
    [options.email ? 4 : 0, () => someEmail(random, world)],
    [2, () => contact.get(address())],
    [1, () => contact.page(list())],
    [world.emails.length > 0 ? 1 : 0, () => email.get(random.pick(world.emails))],
  ]);
  return make();
}

function someCreate(random, world) {
  const noun = nouns.find((one) => world.wants(one) && random.chance(0.8)) ?? random.pick(['group', 'tag']);
  return named.create(noun, world.name(random, noun));
}

function someRename(random, world) {
  const noun = random.pick(nouns);
  return named.rename(noun, world.id(random, noun), world.name(random, noun));
}

function someRemove(random, world) {
  const noun = random.weighted([
    [4, 'group'],
    [4, 'tag'],
    [1, 'list'],
  ]);
  return named.remove(noun, world.id(random, noun));
}

const someStatus = (random) => random.pick(['Subscribed', 'Unsubscribed']);

const cities = ['Paris', 'Łódź', 'São Paulo', '東京', '', null];

function someContact(random, address) {
  const profile = {};
  if (random.chance(0.6)) profile.firstName = `Ada ${random.below(50)}`;
  if (random.chance(0.3)) profile.city = random.pick(cities);
  if (random.chance(0.2)) profile.phone = `+49 30 ${100 + random.below(50)}`;
  if (random.chance(0.1)) profile.dateOfBirth = `19${10 + random.below(80)}-12-10`;
  return { email: address, status: someStatus(random), profile };
}

function someTags(random, world, least) {
  const count = least + random.below(3);
  return Array.from({ length: count }, () => world.name(random, 'tag'));
}

/** Some keys come again, most of them with the same message. */
function someEmail(random, world) {
  const message = (text) => ({
    from_email: random.chance(0.5) ? 'ledger@sender.test' : 'Ledger <ledger@sender.test>',
    to_email: world.address(random),
    subject: `Mail ${text}`,
    mail_template: `<p>Hello ${text}</p>`,
  });
  if (random.chance(0.5)) return email.send(message(world.unique()));
  const number = random.below(400);
  const other = random.chance(0.1) ? 'other' : '';
  const same = {
    from_email: 'ledger@sender.test',
    to_email: `keyed.${number}@example.test`,
    subject: `Keyed ${number}${other}`,
    mail_template: `<h1>Order ${number}</h1>`,
  };
  return email.send(same, `order-${number}`);
}

function readBack({ kind, noun, target, status, data, email: address, location }, random, world) {
  if (status !== 200) return undefined;
  if (kind === 'create') return named.get(noun, data[`${noun}_id`]);
  if (kind === 'rename' || kind === 'delete') return named.get(noun, target);
  if (kind.startsWith('contact.'))
    return random.chance(0.8) ? contact.get(address) : contact.page(data.list_id ?? world.id(random, 'list'));
  if (kind === 'email.send') return email.get(location.split('/').at(-1));
  return undefined;
}
