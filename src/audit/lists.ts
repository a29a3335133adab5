/** All lists that there ever were, deleted ones too. */
import type { Basis } from './answers.js';
import { begin, type AuditSources } from './basis.js';
import { deletionOf, type NameVersions } from './names.js';

export interface ListLife {
  readonly list_id: string;
  /** Of a deleted one the last. */
  readonly list_name: string;
  readonly created_at: string;
  /** Null while it exists. */
  readonly deleted_at: string | null;
  /** Earlier ones, and since when the list was no longer called so. */
  readonly earlier_names: readonly { readonly list_name: string; readonly until: string }[];
}

/** In the order of their creation. */
export type Lists = Basis & { readonly lists: readonly ListLife[] };

export async function listsOf(sources: AuditSources): Promise<Lists> {
  const { moment, basis } = await begin(sources, { times: [] });
  return { ...basis, lists: [...moment.lists()].flatMap(([id, versions]) => lifeOf(id, versions)) };
}

function lifeOf(list_id: string, versions: NameVersions): readonly ListLife[] {
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
