/** What the page of the log is asked for. Ids and names of events only: they stand in its address. */
const names = ['types', 'actor', 'request', 'stream', 'list'] as const;

export type Filters = { readonly [Name in (typeof names)[number]]?: string };

export const filtersIn = (query: Readonly<Record<string, string>>): Filters =>
  Object.fromEntries(names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));

export const isFiltered = (filters: Filters): boolean => Object.keys(filters).length > 0;

/** As the API takes them. */
export const queryOf = ({ request, list, ...others }: Filters) => ({
  ...others,
  ...(request !== undefined && { request_id: request }),
  ...(list !== undefined && { list_id: list }),
});
