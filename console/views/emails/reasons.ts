/** Why e-mails did not arrive, as series of charts: the most frequent reasons, and the rest as one. */
import type { components } from '../../../client/client.js';
import type { Series } from '../../parts/chart.js';

type Row = components['schemas']['EmailOutcomesRow'];
type Reason = Row['reasons'][number];

/** Codes that say little to who has not read docs/events.md. */
const texts: Readonly<Record<string, string>> = {
  smtp_4xx: 'the mail server said later (smtp_4xx)',
  smtp_5xx: 'the mail server refused it (smtp_5xx)',
  policy: 'the mail server refused the sender (policy)',
  smtputf8: 'the mail server lacks SMTPUTF8',
  tls: 'no trusted TLS',
  dns: 'the mail server was not found (dns)',
  gave_up: 'given up after a long time (gave_up)',
};

const bounceTexts: Readonly<Record<string, string>> = {
  hard: 'no such mailbox',
  full: 'mailbox full',
  policy: 'sender or email refused',
};

/** Returns what the kind of a bounce means. */
export const bounceText = (kind: string): string => bounceTexts[kind] ?? 'another reason';

const textOf = (reason: string): string => texts[reason] ?? reason.replaceAll('_', ' ');

export const whyAttemptsFailed = ({ outcome, reason }: Reason): string | undefined =>
  ['deferred', 'failed', 'in_doubt'].includes(outcome) ? textOf(reason) : undefined;

export function whyNotDelivered({ outcome, reason }: Reason): string | undefined {
  if (outcome === 'bounced') return `bounced: ${bounceText(reason)}`;
  return outcome === 'cancelled' ? `cancelled: ${textOf(reason)}` : undefined;
}

/** As many as there are colours. */
const mostSeries = 6;
const others = 'other reasons';

/** `labelOf`: undefined where the reason is not of this chart. */
export function seriesOf(rows: readonly Row[], labelOf: (reason: Reason) => string | undefined): readonly Series[] {
  const sums = new Map<string, number>();
  for (const { reasons } of rows) for (const one of reasons) add(sums, labelOf(one), one.count);
  const labels = [...sums].sort(([, one], [, other]) => other - one).map(([label]) => label);
  const shown = labels.length > mostSeries ? [...labels.slice(0, mostSeries - 1), others] : labels;
  const countsOfRows = rows.map(({ reasons }) => {
    const counts = new Map<string, number>();
    for (const one of reasons) {
      const label = labelOf(one);
      add(counts, label === undefined || shown.includes(label) ? label : others, one.count);
    }
    return counts;
  });
  return shown.map((label, at) => ({
    label,
    values: countsOfRows.map((counts) => counts.get(label) ?? 0),
    colour: `--chart-${at + 1}`,
  }));
}

function add(counts: Map<string, number>, label: string | undefined, count: number): void {
  if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + count);
}
