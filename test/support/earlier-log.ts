/** A data folder that the last version with format 5 of `events.db` has written (git e953a5c), and what that version said of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { newFolder } from './evidence-log.js';

const kept = (name: string): URL => new URL(`earlier-log/${name}`, import.meta.url);

interface EarlierLog {
  readonly secret: string;
  readonly list_id: string;
  readonly count: number;
  readonly head: string;
  /** Bodies of GETs. */
  readonly answers: Readonly<Record<string, object>>;
}

export const earlierLog = JSON.parse(readFileSync(kept('expected.json'), 'utf8')) as EarlierLog;

/** Goes away with the test. */
export function earlierFolder(): string {
  const folder = newFolder();
  for (const name of ['events.db', 'views.db'])
    writeFileSync(path.join(folder, name), gunzipSync(readFileSync(kept(`${name}.gz`))), { mode: 0o600 });
  return folder;
}
