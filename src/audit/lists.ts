/** All lists that there are and were, with their names through time. */
import type { Basis } from './answers.js';
import { openAuditContext, withSeal, type AuditSources } from './basis.js';
import { deletionOf, type NameVersions } from './names.js';

export interface ListOverview {
  readonly list_id: string;
  /** Of a deleted list: its last name. */
  readonly list_name: string;
  readonly created_at: string;
  /** Null while it exists. */
  readonly deleted_at: string | null;
  /** Earlier names, and when each of them ended. */
  readonly earlier_names: readonly { readonly list_name: string; readonly until: string }[];
}

/** In the order of their creation. */
export type Lists = Basis & { readonly lists: readonly ListOverview[] };

export async function everyList(sources: AuditSources): Promise<Lists> {
  const { moment, basis } = await openAuditContext(sources, { times: [] });
  const lists = [...moment.lists()];
  return {
    ...(await withSeal(sources, basis, lists)),
    lists: lists.flatMap(([id, versions]) => lifeOf(id, versions)),
  };
}

function lifeOf(list_id: string, versions: NameVersions): readonly ListOverview[] {
  const [first] = versions;
  const last = versions.at(-1);
  if (first === undefined || last === undefined) return [];
  const earlier_names = versions.flatMap(({ name }, index) => {
    const next = versions[index + 1];
    return next === undefined || next.name === name ? [] : [{ list_name: name, until: next.at }];
  });
  const deleted_at = deletionOf(versions)?.at ?? null;
  return [{ list_id, list_name: last.name, created_at: first.at, deleted_at, earlier_names }];
}
