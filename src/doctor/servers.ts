/** What servers say of themselves, and what their errors say, in words. */
import { printable } from '../events/printable.js';

/** `time`: of its clock, in milliseconds since 1970, when it was asked at `asked`; undefined: it does not say. */
export interface SeenServer {
  readonly version: string | undefined;
  readonly time: number | undefined;
}

export const sayServer = (name: string, { version }: SeenServer): string =>
  `${name} ${version === undefined ? 'answers, and does not tell its version' : `${version} answers`}`;

export const messageOf = (error: unknown): string => printable(error instanceof Error ? error.message : String(error));
