/** The routers of groups, lists and tags: the same endpoints in three vocabularies. */
import { Router } from 'express';
import type { Catalogue } from '../commands/audience.js';
import { ServiceError, type ErrorCode } from '../errors.js';
import type { PageAnswer, PageRequest } from '../projections/queries.js';
import type { Call, Calls, Endpoint } from './call.js';
import { parseNothing, type Parser } from './input.js';
import { pageOf, pageRequest, type Reads } from './reads.js';
import { mount } from './routes.js';

/** One kind in its own words. */
export interface CatalogueRouter<Document> {
  readonly kind: 'group' | 'list' | 'tag';
  readonly catalogue: Catalogue;
  readonly parse: Parser<Readonly<Record<string, string>>>;
  readonly unknown: ErrorCode;
  readonly reads: Reads;
  readonly get: (id: string) => Promise<Document | undefined>;
  readonly page: (page: PageRequest) => Promise<PageAnswer<Document>>;
  /** What a GET shows of a document. */
  readonly show: (document: Document) => Readonly<Record<string, string>>;
}

export function catalogueRouter<Document>(options: CatalogueRouter<Document>, calls: Calls): Router {
  const { kind, catalogue, parse, reads } = options;
  const title = kind === 'group' ? 'Group' : kind === 'list' ? 'List' : 'Tag';
  const idField = `${kind}_id`;
  const nameField = `${kind}_name`;
  const view = `${kind}s`;
  const base = `/v1/${view}`;
  const fields = { flat: [nameField], nested: [] };
  const router = Router();
  const idOf = (call: Call<unknown>): string => call.parameter(idField);
  const nameOf = (call: Call<Readonly<Record<string, string>>>): string => call.input[nameField] ?? '';

  const create: Endpoint<Readonly<Record<string, string>>> = {
    route: `${base}/create`,
    parse,
    fields,
    async handle(call) {
      const { id, name, position } = await catalogue.create(nameOf(call), call.context);
      return {
        message: `${title} created successfully!`,
        data: { [idField]: id, [nameField]: name },
        headers: ['X-Position', position],
      };
    },
  };

  const update: Endpoint<Readonly<Record<string, string>>> = {
    route: `${base}/{${idField}}/update`,
    parse,
    fields,
    serverFault: 'internal_update',
    async handle(call) {
      const entry = { id: idOf(call), name: nameOf(call) };
      const { id, name, position } = await catalogue.rename(entry, call.context);
      return {
        message: `${title} updated successfully!`,
        data: { [idField]: id, [nameField]: name },
        headers: ['X-Position', position],
      };
    },
  };

  const remove: Endpoint<undefined> = {
    route: `${base}/{${idField}}/delete`,
    parse: parseNothing,
    unauthorized: 'empty',
    async handle(call) {
      const id = idOf(call);
      const { position } = await catalogue.remove(id, call.context);
      return { message: `${title} deleted successfully!`, data: { [idField]: id }, headers: ['X-Position', position] };
    },
  };

  const read: Endpoint<undefined> = {
    route: `${base}/{${idField}}`,
    parse: parseNothing,
    // Lists and tags are documented; a group's GET is ours.
    isOurs: kind === 'group',
    async handle(call) {
      const id = idOf(call);
      await reads.visible(call, { touched: [`${view}/${id}`], parked: [{ view, stream: view }] });
      const document = await options.get(id);
      if (document === undefined) throw new ServiceError(options.unknown);
      return { data: options.show(document) };
    },
  };

  const list: Endpoint<undefined> = {
    route: base,
    parse: parseNothing,
    isOurs: true,
    async handle(call) {
      const request = pageRequest(call.request, [view]);
      await reads.visible(call, { touched: [view], parked: [{ view, stream: view }] });
      return pageOf(await options.page(request), { show: options.show, isIncomplete: false, scope: [view] });
    },
  };

  mount(router, { path: '/create', methods: ['post'] }, { calls, endpoint: create });
  mount(router, { path: `/:${idField}/update`, methods: ['post'] }, { calls, endpoint: update });
  mount(router, { path: `/:${idField}/delete`, methods: ['post', 'delete'] }, { calls, endpoint: remove });
  mount(router, { path: `/:${idField}`, methods: ['get'] }, { calls, endpoint: read });
  mount(router, { path: '/', methods: ['get'] }, { calls, endpoint: list });
  return router;
}
