/** Groups, lists and tags. The endpoints are the same for all three, under other names. */
import { z } from 'zod';
import type { NamedWriteResult } from '../../commands/catalogue-requests.js';
import { ServiceError } from '../../errors.js';
import { groupId, groupName, listId, listName, object, tag, tagId } from '../../events/values.js';
import type { PageAnswer, PageRequest } from '../../projections/queries.js';
import type { Call } from '../http/call.js';
import type { Resource } from '../http/endpoint.js';
import type { Answer } from '../http/envelope.js';
import { answerOfPage, pageRequest } from '../http/paging.js';
import { writtenHeaders } from '../http/request-headers.js';
import { name } from '../schemas/fields.js';
import { idInPath, pageSchema, paging } from '../schemas/parameters.js';
import { lenientRead, lenientRemove, lenientWrite, read, type Parts } from './parts.js';

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

type CatalogueKind = keyof typeof about;

type Document = Readonly<Record<string, string>>;

interface Documents {
  get(id: string): Promise<Document | undefined>;
  page(page: PageRequest): Promise<PageAnswer<Document>>;
}

export function catalogueResource(kind: CatalogueKind): Resource<Parts> {
  const { title, description, example, item, id, prefix } = about[kind];
  const idField = `${kind}_id` as const;
  const nameField = `${kind}_name` as const;
  const view = `${kind}s` as const;
  const idOf = (call: Pick<Call<unknown, unknown, typeof idField>, 'parameter'>): string => call.parameter(idField);
  const nameOf = ({ input }: { readonly input: Readonly<Record<string, string>> }): string => input[nameField] ?? '';
  const documentsOf = (queries: Parts['queries']): Documents => queries[view];
  const show = (document: Document) => ({ [idField]: document[idField], [nameField]: document[nameField] });
  const saved = ({ id: savedId, name: savedName, position }: NamedWriteResult): Answer => ({
    data: { [idField]: savedId, [nameField]: savedName },
    headers: ['X-Position', position],
  });
  const body = z.object({ [nameField]: name(example) });
  const endpoints = {
    create: lenientWrite(`create${title}`, `/v1/${kind}s/create`, {
      scope: `${kind}s:write`,
      summary: `Create a ${kind}`,
      takesIdempotencyKey: true,
      body,
      message: `${title} created successfully!`,
      answer: { data: item, position: true },
      errors: [`duplicate_${kind}_name`],
      handle: async (call, { audience }) => {
        const created = await audience[view].create(nameOf(call), call.context, call.idempotencyKey);
        return { ...saved(created), headers: writtenHeaders(created) };
      },
    }),
    update: lenientWrite(`update${title}`, `/v1/${kind}s/{${kind}_id}/update`, {
      scope: `${kind}s:write`,
      summary: `Rename a ${kind}`,
      body,
      serverFault: 'internal_update',
      message: `${title} updated successfully!`,
      answer: { data: item, position: true },
      errors: [`unknown_${kind}`, `duplicate_${kind}_name`],
      handle: async (call, { audience }) =>
        saved(await audience[view].rename({ id: idOf(call), name: nameOf(call) }, call.context)),
    }),
    remove: lenientRemove(`delete${title}`, `/v1/${kind}s/{${kind}_id}/delete`, {
      scope: `${kind}s:write`,
      summary: `Delete a ${kind}`,
      dataOf401: 'empty',
      message: `${title} deleted successfully!`,
      answer: { data: object(`Deleted${title}`, { [`${kind}_id`]: id }), position: true },
      errors: [`unknown_${kind}`],
      handle: async (call, { audience }) => {
        const id = idOf(call);
        const { position } = await audience[view].remove(id, call.context);
        return { data: { [idField]: id }, headers: ['X-Position', position] };
      },
    }),
    // The original API has a GET of a list and of a tag, and none of a group.
    get: (kind === 'group' ? read : lenientRead)(`get${title}`, `/v1/${kind}s/{${kind}_id}`, {
      scope: `${kind}s:read`,
      summary: `Retrieve a ${kind}`,
      answer: { data: item },
      errors: [`unknown_${kind}`],
      handle: async (call, { queries }) => {
        const document = await documentsOf(queries).get(idOf(call));
        if (document === undefined) throw new ServiceError(`unknown_${kind}`);
        return { data: show(document) };
      },
    }),
    page: read(`list${title}s`, `/v1/${kind}s`, {
      scope: `${kind}s:read`,
      summary: `List the ${kind}s`,
      query: z.object(paging),
      answer: pageSchema(item),
      handle: async (call, { queries }) => {
        const request = pageRequest(call.query, [view]);
        return answerOfPage(await documentsOf(queries).page(request), { show, scope: [view] });
      },
    }),
  };
  return { name: `${title}s`, description, parameters: { [idField]: idInPath(prefix, kind) }, endpoints };
}
