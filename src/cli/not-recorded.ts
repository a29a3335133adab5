/** What a command says that shows persons and reads the log itself: only the service records who looked. */
import type { CommandLine } from './command-line.js';

export const sayNotRecorded = ({ stderr }: Pick<CommandLine, 'stderr'>): void => {
  stderr.write('Not recorded: this was read from the log itself, and only the service writes down who looked.\n');
};

/** The same in a JSON answer that is of the command line alone. */
export const notRecorded = { recorded: false } as const;
