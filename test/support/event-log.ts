/** Embedded event logs for tests: a folder that goes away, events, and other processes that work on the same log. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { EventReader, EventToAppend, StoredEvent } from '../../src/eventstore/event-store.js';
import { openSqliteEventReader, type SqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';

export const eventLogChild = fileURLToPath(new URL('event-log-child.mjs', import.meta.url));

/** What a child says; each line has one of these. */
export interface ChildLine {
  readonly open?: true;
  readonly acked?: string;
  readonly refused?: string;
  readonly fault?: string;
  readonly seen?: string[];
  readonly stored?: string[];
}

/** Path of a log that does not exist yet, in a folder that goes away with the test. */
export function newLogFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'event-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'events.db');
}

/** A store that is closed with the test, and the faults it reported. */
export async function openLog(
  file = newLogFile(),
): Promise<{ store: SqliteEventStore; file: string; faults: Error[] }> {
  const faults: Error[] = [];
  const store = await openSqliteEventStore({
    file,
    clock: () => Date.UTC(2024, 4, 6, 7, 8, 9, 10),
    onFault: (error) => faults.push(error),
  });
  onTestFinished(() => store.close());
  return { store, file, faults };
}

export const said = (text = ''): EventToAppend => ({
  id: randomUUID(),
  type: 'Said',
  data: JSON.stringify({ text }),
  metadata: '{}',
});

export async function allEvents(reader: EventReader): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of reader.readAll()) events.push(...batch);
  return events;
}

/** Closed with the test. */
export function openReader(file: string): SqliteEventReader {
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  onTestFinished(() => reader.close());
  return reader;
}

async function streamOf(reader: EventReader, stream: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of reader.readStream(stream)) events.push(...batch);
  return events;
}

/** The streams that are not to be read, or not with their own events alone. */
export async function missing(reader: EventReader, streams: readonly string[]): Promise<string[]> {
  const missed: string[] = [];
  for (const name of streams) {
    const events = await streamOf(reader, name);
    if (events.length === 0 || events.some(({ stream }) => stream !== name)) missed.push(name);
  }
  return missed;
}

/** Starts a process and collects what it says; `until` waits for a line, or rejects when the process ends without it. */
export function startChild(command: string, ...parameters: string[]) {
  const child: ChildProcess = spawn(command, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: ChildLine[] = [];
  const waiting = new Set<() => void>();
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      // A killed process may leave half a line.
      if (!line.endsWith('}')) return;
      lines.push(JSON.parse(line) as ChildLine);
      for (const look of [...waiting]) look();
    });
  return {
    lines,
    exited,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    until: (condition: (lines: readonly ChildLine[]) => boolean) =>
      new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (!condition(lines)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void exited.then(() => reject(new Error(`the process ended early: ${JSON.stringify(lines.slice(-3))}`)));
      }),
  };
}
