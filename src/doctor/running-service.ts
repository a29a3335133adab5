/** Whether a service runs on this data folder, or where --url says, and is ready. None need run. */
import { z } from 'zod';
import { CommandFailedError } from '../failures.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import type { ExaminedService, Patient } from './patient.js';
import { messageOf } from './servers.js';

/** The members of `GET /health/ready` that say why the service is not ready, or what an operator should check. */
const parts = z.object({
  event_store: z.object({ reachable: z.boolean(), writable: z.boolean() }),
  read_models: z.object({ reachable: z.boolean() }),
  projections: z.object({ caught_up: z.boolean(), lag_ms: z.number(), damaged: z.array(z.string()).default([]) }),
  clock: z.object({ trusted: z.boolean(), reason: z.enum(['jumped', 'ahead']).optional() }).optional(),
  mailer: z.object({ relay: z.object({ refuses: z.object({ reason: z.string() }).nullish() }) }).optional(),
});

/** The members of `GET /health/ready` while the service starts. */
const startingParts = z.object({
  starting: z.object({
    waiting_for: z.enum(['event_store', 'read_models', 'checks']),
    reason: z.string().max(40).optional(),
  }),
});

export interface ServiceDiagnosis {
  /** Whether one runs. */
  readonly runs: boolean;
  readonly result: Diagnosis;
}

export async function checkRunningService(patient: Patient): Promise<ServiceDiagnosis> {
  try {
    const service = await patient.service();
    if (service === undefined)
      return { runs: false, result: green('none runs on this data folder, as far as is known here') };
    return { runs: true, result: await ready(service) };
  } catch (error) {
    if (!(error instanceof CommandFailedError)) throw error;
    return { runs: false, result: red(messageOf(error), 'Start it, or correct the address in --url or AUDIENCE_URL.') };
  }
}

async function ready(service: ExaminedService): Promise<Diagnosis> {
  const { status, data } = await service.ask({ method: 'GET', path: '/health/ready', keyless: true });
  const found = parts.safeParse(data).data;
  const starting = startingParts.safeParse(data).data?.starting;
  if (starting !== undefined) {
    const { waiting_for: step, reason } = starting;
    return red(
      `the service at ${service.url} is starting: ${startSteps[step]}${reason === undefined ? '' : ` (${reason})`}`,
      'Wait. If the start takes more than a minute, look at the log of the service, which says what it waits for.',
    );
  }
  if (status !== 200)
    return red(
      `the service at ${service.url} is not ready: ${found === undefined ? `status ${status}` : whyNot(found)}`,
      'Wait where it is building or catching up; else look at its log, which says what fails.',
    );
  // Check this first, because a service that does not get the key may say anything about itself.
  return (
    (await keyFault(service)) ?? (found && notice(service, found)) ?? green(`the service at ${service.url} is ready`)
  );
}

async function keyFault(service: ExaminedService): Promise<Diagnosis | undefined> {
  const fault = await service.whyNoKey();
  if (fault === undefined) return undefined;
  // An unknown address in the folder was planted there. One that the operator named may be a proxy.
  const level = service.isNamed ? yellow : red;
  return level(
    `a service at ${service.url} is ready, but the command line does not send it the API key of the data folder: ${fault.reason}`,
    fault.remedy,
  );
}

/** Returns what needs attention in a service that is ready, or undefined if nothing does. */
function notice({ url }: ExaminedService, { clock, mailer }: z.output<typeof parts>): Diagnosis | undefined {
  if (clock?.trusted === false)
    return yellow(
      `the service at ${url} is ready, but its clock is not trusted, because ${clockFaults[clock.reason ?? 'jumped']}: no email is given up, no content is erased by RETAIN_EMAILS, and no key or link expires for good`,
      'Compare the clock with the right time (timedatectl status). If it is right, run audience clock confirm.',
    );
  const refused = mailer?.relay.refuses?.reason;
  if (refused === undefined) return undefined;
  return yellow(
    `the service at ${url} is ready, but its mail server refuses emails (${refused})`,
    'Run audience email check, which says what to do. Emails wait until the server takes them.',
  );
}

const startSteps = {
  event_store: 'its event log is not open yet',
  read_models: 'its views are not open yet',
  checks: 'it reads and checks its event log',
};

const clockFaults = {
  jumped: 'it was set within the last ten minutes',
  ahead: 'it is more than a day ahead of the last time that was known to be right',
};

function whyNot({ event_store, read_models, projections }: z.output<typeof parts>): string {
  const reasons = [
    ...(event_store.reachable ? [] : ['its log does not answer']),
    ...(event_store.writable ? [] : ['its log takes nothing']),
    ...(read_models.reachable ? [] : ['its views do not answer']),
    ...projections.damaged.map((view) => `its view ${view} is damaged and is being rebuilt`),
    ...(projections.caught_up ? [] : [`its views are ${projections.lag_ms} ms behind or being built`]),
  ];
  return reasons.join(', ') || 'a catalogue cannot be read, or erasures of its start are not done';
}
