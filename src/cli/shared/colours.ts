/** Colours, for terminals only, and never where NO_COLOR is set. */
import type { Environment } from './command-line.js';

export type Paint = ReturnType<typeof paintFor>;

export function paintFor(screen: { readonly isTTY?: boolean }, env: Environment) {
  const isOn = screen.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const painted =
    (on: number, off: number) =>
    (text: string): string =>
      isOn ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return { bold: painted(1, 22), dim: painted(2, 22), good: painted(32, 39), bad: painted(31, 39) };
}
