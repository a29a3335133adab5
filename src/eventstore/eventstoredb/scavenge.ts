/** Starts a scavenge on each node that the URL names: what streams do not show any more goes from the chunks of that node. */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { StoreUnavailableError } from '../event-store.js';
import type { ServerAddress } from './url.js';

/** Returns the ids of the scavenges, one for each node. @throws StoreUnavailableError a node did not answer, or refused */
export const startScavenges = ({ nodes, credentials }: ServerAddress, timeoutMs: number): Promise<string[]> =>
  Promise.all(nodes.map((node) => startScavenge(new URL(node.replace(/^esdb:/, 'http:')), { credentials, timeoutMs })));

async function startScavenge(
  node: URL,
  { credentials, timeoutMs }: { credentials: ServerAddress['credentials']; timeoutMs: number },
): Promise<string> {
  const option = (name: string): string | undefined =>
    [...node.searchParams].find(([key]) => key.toLowerCase().replace(/[_-]/g, '') === name)?.[1];
  const caFile = option('tlscafile');
  const options: RequestOptions = {
    method: 'POST',
    timeout: timeoutMs,
    ...(credentials && { auth: `${credentials.username}:${credentials.password}` }),
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
  };
  const scheme = option('tls') === 'false' ? 'http' : 'https';
  const answer = await post(new URL(`${scheme}://${node.host}/admin/scavenge`), options);
  const id = /ScavengeId: ([\w-]+)/.exec(answer)?.[1];
  if (id === undefined)
    throw new StoreUnavailableError(`EventStoreDB: no scavenge was started on ${node.host}: ${reasonIn(answer)}`);
  return id;
}

const reasonIn = (answer: string): string =>
  /^40[13] /.test(answer)
    ? 'the credentials do not allow it, those of a user in the group $ops or $admins do'
    : answer.slice(0, 100);

/** Resolves with the status and the text of the answer, or with what went wrong. */
const post = (url: URL, options: RequestOptions): Promise<string> =>
  new Promise((resolve) => {
    const failed = (error: Error): void => resolve(error.message);
    const sent = (url.protocol === 'http:' ? httpRequest : httpsRequest)(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(`${answer.statusCode} ${Buffer.concat(chunks).toString()}`));
      answer.on('error', failed);
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', failed);
    sent.end();
  });
