/** The addresses of the console's pages. They hold ids only: an address is shared, kept in histories, and written to logs on its way. */

/** Where the console begins, with the prefix that a proxy may have: `/console`. */
export const base = new URL('..', import.meta.url).pathname.replace(/\/$/, '');

/** The service's own address; the API begins there. */
export const serviceUrl = new URL('../..', import.meta.url).href.replace(/\/$/, '');

type Query = Readonly<Record<string, string | number | undefined>>;

/** `to('/lists', 'lst_1')` → `/console/lists/lst_1` */
export function to(page: string, id?: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return `${base}${page}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search && `?${search}`}`;
}
