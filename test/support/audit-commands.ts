/** Random commands, done over HTTP, and a list of what was done. */
import fc from 'fast-check';
import type { Done } from './audit-model.js';
import type { AuditedService } from './audited-service.js';

const people = 5;
const slots = 4;

export const command = fc.record({
  what: fc.constantFrom('upsert', 'upsert', 'status', 'status', 'add', 'add', 'remove', 'list', 'list', 'tag', 'drop'),
  person: fc.nat(people - 1),
  list: fc.nat(slots - 1),
  tags: fc.uniqueArray(fc.nat(slots - 1), { minLength: 1, maxLength: 3 }),
  subscribed: fc.boolean(),
  consent: fc.constantFrom(undefined, undefined, 'form', 'phone'),
  kind: fc.constantFrom('list', 'tag'),
  number: fc.nat(2),
  /** Often none: several commands in one millisecond. */
  later: fc.constantFrom(0, 0, 1, 2, 1_000),
});
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

/** Names of one run are no other's. */
export const emailsOf = (run: string): readonly string[] =>
  Array.from({ length: people }, (_, person) => `Person.${person}.${run}@example.com`);

type Entry = Done extends infer One ? (One extends Done ? Omit<One, 'at' | 'request'> : never) : never;

interface Scene {
  readonly service: AuditedService;
  readonly run: string;
  /** Ids of living lists, and the living tags, by slot. */
  readonly lists: Map<number, string>;
  readonly tags: Map<number, { readonly id: string; readonly name: string }>;
}

interface Turn extends Scene {
  readonly given: Command;
  readonly email: string;
  /** The list of the slot, or one that there is not. */
  readonly list: string;
  readonly status: string;
  /** Names that the tags of these slots have, or will have. */
  readonly names: ReadonlyMap<number, string>;
  /** What a 200 answered; undefined for any other answer. */
  ask(path: string, body: object): Promise<unknown>;
}

/** Does them one after the other from that time on. */
export async function doAll(
  service: AuditedService,
  commands: readonly Command[],
  { run, start }: { readonly run: string; readonly start: number },
) {
  const journal: Done[] = [];
  const everyList = new Set<string>();
  const scene: Scene = { service, run, lists: new Map(), tags: new Map() };
  let at = start;
  for (const [index, given] of commands.entries()) {
    at += given.later;
    service.setTime(at);
    const request = `${run}.${index}`;
    for (const done of await turns[given.what](turnOf(scene, given, request))) journal.push({ at, request, ...done });
    for (const list of scene.lists.values()) everyList.add(list);
  }
  return { journal, everyList: [...everyList], end: at };
}

function turnOf(scene: Scene, given: Command, request: string): Turn {
  const { service, run, lists, tags } = scene;
  return {
    ...scene,
    given,
    email: emailsOf(run)[given.person] ?? '',
    list: lists.get(given.list) ?? 'lst_none',
    status: given.subscribed ? 'Subscribed' : 'Unsubscribed',
    names: new Map(given.tags.map((slot) => [slot, tags.get(slot)?.name ?? `tag ${slot} of ${request}`])),
    async ask(path, body) {
      const answer = await service.post(path, body, request);
      return answer.status === 200 ? answer.data : undefined;
    },
  };
}

const turns: Record<Command['what'], (turn: Turn) => Promise<readonly Entry[]>> = {
  async upsert(turn) {
    const { email, list, status, names, given } = turn;
    const firstName = `Name ${given.number}`;
    const { consent } = given;
    const body = { email, status, firstName, tag_name: [...names.values()], consent: { source: consent } };
    if ((await turn.ask(`/v1/contacts/${list}/upsertcontact`, body)) === undefined) return [];
    return [{ do: 'profile', email, firstName }, { do: 'status', email, list, status, consent }, ...attached(turn)];
  },
  async status({ ask, email, list, status, given: { consent } }) {
    const body = { contact_email: email, status, consent: { source: consent } };
    const answer = await ask(`/v1/contacts/${list}/updatestatus`, body);
    return answer === undefined ? [] : [{ do: 'status', email, list, status, consent }];
  },
  async add(turn) {
    const { email, list, names } = turn;
    const body = { contact_email: email, tag_name: [...names.values()] };
    return (await turn.ask(`/v1/contacts/tags/${list}/add`, body)) === undefined ? [] : attached(turn);
  },
  async remove({ ask, email, list, names, tags }) {
    const body = { contact_email: email, tag_name: [...names.values()] };
    if ((await ask(`/v1/contacts/tags/${list}/remove`, body)) === undefined) return [];
    return [...names.keys()].flatMap((slot): Entry[] => {
      const tag = tags.get(slot);
      return tag === undefined ? [] : [{ do: 'detach', email, list, tag: tag.id }];
    });
  },
  async list({ ask, run, lists, list, given }) {
    const name = `${run} list ${given.list} ${given.number}`;
    const path = lists.has(given.list) ? `/v1/lists/${list}/update` : '/v1/lists/create';
    const answer = await ask(path, { list_name: name });
    if (answer === undefined) return [];
    const id = String(Reflect.get(Object(answer), 'list_id'));
    lists.set(given.list, id);
    return [{ do: 'name list', id, name }];
  },
  async tag({ ask, service, run, tags, given }) {
    const [slot = 0] = given.tags;
    const tag = tags.get(slot);
    if (tag === undefined) return [];
    const name = `${run} tag ${slot} ${given.number}`;
    const stored = await idOfTag(service, tag.name);
    if ((await ask(`/v1/tags/${stored}/update`, { tag_name: name })) === undefined) return [];
    tags.set(slot, { ...tag, name });
    return [{ do: 'name tag', id: tag.id, name }];
  },
  drop: (turn) => (turn.given.kind === 'list' ? dropList(turn) : dropTag(turn)),
};

/** A tag that there is not comes into being. */
function attached({ email, list, names, tags }: Turn): readonly Entry[] {
  return [...names].flatMap(([slot, name]): Entry[] => {
    const { id } = tags.get(slot) ?? { id: name };
    tags.set(slot, { id, name });
    return [
      { do: 'name tag', id, name },
      { do: 'attach', email, list, tag: id },
    ];
  });
}

async function dropList({ ask, lists, list, given }: Turn): Promise<readonly Entry[]> {
  if ((await ask(`/v1/lists/${list}/delete`, {})) === undefined) return [];
  lists.delete(given.list);
  return [{ do: 'delete list', id: list }];
}

async function dropTag({ ask, service, tags, given }: Turn): Promise<readonly Entry[]> {
  const [slot = 0] = given.tags;
  const tag = tags.get(slot);
  if (tag === undefined || (await ask(`/v1/tags/${await idOfTag(service, tag.name)}/delete`, {})) === undefined)
    return [];
  tags.delete(slot);
  return [{ do: 'delete tag', id: tag.id }];
}

/** A request that names a tag is not told its id: it stands in the log. */
async function idOfTag(service: AuditedService, name: string): Promise<string> {
  for await (const page of service.store.readStream('tags', { direction: 'backwards' }))
    for (const { data } of page) {
      const { tag_id, tag_name } = JSON.parse(data) as { tag_id: string; tag_name: string };
      if (tag_name === name) return tag_id;
    }
  return 'tag_none';
}
