/** What the kill test prints. */

const shownProblems = 20;

function showProblems(problems) {
  for (const text of problems.slice(0, shownProblems)) console.log(`  - ${text}`);
  if (problems.length > shownProblems) console.log(`  … and ${problems.length - shownProblems} more`);
}

const verdict = (problems) => (problems.length === 0 ? 'ok' : `${problems.length} PROBLEMS`);

export function showRound({ round, kind, counts }, { readyMs, events, documents, emails, problems }) {
  const { acked, refused, open, reads, unavailable } = counts;
  const parts = [
    `round ${String(round).padStart(2)} ${kind.padEnd(8)} ready in ${readyMs} ms`,
    `${acked} acknowledged, ${refused} refused, ${open} unanswered, ${reads} reads, ${unavailable}x 503`,
    `${events} events, ${documents} rows`,
    `e-mails: ${emails.sent} of ${emails.requested} sent, ${emails.doubted} doubted, ${emails.doubles} twice`,
    verdict(problems),
  ];
  console.log(parts.join(' | '));
  showProblems(problems);
}

/** Of one data folder, after its last round. */
export function showEnd({ events, documents, emails, problems }) {
  const { requested, sent, waiting, doubted, doubles, copies } = emails;
  const mail = `${requested} e-mails: ${sent} sent, ${waiting} waiting, ${doubted} with a doubt on record, ${doubles} accepted twice or more, ${copies} copies in all`;
  console.log(`end: ${events} events, ${documents} rows of views | ${mail} | ${verdict(problems)}`);
  showProblems(problems);
}

export function showSummary(rounds, { acked, refused, open, reads, unavailable, slowest, problems }) {
  const writes = `${acked} writes acknowledged, ${refused} refused, ${open} unanswered`;
  const outcome = problems === 0 ? 'nothing lost, nothing torn' : `${problems} PROBLEMS`;
  console.log(
    `${rounds} rounds: ${writes}; ${reads} reads; ${unavailable}x 503; slowest start ${slowest} ms; ${outcome}`,
  );
}
