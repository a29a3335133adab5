/** A list as it was at a time, read line by line: the page counts while it comes, and can stop it. */
import { ConnectionError, type AudienceClient, type components } from '../../../client/client.js';
import { answerTo, linesOf, piecesOf } from '../../lines.js';

type Schemas = components['schemas'];
export type Member = Schemas['MemberLine'];

export interface ListThen {
  readonly list: Schemas['ListLine'];
  /** In the order in which they entered the list. */
  readonly members: readonly Member[];
  /** Events that could not be read, and may be about the list. */
  readonly unreadable: number;
}

export interface ReadOptions {
  readonly id: string;
  /** ISO 8601 */
  readonly time: string;
  readonly signal: AbortSignal;
  /** Called with the number of members so far. */
  readonly onProgress: (members: number) => void;
}

/** @throws AudienceError if the API refuses, ConnectionError if the answer breaks off */
export async function readListAt(client: AudienceClient, options: ReadOptions): Promise<ListThen> {
  const { id, time, signal, onProgress } = options;
  const members: Member[] = [];
  let list: Schemas['ListLine'] | undefined;
  let end: Schemas['EndLine'] | undefined;
  const request = client.http.GET('/v1/audit/lists/{list_id}/at', {
    params: { path: { list_id: id }, query: { time } },
    parseAs: 'stream',
    signal,
  });
  const answer = await answerTo(request, signal);
  for await (const line of linesOf<Schemas['ListAtLine']>(piecesOf(answer), signal)) {
    if (line.line === 'list') list = line;
    else if (line.line === 'end') end = line;
    else if (line.line === 'member') {
      members.push(line);
      if (members.length % 500 === 0) onProgress(members.length);
    }
  }
  if (list === undefined || end === undefined) throw new ConnectionError('the answer broke off');
  return { list, members, unreadable: end.unreadable ?? 0 };
}
