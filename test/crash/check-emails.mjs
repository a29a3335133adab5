/** Holds what the SMTP server accepted against the streams of the e-mails: once each, and twice only where a doubt is on record. */
import { checkRuns, checkSequence, emailStates } from './email-history.mjs';

/** `settled`: nothing is under way, so each e-mail must be sent by now, or wait for a second chance with its doubt on record. */
export function checkEmails({ events, history, accepted, settled }) {
  const problems = checkRuns(events);
  for (const [stream, ofEmail] of history.emails) {
    const [{ type, data }] = ofEmail;
    if (type !== 'EmailRequested') {
      problems.push(`${stream} begins with ${type}`);
      continue;
    }
    const copies = accepted.get(data.email_id) ?? [];
    const found = [...checkSequence(ofEmail), ...checkCopies(ofEmail, copies), ...checkContent(data, copies)];
    if (settled) found.push(...checkSettled(ofEmail, copies));
    problems.push(
      ...found.map((text) => `e-mail ${data.email_id} (${ofEmail.map((one) => one.type.slice(5))}): ${text}`),
    );
  }
  for (const id of accepted.keys())
    if (!history.emailsById.has(id)) problems.push(`${id} was sent, and nobody asked for it`);
  return problems;
}

function checkCopies(ofEmail, copies) {
  const starts = ofEmail.filter(({ type }) => type === 'EmailDispatchStarted').length;
  const doubts = ofEmail.filter(({ type }) => type === 'EmailInDoubt').length;
  const problems = [];
  // What is accepted just now is not recorded yet; every copy needs its claim, and every further one the doubt before it.
  if (copies.length > starts) problems.push(`accepted ${copies.length} times in ${starts} attempts`);
  if (copies.length > 1 + doubts) problems.push(`accepted ${copies.length} times with ${doubts} doubts on record`);
  if (copies.length === 0 && ofEmail.some(({ type }) => type === 'EmailSent')) problems.push('never arrived');
  if (new Set(copies.map(({ digest }) => digest)).size > 1) problems.push('a second copy differs from the first');
  return problems;
}

function checkContent({ message }, copies) {
  const problems = [];
  for (const { subject, to } of copies) {
    if (subject !== message.subject) problems.push('the subject is of another e-mail');
    if (to.length !== 1 || to[0] !== message.to_email) problems.push('sent to somebody else');
  }
  return problems;
}

function checkSettled(ofEmail, copies) {
  const { state, doubts, nextAttemptAt } = emailStates(ofEmail).at(-1);
  if (state === 'sent') {
    if (copies.length === 1 || doubts.length > 0) return [];
    return [`sent, and accepted ${copies.length} times without a doubt`];
  }
  const waits = state === 'held' || (state === 'in_doubt' && nextAttemptAt !== null);
  return waits && doubts.length > 0 ? [] : [`still ${state}`];
}

/** Numbers for the summary. */
export function countEmails(history, accepted) {
  const counts = { requested: history.emails.size, sent: 0, doubted: 0, waiting: 0, copies: 0, doubles: 0 };
  for (const ofEmail of history.emails.values()) {
    const { state, doubts } = emailStates(ofEmail).at(-1);
    if (state === 'sent') counts.sent += 1;
    else counts.waiting += 1;
    if (doubts.length > 0) counts.doubted += 1;
  }
  for (const copies of accepted.values()) {
    counts.copies += copies.length;
    if (copies.length > 1) counts.doubles += 1;
  }
  return counts;
}
