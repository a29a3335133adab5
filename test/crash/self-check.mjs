/** Proves that the checks would have seen a loss: they are shown the log, the mail and the views with something taken away, and must object. */
import { checkEmails } from './check-emails.mjs';
import { checkWrites } from './check-writes.mjs';
import { differences } from './check-views.mjs';
import { replay } from './history.mjs';

/** What went unseen; nothing when the checks are awake. `views` as read by `readViews`. */
export function checkTheChecks({ events, journal, keys, accepted, views }) {
  const problemsOf = (tampered, mail = accepted) => {
    const { history, problems } = replay(tampered, { journal, keys });
    const mailing = { events: tampered, history, accepted: mail, settled: true };
    return [...problems, ...checkWrites(journal, history), ...checkEmails(mailing)];
  };
  const sighted = (what, problems) => (problems.length > 0 ? [] : [`the checks do not see: ${what}`]);
  return [
    ...lastAcknowledged(events, journal).flatMap(({ id, kind }) =>
      sighted(`a lost ${kind}`, problemsOf(events.filter(({ metadata }) => metadata.request_id !== id))),
    ),
    ...lastOfAppends(events, journal).flatMap((event) =>
      sighted(`an append without its ${event.type}`, problemsOf(events.filter((one) => one !== event))),
    ),
    ...mailTamperings(events, accepted).flatMap(([what, mail]) => sighted(what, problemsOf(events, mail))),
    ...[...views.tables].flatMap(([name, rows]) =>
      rows.length === 0 ? [] : sighted(`a row missing in ${name}`, differences(views, without(views, name))),
    ),
  ];
}

/** The last request of each kind that was acknowledged and wrote something. */
function lastAcknowledged(events, { byId }) {
  const found = new Map();
  for (const { metadata } of events) {
    const entry = byId.get(metadata.request_id);
    if (entry?.status === 200 && metadata.actor === 'test') found.set(entry.kind, entry);
  }
  return [...found.values()];
}

/** Of each type, the last event that ended an append of several. */
function lastOfAppends(events, { byId }) {
  const found = new Map();
  events.forEach((event, index) => {
    const before = events[index - 1];
    const isEnd = events[index + 1]?.metadata.request_id !== event.metadata.request_id;
    const isSame = before?.stream === event.stream && before.metadata.request_id === event.metadata.request_id;
    if (isEnd && isSame && event.metadata.actor === 'test' && byId.has(event.metadata.request_id))
      found.set(event.type, event);
  });
  return [...found.values()];
}

function mailTamperings(events, accepted) {
  const sent = events.findLast(({ type, data }) => type === 'EmailSent' && data.attempt === 1)?.data.email_id;
  if (sent === undefined) return [];
  const [copy] = accepted.get(sent);
  return [
    ['an e-mail that never arrived', new Map([...accepted].filter(([id]) => id !== sent))],
    ['an e-mail that arrived twice', new Map([...accepted, [sent, [copy, copy]]])],
    ['an e-mail that nobody asked for', new Map([...accepted, ['eml_nobody', [copy]]])],
  ];
}

const without = (views, name) => ({
  ...views,
  tables: new Map([...views.tables].map(([one, rows]) => [one, one === name ? rows.slice(1) : rows])),
});
