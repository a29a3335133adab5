/** Looks through what a run printed: no errors but those that a kill explains, and nobody's address. */

const errorLevel = 50;

/** `unavailable`: how many requests were answered 503; each may stand in the log as failed. */
export function checkOutput({ stdout, stderr }) {
  const problems = [];
  const lines = stdout.split('\n');
  let unavailable = 0;
  for (const line of lines) {
    if (/[\w.+-]@[\w-]+\.[a-z]/i.test(line)) problems.push(`an address is printed: ${line.slice(0, 300)}`);
    const entry = parsed(line);
    if (entry === undefined || entry.level < errorLevel) continue;
    if (entry.msg === 'request failed' && entry.status === 503) unavailable += 1;
    else problems.push(`an error is logged: ${line.slice(0, 1_000)}`);
  }
  if (stderr !== '') problems.push(`standard error: ${stderr.slice(0, 1_000)}`);
  return { problems, unavailable };
}

/** Undefined for the banner, and for the line that a kill cut off. */
function parsed(line) {
  try {
    return line.startsWith('{') ? JSON.parse(line) : undefined;
  } catch {
    return undefined;
  }
}
