/** What an EventStoreDB says of itself over HTTP, at the port of its API: its version, and its clock. Nothing is written. */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { parseServerUrl } from './url.js';

const waitMs = 3_000;

interface ServerInfo {
  /** Undefined: it does not tell. */
  readonly version: string | undefined;
  /** Milliseconds since 1970, to the second. */
  readonly time: number | undefined;
}

/** Of the first node that tells. Never rejects. */
export async function seeEventStoreDb(url: string): Promise<ServerInfo> {
  for (const node of parseServerUrl(url).nodes) {
    const info = await infoOf(new URL(node.replace(/^esdb:/, 'http:'))).catch(() => undefined);
    if (info?.version !== undefined) return info;
  }
  return { version: undefined, time: undefined };
}

async function infoOf({ host, searchParams }: URL): Promise<ServerInfo> {
  const options = new Map([...searchParams].map(([name, value]) => [name.toLowerCase().replace(/[-_]/g, ''), value]));
  const isPlain = options.get('tls') === 'false';
  const file = options.get('tlscafile');
  const ca = isPlain || file === undefined ? {} : { ca: readFileSync(file) };
  const request = isPlain ? http.request : https.request;
  return await new Promise((resolve, reject) => {
    const target = `${isPlain ? 'http' : 'https'}://${host}/info`;
    const asked = request(target, { ...ca, signal: AbortSignal.timeout(waitMs) }, (answer) => {
      const time = Date.parse(answer.headers.date ?? '');
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const version = /"esVersion":\s*"([\w.+-]{1,40})"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1];
        resolve({ version, time: Number.isNaN(time) ? undefined : time });
      });
    });
    asked.on('error', reject).end();
  });
}
