/** The endpoints of groups, lists and tags: the same in three vocabularies. */
import { z } from 'zod';
import { name } from '../schemas/fields.js';
import { paging } from '../schemas/query.js';
import { deletedGroup, deletedList, deletedTag, group, list, pageOf, tag } from '../schemas/answers.js';
import { ownRead, read, remove, write } from './endpoint.js';

const kinds = {
  group: { title: 'Group', example: 'Customers', unknown: 'unknown_group', duplicate: 'duplicate_group_name' },
  list: { title: 'List', example: 'Newsletter', unknown: 'unknown_list', duplicate: 'duplicate_list_name' },
  tag: { title: 'Tag', example: 'Gold', unknown: 'unknown_tag', duplicate: 'duplicate_tag_name' },
} as const;

const answers = { group: [group, deletedGroup], list: [list, deletedList], tag: [tag, deletedTag] } as const;

export type Kind = keyof typeof kinds;

export function catalogueEndpoints<const K extends Kind>(kind: K) {
  const { title, example, unknown, duplicate } = kinds[kind];
  const [item, deleted] = answers[kind];
  const body = z.object({ [`${kind}_name`]: name(example) });
  return {
    create: write(`create${title}`, `/v1/${kind}s/create`, {
      scope: `${kind}s:write`,
      summary: `Create a ${kind}`,
      replays: true,
      body,
      message: `${title} created successfully!`,
      answer: { data: item },
      errors: [duplicate],
    }),
    update: write(`update${title}`, `/v1/${kind}s/{${kind}_id}/update`, {
      scope: `${kind}s:write`,
      summary: `Rename a ${kind}`,
      body,
      serverFault: 'internal_update',
      message: `${title} updated successfully!`,
      answer: { data: item },
      errors: [unknown, duplicate],
    }),
    remove: remove(`delete${title}`, `/v1/${kind}s/{${kind}_id}/delete`, {
      scope: `${kind}s:write`,
      summary: `Delete a ${kind}`,
      unauthorized: 'empty',
      message: `${title} deleted successfully!`,
      answer: { data: deleted },
      errors: [unknown],
    }),
    // The original API has a GET of a list and of a tag, and none of a group.
    get: (kind === 'group' ? ownRead : read)(`get${title}`, `/v1/${kind}s/{${kind}_id}`, {
      scope: `${kind}s:read`,
      summary: `Retrieve a ${kind}`,
      answer: { data: item },
      errors: [unknown],
    }),
    page: ownRead(`list${title}s`, `/v1/${kind}s`, {
      scope: `${kind}s:read`,
      summary: `List the ${kind}s`,
      query: z.object(paging),
      answer: pageOf(item),
    }),
  };
}

export type CatalogueEndpoints = ReturnType<typeof catalogueEndpoints<Kind>>;
