/** The clock of this process, and whether decisions that cannot be undone may depend on it. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { metadataSchema } from '../events/envelope.js';
import { writeDurably } from '../flow/durable-file.js';
import { jsonIn } from '../flow/json.js';
import type { EventReader } from '../eventstore/event-store.js';
import {
  bestTime,
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

/** Milliseconds between two looks at the clock. */
const lookMs = 1_000;
/** Milliseconds between two notes of the time. */
const noteMs = 3_600_000;
const dayMs = 86_400_000;

const noteSchema = z.object({ noted_at: z.iso.datetime({ precision: 3 }) });

/** The place of the note with the time that was last known to be right. Times are milliseconds since 1970. */
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
  /** Returns the time that events are dated by, in milliseconds since 1970: that of the machine, or a corrected one while a clock that jumped back is not trusted. */
  clock(): number;
  /** Returns the time as `now` does, but undefined if it is more than a day before the time that was known at the start. */
  datedNow(): number | undefined;
  status(): ClockStatus;
  /** Trusts the clock from now on, because an operator says that it is right. Resolves with the time, in milliseconds since 1970. @throws what writing the note throws */
  confirm(): Promise<number>;
  /** Watches for jumps, and notes the time hourly while the clock is trusted. */
  readonly subscriber: Subscriber<'turn'>;
}

interface TrustedClockOptions extends Clocks {
  readonly notes: ClockNotes;
  /** Returns when the newest event happened. The clock is compared with that time if there is no note. */
  readonly newestEvent: () => Promise<number | undefined>;
}

/** Compares the clock with the last note, and begins to watch it. If there is no note yet, notes the time of the newest event. @throws ReadModelsUnavailableError @throws StoreUnavailableError; what writing the note throws */
export async function openTrustedClock({
  notes,
  newestEvent,
  clock,
  monotonic,
}: TrustedClockOptions): Promise<TrustedClock> {
  const reading = (): ClockReading => ({ wall: clock(), monotonic: monotonic() });
  const noted = await notes.read();
  const known = noted ?? (await newestEvent());
  // Note the time before this process appends anything. Otherwise a later start would take the time from events that were
  // written while the clock was wrong.
  if (noted === undefined && known !== undefined) await notes.write(known);
  let trust = watchedClock(reading(), known);
  let noteAt = -Infinity;

  /** Reads both clocks, and takes the reading into account. */
  function observe(): ClockReading {
    const read = reading();
    trust = clockRead(trust, read);
    return read;
  }

  function now(): number | undefined {
    const { wall } = observe();
    return trust.status === 'trusted' ? wall : undefined;
  }

  const isBehind = (time: number): boolean => time < (known ?? time) - dayMs;

  async function note(time: number): Promise<void> {
    await notes.write(time);
    noteAt = monotonic() + noteMs;
  }

  async function look(): Promise<void> {
    const time = now();
    if (time !== undefined && monotonic() >= noteAt) await note(time);
    if (trust.status !== 'ahead') return;
    const byOthers = await notes.read();
    if (byOthers !== undefined) trust = clockNoted(trust, reading(), byOthers);
  }

  return {
    now,
    clock() {
      const read = observe();
      return bestTime(trust, read);
    },
    datedNow() {
      const time = now();
      return time === undefined || isBehind(time) ? undefined : time;
    },
    status() {
      const read = observe();
      if (trust.status === 'trusted') return { trusted: true };
      const seconds = Math.ceil(trustedIn(trust, read) / 1_000);
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
        if (time !== undefined) await note(time).catch(() => undefined);
        await notes.close();
      },
    }),
  };
}

/**
 * Returns when the newest event of a log happened, in milliseconds since 1970, or undefined if the log is empty or the
 * metadata cannot be read. Asks for the head, because reading backwards from the end would read all events of other logs on
 * the server. @throws StoreUnavailableError
 */
export async function newestEventTime(log: Pick<EventReader, 'head' | 'readAt'>): Promise<number | undefined> {
  const newest = await log.readAt(await log.head());
  const metadata = newest && metadataSchema.safeParse(jsonIn(newest.metadata)).data;
  return metadata && Date.parse(metadata.at);
}

const noteOf = (time: number) => ({ noted_at: new Date(time).toISOString() });

function timeIn(value: unknown): number | undefined {
  const note = noteSchema.safeParse(value).data;
  return note && Date.parse(note.noted_at);
}

/** Returns notes that are kept in a file. */
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

/** Returns notes that are kept as a record beside the leases, for all processes that share them. Closing the notes closes the read models. */
export function sharedClockNotes(models: ReadModels): ClockNotes {
  const name = 'clock';
  return {
    read: async () => timeIn((await models.readRecord(name))?.value),
    async write(time) {
      const previous = (await models.readRecord(name))?.version ?? null;
      // If another process wrote its note first, that note will do.
      await models.putRecord({ name, value: noteOf(time), previous });
    },
    close: () => models.close(),
  };
}
