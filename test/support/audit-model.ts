/** What the auditor must know, from nothing but a list of what was done: who was in which list with which tags at a time, and whose doing it was. */

/** Something that was done, and answered with 200. `request` is unique. */
export type Done = { readonly at: number; readonly request: string } & (
  | { readonly do: 'name list'; readonly id: string; readonly name: string }
  | { readonly do: 'name tag'; readonly id: string; readonly name: string }
  | { readonly do: 'delete list'; readonly id: string }
  | { readonly do: 'delete tag'; readonly id: string }
  | { readonly do: 'profile'; readonly email: string; readonly firstName: string }
  | {
      readonly do: 'status';
      readonly email: string;
      readonly list: string;
      readonly status: string;
      readonly consent: string | undefined;
    }
  | { readonly do: 'attach'; readonly email: string; readonly list: string; readonly tag: string }
  | { readonly do: 'detach'; readonly email: string; readonly list: string; readonly tag: string }
);

interface Member {
  readonly status: string;
  /** The request. */
  readonly by: string;
  /** The last that was recorded. */
  readonly consent: { readonly source: string; readonly by: string } | null;
  /** The last since the status became so. */
  readonly agreed: string | undefined;
  readonly tags: Map<string, string>;
}

export interface World {
  readonly lists: Map<string, string>;
  readonly tags: Map<string, string>;
  readonly contacts: Map<
    string,
    { readonly firstName: string | null; readonly by: string; readonly in: Map<string, Member> }
  >;
  /** What a history must tell, in order. */
  readonly told: { readonly email: string; readonly type: string; readonly request: string; readonly at: number }[];
}

const nothing = (): World => ({ lists: new Map(), tags: new Map(), contacts: new Map(), told: [] });

/** The world after all that was done up to a time. */
export function worldAt(journal: readonly Done[], time: number): World {
  const world = nothing();
  for (const done of journal) if (done.at <= time) happen(world, done);
  return world;
}

/** The request that first changed `look`'s view of the world after the time; null where none did. */
export function nextChange(
  journal: readonly Done[],
  time: number,
  look: (world: World) => string | undefined,
): string | null {
  const world = worldAt(journal, time);
  const then = look(world);
  for (const done of journal.filter(({ at }) => at > time)) {
    happen(world, done);
    if (look(world) !== then) return done.request;
  }
  return null;
}

function happen(world: World, done: Done): void {
  switch (done.do) {
    case 'name list':
      return nameList(world, done);
    case 'name tag':
      return nameTag(world, done);
    case 'delete list':
      return deleteList(world, done);
    case 'delete tag':
      return deleteTag(world, done);
    case 'profile':
      return setProfile(world, done);
    case 'status':
      return setStatus(world, done);
    case 'attach':
    case 'detach':
      return setTag(world, done);
  }
}

type Of<What extends Done['do']> = Extract<Done, { do: What }>;

function nameList(world: World, done: Of<'name list'>): void {
  if (isNewName(world.lists, done))
    for (const email of membersOf(world, done.id)) tell(world, done, email, 'ListRenamed');
  world.lists.set(done.id, done.name);
}

function nameTag(world: World, done: Of<'name tag'>): void {
  if (isNewName(world.tags, done))
    for (const email of bearersOf(world, done.id)) tell(world, done, email, 'TagRenamed');
  world.tags.set(done.id, done.name);
}

function deleteList(world: World, done: Of<'delete list'>): void {
  for (const email of membersOf(world, done.id)) tell(world, done, email, 'ListDeleted');
  for (const contact of world.contacts.values()) contact.in.delete(done.id);
  world.lists.delete(done.id);
}

function deleteTag(world: World, done: Of<'delete tag'>): void {
  for (const email of bearersOf(world, done.id)) tell(world, done, email, 'TagDeleted');
  for (const contact of world.contacts.values()) for (const member of contact.in.values()) member.tags.delete(done.id);
  world.tags.delete(done.id);
}

function setProfile(world: World, done: Of<'profile'>): void {
  const { email, firstName, request } = done;
  const contact = world.contacts.get(email);
  if (contact?.firstName === firstName) return;
  tell(world, done, email, contact === undefined ? 'ContactCreated' : 'ContactProfileChanged');
  world.contacts.set(email, { in: new Map(), ...contact, firstName, by: request });
}

function setStatus(world: World, done: Of<'status'>): void {
  const { email, list, status, consent: source, request } = done;
  const contact = world.contacts.get(email);
  const member = contact?.in.get(list);
  if (member?.status === status) return setConsent(world, done, member);
  tell(world, done, email, `Contact${status}`);
  const { tags, consent: before } = member ?? { tags: new Map<string, string>(), consent: null };
  const consent = source === undefined ? before : { source, by: request };
  contact?.in.set(list, { status, by: request, tags, consent, agreed: source });
}

function setConsent(world: World, done: Of<'status'>, member: Member): void {
  const { email, list, consent: source, request } = done;
  if (source === undefined || source === member.agreed) return;
  tell(world, done, email, 'ConsentRecorded');
  const consent = { source, by: request };
  world.contacts.get(email)?.in.set(list, { ...member, consent, agreed: source });
}

function setTag(world: World, done: Of<'attach' | 'detach'>): void {
  const tags = world.contacts.get(done.email)?.in.get(done.list)?.tags;
  if (tags?.has(done.tag) !== (done.do === 'detach')) return;
  tell(world, done, done.email, done.do === 'attach' ? 'TagsAttached' : 'TagsDetached');
  if (done.do === 'attach') tags.set(done.tag, done.request);
  else tags.delete(done.tag);
}

/** Several tags of one request are one event. */
function tell({ told }: World, { at, request }: Done, email: string, type: string): void {
  const last = told.at(-1);
  if (last?.request !== request || last.type !== type || last.email !== email) told.push({ email, type, request, at });
}

const isNewName = (names: ReadonlyMap<string, string>, { id, name }: { id: string; name: string }): boolean =>
  names.has(id) && names.get(id) !== name;

const membersOf = ({ contacts }: World, list: string): string[] =>
  [...contacts].filter(([, contact]) => contact.in.has(list)).map(([email]) => email);

const bearersOf = ({ contacts }: World, tag: string): string[] =>
  [...contacts].filter(([, one]) => [...one.in.values()].some(({ tags }) => tags.has(tag))).map(([email]) => email);
