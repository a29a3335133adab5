/** The endpoints of groups, lists and tags: the same for all three, with other words. */
import { z } from 'zod';
import { groupId, groupName, listId, listName, object, tag, tagId } from '../../../events/values.js';
import { ownRead, read, remove, write, type Resource } from '../../http/endpoint.js';
import { name } from '../../schemas/fields.js';
import { idInPath, pageSchema, paging } from '../../schemas/parameters.js';

const group = object('Group', { group_id: groupId, group_name: groupName });
const list = object('ContactList', { list_id: listId, list_name: listName });

const about = {
  group: {
    title: 'Group',
    description: 'A name is unique among the groups.',
    example: 'Customers',
    item: group,
    id: groupId,
    prefix: 'grp',
  },
  list: {
    title: 'List',
    description: 'Contacts subscribe to lists.',
    example: 'Newsletter',
    item: list,
    id: listId,
    prefix: 'lst',
  },
  tag: {
    title: 'Tag',
    description: 'Tags mark contacts in a list.',
    example: 'Gold',
    item: tag,
    id: tagId,
    prefix: 'tag',
  },
} as const;

export type CatalogueKind = keyof typeof about;

export function catalogueEndpoints<const K extends CatalogueKind>(kind: K) {
  const { title, example, item, id } = about[kind];
  const body = z.object({ [`${kind}_name`]: name(example) });
  return {
    create: write(`create${title}`, `/v1/${kind}s/create`, {
      scope: `${kind}s:write`,
      summary: `Create a ${kind}`,
      replays: true,
      body,
      message: `${title} created successfully!`,
      answer: { data: item, position: true },
      errors: [`duplicate_${kind}_name`],
    }),
    update: write(`update${title}`, `/v1/${kind}s/{${kind}_id}/update`, {
      scope: `${kind}s:write`,
      summary: `Rename a ${kind}`,
      body,
      serverFault: 'internal_update',
      message: `${title} updated successfully!`,
      answer: { data: item, position: true },
      errors: [`unknown_${kind}`, `duplicate_${kind}_name`],
    }),
    remove: remove(`delete${title}`, `/v1/${kind}s/{${kind}_id}/delete`, {
      scope: `${kind}s:write`,
      summary: `Delete a ${kind}`,
      unauthorized: 'empty',
      message: `${title} deleted successfully!`,
      answer: { data: object(`Deleted${title}`, { [`${kind}_id`]: id }), position: true },
      errors: [`unknown_${kind}`],
    }),
    // The original API has a GET of a list and of a tag, and none of a group.
    get: (kind === 'group' ? ownRead : read)(`get${title}`, `/v1/${kind}s/{${kind}_id}`, {
      scope: `${kind}s:read`,
      summary: `Retrieve a ${kind}`,
      answer: { data: item },
      errors: [`unknown_${kind}`],
    }),
    page: ownRead(`list${title}s`, `/v1/${kind}s`, {
      scope: `${kind}s:read`,
      summary: `List the ${kind}s`,
      query: z.object(paging),
      answer: pageSchema(item),
    }),
  };
}

export function catalogue(kind: CatalogueKind): Resource {
  const { title, description, prefix } = about[kind];
  const parameters = { [`${kind}_id`]: idInPath(prefix, kind) };
  return { name: `${title}s`, description, parameters, endpoints: catalogueEndpoints(kind) };
}
