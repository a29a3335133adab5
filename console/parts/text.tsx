/** What people wrote, and what machines count, as readers expect to see them. */
import type { ComponentChildren } from 'preact';
import { printable } from '../../src/events/printable.js';

/** Text that anybody may have written: it stays in its place, whatever its direction, and what is invisible is shown. */
export const Written = ({ text, lang }: { readonly text: string | null | undefined; readonly lang?: string }) =>
  text === null || text === undefined || text === '' ? (
    <span class="absent">–</span>
  ) : (
    <bdi lang={lang}>{printable(text)}</bdi>
  );

const long = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const numbers = new Intl.NumberFormat();

export const formatTime = (time: string | number | Date): string => long.format(new Date(time));
export const formatDay = (time: string | number | Date): string => days.format(new Date(time));
export const formatNumber = (value: number): string => numbers.format(value);
/** A position of the log without its zeros in front. */
export const plainPosition = (position: string): string => position.replace(/^0+(?=.)/, '');

/** In the reader's zone; UTC is in the title. `isExact`: with seconds. */
export function Time({ at, isExact = false }: { readonly at: string | null | undefined; readonly isExact?: boolean }) {
  if (at === null || at === undefined) return <span class="absent">–</span>;
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={`${iso.replace('T', ' ').replace('Z', '')} UTC`}>
      {(isExact ? exact : long).format(new Date(at))}
    </time>
  );
}

/** An id, a position, a hash: in full, and broken where the line ends. */
export const Code = ({ children }: { readonly children: ComponentChildren }) => <code>{children}</code>;

/** `<Tag kind="good">Subscribed</Tag>`: colour only repeats what the word says. */
export const Mark = ({
  kind = 'plain',
  children,
}: {
  readonly kind?: 'plain' | 'good' | 'bad' | 'warn' | 'info';
  readonly children: ComponentChildren;
}) => <span class={`mark mark-${kind}`}>{children}</span>;
