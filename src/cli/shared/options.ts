/** What commands have in common in their options and their help: times, numbers, files, seals, contacts, examples. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { isCalendarDay, parseTime, type Edge } from '../../audit/times.js';
import { hasInvisibleCharacter, isAddress } from '../../events/address.js';
import { sealKeyName } from '../../integrity/seal-store.js';
import { UsageError } from '../../failures.js';
import type { NamedContact } from './command-line.js';

type Clock = () => number;

export const withExamples = (command: Command, examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}\n`).join('')}`);

/** `--time` and `--at` are two names of one option. */
export const timeOption = (clock: Clock): Option =>
  new Option(
    '--at, --time <time>',
    'ISO 8601, now or yesterday; a date alone is its last millisecond in UTC, a time without fraction its first: 12:00Z is 12:00:00.000Z',
  ).argParser((text: string, before: unknown) => {
    if (before !== undefined) throw new UsageError('--time and --at are one option: give it once');
    return timeIn('--time', text, { edge: 'end', clock });
  });

export const limitOption = (): Option =>
  new Option('--limit <n>', 'at most this many').argParser((text) => wholeNumberIn('--limit', text));

export const limit = z.number().default(Infinity);

/** `--from`, `--to` and `--limit`. */
export const withPeriod = (command: Command, clock: Clock): Command =>
  command
    .option(
      '--from <time>',
      'from this time on (ISO 8601, now or yesterday; a date alone is its first millisecond in UTC)',
      (text) => timeIn('--from', text, { edge: 'start', clock }),
    )
    .option('--to <time>', 'up to this time (a date alone is its last millisecond in UTC)', (text) =>
      timeIn('--to', text, { edge: 'end', clock }),
    )
    .addOption(limitOption());

const period = { from: z.string().optional(), to: z.string().optional(), limit };

/** @throws UsageError */
export function periodIn(options: unknown): z.output<z.ZodObject<typeof period>> {
  const { from, to, ...rest } = z.object(period).parse(options);
  if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from must not be after --to');
  return { from, to, ...rest };
}

export const outOption = (description: string): Option => new Option('--out <file>', description);
export const forceOption = (): Option => new Option('--force', 'replaces a file that exists');

/** Of `--out` and `--force`. */
export const destination = { out: z.string().min(1), force: z.boolean().default(false) };

export const sealOption = (description: string): Option => new Option('--seal <file>', description);
export const publicKeyOption = (): Option =>
  new Option('--public-key <file>', 'the key that must have signed the seal (PEM, or base64 of SPKI in DER)');

/** Of `--seal` and `--public-key`. */
export const sealFiles = { seal: z.string().optional(), publicKey: z.string().optional() };

/** `made`: what becomes of the default. */
export const keyOption = (made = ''): Option =>
  new Option(
    '--key <file>',
    `Ed25519 private key in PEM (default: SEAL_KEY, else ${sealKeyName} in the data folder${made})`,
  );

interface TimeOptions {
  readonly edge: Edge;
  readonly clock: Clock;
}

const dayMs = 86_400_000;

/** UTC with milliseconds. @throws UsageError */
export function timeIn(option: string, text: string, { edge, clock }: TimeOptions): string {
  if (text === 'now') return new Date(clock()).toISOString();
  const said = text === 'yesterday' ? new Date(clock() - dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length) : text;
  const time = parseTime(said, edge);
  const [day] = /^\d{4}-\d\d-\d\d/.exec(said) ?? [];
  if (day !== undefined && !isCalendarDay(day)) throw new UsageError(`${option}: there is no day ${day}`);
  if (time === undefined)
    throw new UsageError(
      `${option} must be an ISO 8601 date, a date and time with its zone (2026-03-01T12:00Z), now or yesterday`,
    );
  return time;
}

/** @throws UsageError */
export function wholeNumberIn(option: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  if (/^[1-9][0-9]{0,14}$/.test(text) && Number(text) <= most) return Number(text);
  const range = most === Number.MAX_SAFE_INTEGER ? 'from 1' : `from 1 to ${most}`;
  throw new UsageError(`${option} must be a whole number ${range}`);
}

/** @throws UsageError */
export function parseAddressArgument(text: string): string {
  const email = text.trim();
  if (!isAddress(email)) throw new UsageError(`<address> must be a valid email address${reasonOf(email)}`);
  return email;
}

/** An id, or an e-mail address. @throws UsageError */
export function contactIn(text: string): NamedContact {
  if (/^con_[^@]*$/.test(text)) return { contactId: text };
  const email = text.trim();
  if (!isAddress(email))
    throw new UsageError(`<contact> must be a contact id (con_…) or a valid email address${reasonOf(email)}`);
  return { email };
}

/** Returns the end of a message that refuses an address. */
export const reasonOf = (address: string): string =>
  hasInvisibleCharacter(address) ? ': it contains an invisible character' : '';
