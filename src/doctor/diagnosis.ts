/** What a check of the doctor answers. */

/** `green`: nothing to do. `yellow`: it works, and something is to be looked after. `red`: it does not work, or data are in danger. */
export const levels = ['green', 'yellow', 'red'] as const;
export type Level = (typeof levels)[number];

/** Neither holds a secret, nor anything personal. */
export interface Diagnosis {
  readonly level: Level;
  readonly finding: string;
  /** One sentence; null where nothing is to be done. */
  readonly remedy: string | null;
}

export const green = (finding: string): Diagnosis => ({ level: 'green', finding, remedy: null });
export const yellow = (finding: string, remedy: string): Diagnosis => ({ level: 'yellow', finding, remedy });
export const red = (finding: string, remedy: string): Diagnosis => ({ level: 'red', finding, remedy });
