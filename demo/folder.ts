/** The folder of the demo: made beside its place and put there when it is whole, so that one that is there is whole. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { hasWriter } from '../src/eventstore/sqlite/event-store.js';
import { UsageError, type Options } from './options.js';
import type { MadeYear } from './year.js';

/** Says what the folder is, and is written last. */
const markName = 'demo.json';
const mark = z.object({
  people: z.int(),
  seed: z.int(),
  until: z.iso.date(),
  events: z.int(),
  support_key: z.string(),
});
export type DemoMark = z.infer<typeof mark>;

/** Undefined: there is no such folder. @throws UsageError it is another one, which is left alone */
export function findDemo(folder: string): DemoMark | undefined {
  if (!existsSync(folder)) return undefined;
  const file = path.join(folder, markName);
  if (!existsSync(file)) throw new UsageError(`${folder} is there, but not made by the demo: name another --folder`);
  return mark.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** @throws UsageError it is being made at this time */
export async function makeDemo(
  { folder, people, seed, until }: Options,
  make: (folder: string) => Promise<MadeYear>,
): Promise<DemoMark> {
  const half = `${folder}.half`;
  if (existsSync(path.join(half, 'events.db')) && hasWriter(path.join(half, 'events.db')))
    throw new UsageError(`${folder} is being made by another process`);
  rmSync(half, { recursive: true, force: true });
  const { events, supportKey } = await make(half);
  const day = new Date(until).toISOString().slice(0, 10);
  const made: DemoMark = { people, seed, until: day, events, support_key: supportKey };
  writeFileSync(path.join(half, markName), `${JSON.stringify(made, undefined, 2)}\n`);
  renameSync(half, folder);
  return made;
}
