/** Colours, for terminals only, and never where NO_COLOR is set. */
import { styleText } from 'node:util';
import type { Environment } from '../../stores/values-from-files.js';

export type Paint = ReturnType<typeof paintFor>;

export function paintFor(screen: { readonly isTTY?: boolean }, env: Environment) {
  const isOn = screen.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  // The stream and the environment are the command's, which may not be those of the process.
  const painted = (style: 'bold' | 'green' | 'yellow' | 'red') => (text: string) =>
    isOn ? styleText(style, text, { validateStream: false }) : text;
  return { bold: painted('bold'), good: painted('green'), fair: painted('yellow'), bad: painted('red') };
}
