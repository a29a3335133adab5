/** What follows the log and acts: mailer, erasures, retention, seals. From the newest sample of the figures. */
import { Table } from '../../parts/answer.js';
import { Mark, formatNumber } from '../../parts/text.js';
import type { Sample } from '../../figures-text.js';
import { samples } from '../../samples.js';

const columns = [
  'Subscriber',
  'State',
  { number: 'Lag' },
  { number: 'At work on' },
  { number: 'Failures since the start' },
] as const;

export function Subscribers() {
  const sample = samples.value.at(-1);
  if (sample === undefined) return null;
  return (
    <section aria-labelledby="subscribers">
      <h2 id="subscribers">Subscribers</h2>
      <p class="quiet">What follows the log and acts. What fails is tried again, with longer and longer pauses.</p>
      <Table caption="Subscribers" columns={columns}>
        {sample.values('audience_subscriber_running', 'subscriber').map((subscriber) => (
          <tr key={subscriber}>
            <th scope="row">{subscriber}</th>
            <td>
              <State sample={sample} subscriber={subscriber} />
            </td>
            <td class="number">
              {formatNumber(Math.round(sample.sum('audience_subscriber_lag_seconds', { subscriber }) ?? 0))} s
            </td>
            <td class="number">{formatNumber(sample.sum('audience_subscriber_running', { subscriber }) ?? 0)}</td>
            <td class="number">
              {formatNumber(sample.sum('audience_subscriber_failures_total', { subscriber }) ?? 0)}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function State({ sample, subscriber }: { readonly sample: Sample; readonly subscriber: string }) {
  if (sample.sum('audience_subscriber_leads', { subscriber }) === 0)
    return <Mark kind="plain">not led by this process</Mark>;
  if (sample.sum('audience_subscriber_can_look', { subscriber }) === 0)
    return <Mark kind="bad">cannot see its work</Mark>;
  if ((sample.growth('audience_subscriber_failures_total', { subscriber }) ?? 0) > 0)
    return <Mark kind="warn">failing</Mark>;
  return <Mark kind="good">working</Mark>;
}
