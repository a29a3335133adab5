/** What the endpoints of groups, lists and tags do: the same for all three, with other words. */
import type { Audience } from '../../../commands/audience.js';
import type { NamedWriteResult } from '../../../commands/catalogue-requests.js';
import { ServiceError } from '../../../errors.js';
import type { PageAnswer, PageRequest, Queries } from '../../../projections/queries.js';
import { touchedDocument } from '../../../projector/touched.js';
import type { Call } from '../../http/endpoint-runner.js';
import type { Answer } from '../../http/envelope.js';
import { answerOfPage, pageRequest, type Reads } from '../../http/reads.js';
import { writtenHeaders } from '../../http/request-headers.js';
import type { Routes } from '../../http/routes.js';
import { catalogueEndpoints, type CatalogueKind } from './endpoints.js';

type Document = Readonly<Record<string, string>>;

interface Documents {
  get(id: string): Promise<Document | undefined>;
  page(page: PageRequest): Promise<PageAnswer<Document>>;
}

export interface CatalogueParts {
  readonly audience: Pick<Audience, `${CatalogueKind}s`>;
  readonly queries: Pick<Queries, `${CatalogueKind}s`>;
  readonly reads: Reads;
}

type PartsOfKind = CatalogueParts & { readonly kind: CatalogueKind };

export function catalogueRoutes(routes: Routes, { kind, audience, queries, reads }: PartsOfKind): void {
  const endpoints = catalogueEndpoints<CatalogueKind>(kind);
  const idField = `${kind}_id` as const;
  const nameField = `${kind}_name` as const;
  const view = `${kind}s` as const;
  const catalogue = audience[view];
  const documents: Documents = queries[view];
  const idOf = (call: Pick<Call<unknown, unknown, typeof idField>, 'parameter'>): string => call.parameter(idField);
  const nameOf = ({ input }: { readonly input: Readonly<Record<string, string>> }): string => input[nameField] ?? '';

  const show = (document: Document) => ({ [idField]: document[idField], [nameField]: document[nameField] });

  const saved = ({ id, name, position }: NamedWriteResult): Answer => ({
    data: { [idField]: id, [nameField]: name },
    headers: ['X-Position', position],
  });

  routes.on(endpoints.create, async (call) => {
    const created = await catalogue.create(nameOf(call), call.context, call.idempotencyKey);
    return { ...saved(created), headers: writtenHeaders(created) };
  });

  routes.on(endpoints.update, async (call) =>
    saved(await catalogue.rename({ id: idOf(call), name: nameOf(call) }, call.context)),
  );

  routes.on(endpoints.remove, async (call) => {
    const id = idOf(call);
    const { position } = await catalogue.remove(id, call.context);
    return { data: { [idField]: id }, headers: ['X-Position', position] };
  });

  routes.on(endpoints.get, async (call) => {
    const id = idOf(call);
    await reads.visible(call, { touched: [touchedDocument(view, id)], parked: [{ view, stream: view }] });
    const document = await documents.get(id);
    if (document === undefined) throw new ServiceError(`unknown_${kind}`);
    return { data: show(document) };
  });

  routes.on(endpoints.page, async (call) => {
    const request = pageRequest(call.query, [view]);
    await reads.visible(call, { touched: [view], parked: [{ view, stream: view }] });
    return answerOfPage(await documents.page(request), { show, scope: [view] });
  });
}
