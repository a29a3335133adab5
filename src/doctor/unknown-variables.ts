/** Variables of the environment that look like ours and are none: the service ignores them, and its default holds instead. */
import leven from 'leven';
import { printable } from '../events/printable.js';
import { serviceVariables } from '../stores/config.js';
import type { Environment } from '../stores/values-from-files.js';
import { traceVariables } from '../traces/variables.js';
import { green, yellow, type Diagnosis } from './diagnosis.js';

/** How names of ours begin, and hardly one of another program in the same environment. */
const own = /^(AUDIENCE|MAIL|SMTP|DKIM|SEAL|RETAIN|RATE_LIMIT)_/;
/** Of the command line. */
const ofCommands = ['AUDIENCE_KEY', 'AUDIENCE_URL'];
const known: readonly string[] = [...serviceVariables, ...traceVariables, ...ofCommands];
/** Of OpenTelemetry, which others read: for logs, and near to those for traces. */
const ofLogs = 'OTEL_BLRP_';
/** Of other programs, and near to one of ours. */
const others = new Set(['HOME', 'PATH', 'POST', 'HOSTNAME', 'HOSTTYPE', 'MAIL', 'MAILTO', 'MAILPATH', 'SMTPSERVER']);
/** A name of fewer letters is near to too many others. */
const shortest = 5;

export function checkUnknownVariables(env: Environment): Diagnosis {
  const found = Object.keys(env).flatMap((name) => {
    const meant = (env[name] ?? '') === '' ? undefined : meantBy(name);
    return meant === undefined ? [] : [{ name: printable(name), meant }];
  });
  if (found.length === 0) return green('no environment variable looks like a misspelled setting');
  const told = found.map(({ name, meant }) => (meant === null ? name : `${name} (${meant}?)`)).join(', ');
  return yellow(
    `the service does not know ${told}, and ignores it`,
    'Correct the name, or remove the variable: "Configuration" of docs/operations.md has all names.',
  );
}

/** The nearest of ours; null: none is near; undefined: it does not look like ours. */
function meantBy(name: string): string | null | undefined {
  const upper = name.toUpperCase();
  if (known.includes(name) || others.has(name) || name.startsWith(ofLogs)) return undefined;
  const near = known
    .filter((variable) => variable.length >= shortest)
    .map((variable) => ({ variable, distance: leven(upper, variable) }))
    .sort((one, other) => one.distance - other.distance)[0];
  if (near !== undefined && near.distance <= (near.variable.length < 8 ? 1 : 2)) return near.variable;
  return own.test(upper) ? null : undefined;
}
