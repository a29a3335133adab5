/** The options that imports of CSV files have in common. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { delimiters, encodings } from '../../copy/csv-reader.js';
import { UsageError } from '../../failures.js';
import { demandDestination } from './destination.js';
import { forceOption } from './options.js';

export const withCsvOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--encoding <name>', 'encoding of the file; UTF-16 is recognized').choices(encodings).default('utf-8'),
    )
    .addOption(
      new Option(
        '--delimiter <sign>',
        'the sign between cells (default: the sign in a line sep=, or the most frequent one)',
      ).choices(delimiters),
    )
    .option('--rejected <file>', 'the file for the list of rejected rows (default: beside the imported file)')
    .addOption(forceOption());

/** The values of `withCsvOptions`. */
export const csvOptions = {
  encoding: z.enum(encodings),
  delimiter: z.enum(delimiters).optional(),
  rejected: z.string().optional(),
  force: z.boolean().default(false),
};

/** Returns what refuses a place for the list of rejected rows. The list cannot be continued on standard output. */
export const demandListPlace =
  (force: boolean) =>
  (file: string): void => {
    if (file === '-' || file === '') throw new UsageError('--rejected must name a file');
    demandDestination({ out: file, force });
  };
