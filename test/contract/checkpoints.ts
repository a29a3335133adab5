/** Positions and checkpoints by number, for tests that fold events one by one. */
import type { Checkpoint } from '../../src/readmodels/read-models.js';

export const position = (number: number): string => String(number).padStart(20, '0');
export const checkpoint = (number: number, storages: Record<string, number> = { things: 1 }): Checkpoint => ({
  logId: 'log',
  position: position(number),
  eventId: `event-${number}`,
  storages,
});
