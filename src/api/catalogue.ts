/** The routes of groups, lists and tags: the same endpoints in three vocabularies. */
import type { Catalogue, Named } from '../commands/audience.js';
import { ServiceError, type ErrorCode } from '../errors.js';
import type { PageAnswer, PageRequest } from '../projections/queries.js';
import type { Call } from './endpoint-runner.js';
import type { Answer } from './envelope.js';
import { parseNothing, type Parser } from './input.js';
import { pageOf, pageParameters, pageRequest, type Reads } from './reads.js';
import type { Routes } from './routes.js';

export interface CatalogueRoutes<Document> {
  readonly kind: 'group' | 'list' | 'tag';
  readonly catalogue: Catalogue;
  readonly parse: Parser<Readonly<Record<string, string>>>;
  readonly unknown: ErrorCode;
  readonly reads: Reads;
  readonly get: (id: string) => Promise<Document | undefined>;
  readonly page: (page: PageRequest) => Promise<PageAnswer<Document>>;
  readonly show: (document: Document) => Readonly<Record<string, string>>;
}

export function catalogueRoutes<Document>(routes: Routes, options: CatalogueRoutes<Document>): void {
  const { kind, catalogue, parse, reads } = options;
  const title = kind === 'group' ? 'Group' : kind === 'list' ? 'List' : 'Tag';
  const idField = `${kind}_id`;
  const nameField = `${kind}_name`;
  const view = `${kind}s`;
  const fields = { flat: [nameField], nested: [] };
  const base = `/v1/${view}`;
  const idOf = (call: Call<unknown>): string => call.parameter(idField);
  const nameOf = (call: Call<Readonly<Record<string, string>>>): string => call.input[nameField] ?? '';

  const saved = (done: string, { id, name, position }: Named): Answer => ({
    message: `${title} ${done} successfully!`,
    data: { [idField]: id, [nameField]: name },
    headers: ['X-Position', position],
  });

  routes.post(`${base}/create`, {
    parse,
    fields,
    handle: async (call) => saved('created', await catalogue.create(nameOf(call), call.context)),
  });

  routes.post(`${base}/:${idField}/update`, {
    parse,
    fields,
    serverFault: 'internal_update',
    handle: async (call) =>
      saved('updated', await catalogue.rename({ id: idOf(call), name: nameOf(call) }, call.context)),
  });

  routes.postOrDelete(`${base}/:${idField}/delete`, {
    parse: parseNothing,
    unauthorized: 'empty',
    async handle(call) {
      const id = idOf(call);
      const { position } = await catalogue.remove(id, call.context);
      return { message: `${title} deleted successfully!`, data: { [idField]: id }, headers: ['X-Position', position] };
    },
  });

  routes.get(`${base}/:${idField}`, {
    // The original API has a GET of a list and of a tag, and none of a group.
    ...(kind === 'group' ? { isBeyondContract: true, query: [] } : {}),
    async handle(call) {
      const id = idOf(call);
      await reads.visible(call, { touched: [`${view}/${id}`], parked: [{ view, stream: view }] });
      const document = await options.get(id);
      if (document === undefined) throw new ServiceError(options.unknown);
      return { data: options.show(document) };
    },
  });

  routes.get(base, {
    isBeyondContract: true,
    query: pageParameters,
    async handle(call) {
      const request = pageRequest(call.request, [view]);
      await reads.visible(call, { touched: [view], parked: [{ view, stream: view }] });
      return pageOf(await options.page(request), { show: options.show, isIncomplete: false, scope: [view] });
    },
  });
}
