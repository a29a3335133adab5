/** The alarms of deploy/prometheus/alerts.yml against what a service tells, and how troubles are made. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { exampleMetadata } from '../support/examples.js';
import { eventually, type Service } from '../support/service.js';

const rulesOf = z.object({
  groups: z.tuple([z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })]),
});
const [{ rules }] = rulesOf.parse(parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8'))).groups;

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const scrape = async (service: Service): Promise<readonly Series[]> =>
  seriesIn((await service.get('/metrics')).text);

export function seriesIn(text: string): readonly Series[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(audience_\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]);
    return name === undefined ? [] : [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** Of the series whose labels fit. */
export const sum = (
  all: readonly Series[],
  name: string,
  fits: (labels: Series['labels']) => boolean = () => true,
): number => all.filter((one) => one.name === name && fits(one.labels)).reduce((total, { value }) => total + value, 0);

/** What the last comparison of the alarm says of this value. */
export function fires(alarm: string, value: number): boolean {
  const [, how, threshold] = / (>|==) ([\d.]+)$/.exec(rules.find(({ alert }) => alert === alarm)?.expr ?? '') ?? [];
  if (how === undefined) throw new Error(`${alarm} has no threshold`);
  return how === '>' ? value > Number(threshold) : value === Number(threshold);
}

export const firing = (alarm: string, value: () => Promise<number>): Promise<true> =>
  eventually(async () => fires(alarm, await value()) || undefined, { what: alarm });

/** To the log of a service that does not run. */
export async function append(
  { dataDir }: Service,
  events: readonly { readonly type: string; readonly data: string }[],
): Promise<void> {
  const log = await openSqliteEventStore({ file: path.join(dataDir, 'events.db'), clock: Date.now });
  const metadata = JSON.stringify(exampleMetadata);
  const stored = events.map((event) => ({ ...event, id: randomUUID(), metadata }));
  for (let first = 0; first < stored.length; first += 1_000)
    await log.append(`contact-${'0'.repeat(32)}`, stored.slice(first, first + 1_000), { expectedRevision: 'any' });
  await log.close();
}

/** Where nobody listens. */
export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
