/** The seventeen documented endpoints as a table: a valid body each, and what the contract says of each field. */
import { someAddress, strangerId, unique } from './answers.js';
import type { Service } from './service.js';

/** Things that exist, for requests that are right in all but one point. */
export interface World {
  readonly group: string;
  readonly list: string;
  readonly tag: string;
  readonly email: string;
}

export async function createWorld(service: Service): Promise<World> {
  const client = service.client();
  const { data: list } = await client.createList({ body: { list_name: unique('List') } });
  const email = someAddress();
  await client.createContact({ path: { list_id: list.list_id }, body: { email, status: 'Subscribed' } });
  const { data: group } = await client.createGroup({ body: { group_name: unique('Group') } });
  const { data: tag } = await client.createTag({ body: { tag_name: unique('Tag') } });
  return { group: group.group_id, list: list.list_id, tag: tag.tag_id, email };
}

type FieldKind = 'name' | 'email' | 'sender' | 'status' | 'names' | 'subject' | 'template' | 'text';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  /** The most characters of a `text`. */
  readonly most?: number;
}

export interface Endpoint {
  readonly number: number;
  readonly method: 'GET' | 'POST' | 'DELETE';
  path(world: World): string;
  /** The path with an id that was never given out; undefined where the path has none. */
  strangerPath?: string;
  unknownMessage?: string;
  body?(world: World): Record<string, unknown>;
  /** In documented order. */
  readonly fields: readonly Field[];
}

const required = (name: string, kind: FieldKind): Field => ({ name, kind, required: true });
const optional = (name: string, most: number): Field => ({ name, kind: 'text', required: false, most });

const profile: readonly Field[] = [
  optional('firstName', 255),
  optional('lastName', 255),
  optional('phone', 32),
  optional('dateOfBirth', 0),
  optional('address', 500),
  optional('city', 255),
  optional('state', 255),
  optional('country', 255),
  optional('zipcode', 32),
];

const numbers = { group: [1, 2, 3], list: [4, 6, 7], tag: [8, 10, 11] } as const;
const prefixes = { group: 'grp', list: 'lst', tag: 'tag' } as const;

function catalogue(noun: 'group' | 'list' | 'tag'): Endpoint[] {
  const [create, update, remove] = numbers[noun];
  const fields = [required(`${noun}_name`, 'name')];
  const body = (): Record<string, unknown> => ({ [`${noun}_name`]: unique('Name') });
  const stranger = `/v1/${noun}s/${strangerId(prefixes[noun])}`;
  const unknownMessage = `Please provide valid ${noun} id!`;
  const at = (world: World): string => `/v1/${noun}s/${world[noun]}`;
  return [
    { number: create, method: 'POST', path: () => `/v1/${noun}s/create`, body, fields },
    {
      number: update,
      method: 'POST',
      path: (world) => `${at(world)}/update`,
      strangerPath: `${stranger}/update`,
      unknownMessage,
      body,
      fields,
    },
    {
      number: remove,
      method: noun === 'group' ? 'POST' : 'DELETE',
      path: (world) => `${at(world)}/delete`,
      strangerPath: `${stranger}/delete`,
      unknownMessage,
      fields: [],
    },
    ...(noun === 'group'
      ? []
      : [
          {
            number: create + 1,
            method: 'GET' as const,
            path: at,
            strangerPath: stranger,
            unknownMessage,
            fields: [],
          },
        ]),
  ];
}

function inList(number: number, operation: string, shape: Pick<Endpoint, 'body' | 'fields'>): Endpoint {
  const [before, after] = operation.includes('/') ? ['tags/', operation.slice(5)] : ['', operation];
  const at = (list: string): string => `/v1/contacts/${before}${list}/${after}`;
  return {
    number,
    method: 'POST',
    path: (world) => at(world.list),
    strangerPath: at(strangerId('lst')),
    unknownMessage: 'Please provide valid list id!',
    ...shape,
  };
}

const saving = {
  body: () => ({ email: someAddress(), status: 'Subscribed' }),
  fields: [required('email', 'email'), required('status', 'status'), ...profile],
};
const tagging = {
  body: (world: World) => ({ tag_name: [unique('Label')], contact_email: world.email }),
  fields: [required('tag_name', 'names'), required('contact_email', 'email')],
};

export const endpoints: readonly Endpoint[] = [
  ...catalogue('group'),
  ...catalogue('list'),
  ...catalogue('tag'),
  inList(12, 'create', saving),
  inList(13, 'upsertcontact', {
    ...saving,
    fields: [...saving.fields, { name: 'tag_name', kind: 'names', required: false }],
  }),
  inList(14, 'updatestatus', {
    body: (world) => ({ status: 'Unsubscribed', contact_email: world.email }),
    fields: [required('status', 'status'), required('contact_email', 'email')],
  }),
  inList(15, 'tags/add', tagging),
  inList(16, 'tags/remove', tagging),
  {
    number: 17,
    method: 'POST',
    path: () => '/v1/email/send',
    body: () => ({
      from_email: 'ledger@example.com',
      to_email: someAddress(),
      subject: 'Hello',
      mail_template: '<p>Hello</p>',
    }),
    fields: [
      required('from_email', 'sender'),
      required('to_email', 'email'),
      required('subject', 'subject'),
      required('mail_template', 'template'),
    ],
  },
];

/** Endpoints that read a body. */
export const writing = endpoints.filter(({ fields }) => fields.length > 0);

export const titleOf = ({ number, method, path }: Endpoint): string =>
  `${number} ${method} ${path({ group: '{id}', list: '{id}', tag: '{id}', email: '' })}`;
