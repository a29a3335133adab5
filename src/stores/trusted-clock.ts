/** The clock of this process, and whether decisions that cannot be undone may depend on it. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { metadataSchema } from '../events/envelope.js';
import { writeDurably } from '../flow/durable-file.js';
import type { EventReader } from '../eventstore/event-store.js';
import {
  clockConfirmed,
  clockNoted,
  clockRead,
  trustedIn,
  watchedClock,
  type ClockReading,
} from '../flow/clock-trust.js';
import { takeTurns, type Clocks, type Subscriber } from '../flow/subscriber.js';
import type { ReadModels } from '../readmodels/read-models.js';
import { ConfigurationError } from './config.js';

/** Milliseconds between two looks at the clock, and between two notes of the time. */
const lookMs = 1_000;
const noteMs = 3_600_000;
const dayMs = 86_400_000;
/** Milliseconds for which a clock that starts more than a day behind is not noted: it may be set right soon. */
const settleMs = 600_000;

const noteSchema = z.object({ noted_at: z.iso.datetime({ precision: 3 }) });

/** Where the time that was last known to be right is kept. Times are milliseconds since 1970. */
export interface ClockNotes {
  /** Returns undefined if there is no note that can be read. @throws ConfigurationError @throws ReadModelsUnavailableError */
  read(): Promise<number | undefined>;
  /** @throws what the file system throws @throws ReadModelsUnavailableError */
  write(time: number): Promise<void>;
  close(): Promise<void>;
}

export interface ClockStatus {
  readonly trusted: boolean;
  /** Why the clock is not trusted. */
  readonly reason?: 'jumped' | 'ahead';
  /** Seconds until the clock is trusted if it does not jump again. */
  readonly trusted_in_seconds?: number;
}

export interface TrustedClock {
  /** Returns the milliseconds since 1970, or undefined while the clock is not trusted. */
  now(): number | undefined;
  /** Returns the time as `now` does, or undefined also if it is more than a day before the time that was known at the start. */
  datedNow(): number | undefined;
  status(): ClockStatus;
  /** Trusts the clock from now on, because an operator says that it is right. Resolves with that time. @throws what writing the note throws */
  confirm(): Promise<number>;
  /** Watches for jumps, and notes the time hourly while the clock is trusted. */
  readonly subscriber: Subscriber<'turn'>;
}

interface TrustedClockOptions extends Clocks {
  readonly notes: ClockNotes;
  /** Returns when the newest event happened: what the clock is compared with if there is no note. */
  readonly newestEvent: () => Promise<number | undefined>;
}

/** @throws ReadModelsUnavailableError @throws StoreUnavailableError */
export async function openTrustedClock({
  notes,
  newestEvent,
  clock,
  monotonic,
}: TrustedClockOptions): Promise<TrustedClock> {
  const reading = (): ClockReading => ({ wall: clock(), monotonic: monotonic() });
  const known = (await notes.read()) ?? (await newestEvent());
  let trust = watchedClock(reading(), known);
  let noteAt = -Infinity;
  const settledAt = monotonic() + settleMs;

  function now(): number | undefined {
    const read = reading();
    trust = clockRead(trust, read);
    return trust.status === 'trusted' ? read.wall : undefined;
  }

  const isBehind = (time: number): boolean => time < (known ?? time) - dayMs;
  /** A machine that starts far behind must not replace a note that is right, or the right time would look far ahead. */
  const isToBeNoted = (time: number | undefined): time is number =>
    time !== undefined && (!isBehind(time) || monotonic() >= settledAt);

  async function note(time: number): Promise<void> {
    await notes.write(time);
    noteAt = monotonic() + noteMs;
  }

  async function look(): Promise<void> {
    const time = now();
    if (isToBeNoted(time) && monotonic() >= noteAt) await note(time);
    if (trust.status !== 'ahead') return;
    const noted = await notes.read();
    if (noted !== undefined) trust = clockNoted(trust, reading(), noted);
  }

  return {
    now,
    datedNow() {
      const time = now();
      return time === undefined || isBehind(time) ? undefined : time;
    },
    status() {
      now();
      if (trust.status === 'trusted') return { trusted: true };
      const seconds = Math.ceil(trustedIn(trust, reading()) / 1_000);
      return { trusted: false, reason: trust.status, trusted_in_seconds: seconds };
    },
    async confirm() {
      const read = reading();
      await note(read.wall);
      trust = clockConfirmed(read);
      return read.wall;
    },
    subscriber: takeTurns({
      name: 'clock',
      pause: lookMs,
      monotonic,
      turn: look,
      async close() {
        const time = now();
        if (isToBeNoted(time)) await note(time).catch(() => undefined);
        await notes.close();
      },
    }),
  };
}

/**
 * Returns when the newest event of a log happened, in milliseconds since 1970, or undefined if the log is empty or the
 * metadata cannot be read. @throws StoreUnavailableError
 */
export async function newestEventTime(log: Pick<EventReader, 'readAll'>): Promise<number | undefined> {
  for await (const [newest] of log.readAll({ direction: 'backwards', limit: 1 })) {
    const metadata = newest && metadataSchema.safeParse(jsonIn(newest.metadata)).data;
    return metadata && Date.parse(metadata.at);
  }
  return undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const noteOf = (time: number) => ({ noted_at: new Date(time).toISOString() });

function timeIn(value: unknown): number | undefined {
  const note = noteSchema.safeParse(value).data;
  return note && Date.parse(note.noted_at);
}

/** Keeps the note in a file. */
export const clockNotesIn = (file: string): ClockNotes => ({
  async read() {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // Reading a pipe would wait for its writer, and a folder could not be replaced by a note.
    if (!stats.isFile())
      throw new ConfigurationError(
        `${file} is not a regular file, so the time cannot be noted there. Remove it and start the service again.`,
      );
    return timeIn(jsonIn(readFileSync(file, 'utf8')));
  },
  async write(time) {
    writeDurably(file, `${JSON.stringify(noteOf(time))}\n`);
  },
  async close() {
    // There is nothing to close.
  },
});

/** Keeps the note as a record beside the leases, for all processes that share them. Closes the read models with the notes. */
export function sharedClockNotes(models: ReadModels): ClockNotes {
  const name = 'clock';
  return {
    read: async () => timeIn((await models.readRecord(name))?.value),
    async write(time) {
      const previous = (await models.readRecord(name))?.version ?? null;
      // If another process was faster, its note serves as well.
      await models.putRecord({ name, value: noteOf(time), previous });
    },
    close: () => models.close(),
  };
}
