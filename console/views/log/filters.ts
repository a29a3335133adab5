/** What the page of the log is asked for. Ids and names of events only: they stand in its address. */
export interface Filters {
  readonly types?: string;
  readonly actor?: string;
  readonly request?: string;
  readonly list?: string;
}

/** As the API takes them. */
export const queryOf = ({ types, actor, request, list }: Filters) => ({
  ...(types !== undefined && { types }),
  ...(actor !== undefined && { actor }),
  ...(request !== undefined && { request_id: request }),
  ...(list !== undefined && { list_id: list }),
});
