/** Whether the mail server takes this service, as `audience email check` tells it step by step. Nothing is sent. */
import type { CheckStep } from '../mailer/check.js';
import { ConfigurationError } from '../stores/config.js';
import { green, yellow, type Diagnosis } from './diagnosis.js';
import type { Patient } from './patient.js';

/** Less than the mailer waits: whoever runs the doctor waits, too. */
const waitMs = 15_000;

/** Undefined: the configuration cannot be read. */
export async function checkRelay(patient: Patient): Promise<Diagnosis | undefined> {
  const settings = settingsOf(patient);
  if (settings === null) return undefined;
  if (settings === undefined) return green('without SMTP_URL, e-mails are written into the folder outbox');
  const { checkMailServer } = await import('../mailer/check.js');
  const steps: CheckStep[] = [];
  const { names, signal } = patient;
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  const check = {
    settings,
    names,
    mail: undefined,
    onStep: (step: CheckStep) => void steps.push(step),
    signal: bounded,
  };
  const isWell = await checkMailServer(check);
  signal.throwIfAborted();
  const failed = steps.find(({ ok }) => !ok);
  if (!isWell)
    return yellow(
      `the mail server does not take this service (${failed?.step ?? 'connection'}): ${failed?.said.join(' ') ?? 'no answer'}`,
      'Run audience email check, which says what to do: e-mails wait until the server takes them.',
    );
  const greeting = steps.find(({ step }) => step === 'greeting')?.said.join(' ');
  return green(`the mail server takes this service${greeting === undefined ? '' : `: ${greeting}`}`);
}

/** Null: they are not valid, which another check says. */
function settingsOf(patient: Patient) {
  try {
    return patient.mailSettings();
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}
