/** Runs every check, one after the other, and lists what each found. Nothing is changed by any of them. */
import { ConfigurationError, readConfig, type Config } from '../stores/config.js';
import { checkClock } from './clock.js';
import { checkCollector } from './collector.js';
import { checkConfiguration } from './configuration.js';
import { checkDisk } from './disk.js';
import { checkExpiringKeys } from './expiring-keys.js';
import { levels, red, yellow, type Diagnosis, type Level } from './diagnosis.js';
import { checkFolder } from './folder.js';
import { checkHeldEmails } from './held-emails.js';
import { checkSeals } from './seals.js';
import { checkLag } from './lag.js';
import { checkLog } from './log.js';
import { checkRelay } from './mail-server.js';
import { checkOpenErasures } from './open-erasures.js';
import { openPlace, StoreNotOpenError, type OpenPlace, type Patient } from './patient.js';
import { checkRegister } from './register.js';
import { checkRunningService, type ServiceDiagnosis } from './running-service.js';
import { checkSecret } from './secret.js';
import { checkServedCertificate } from './served-certificate.js';
import { messageOf } from './servers.js';
import { checkUnknownVariables } from './unknown-variables.js';
import { checkVerification } from './verification.js';
import { checkVersions } from './versions.js';
import { checkStoredViews } from './views.js';

/** Undefined: there is nothing to check here. */
type Check = () => Diagnosis | undefined | Promise<Diagnosis | undefined>;

export interface NamedDiagnosis extends Diagnosis {
  readonly name: string;
}

export async function examine(patient: Patient): Promise<readonly NamedDiagnosis[]> {
  const config = configOf(patient);
  const own = await runAll(patient, {
    configuration: () => checkConfiguration(patient.env),
    variables: () => checkUnknownVariables(patient.env),
    versions: () => checkVersions(process.versions),
    certificate: () => checkServedCertificate(config?.tls, patient.clock()),
  });
  let open: OpenPlace;
  try {
    open = openPlace(patient);
  } catch (error) {
    // The settings of the stores are not valid, which the first check says.
    if (error instanceof ConfigurationError) return own;
    throw error;
  }
  try {
    return [...own, ...(await examinePlace(patient, open, config))];
  } finally {
    await open.close();
  }
}

async function examinePlace(patient: Patient, open: OpenPlace, config: Config | undefined) {
  const { dataDir } = open.place;
  let service: ServiceDiagnosis | undefined;
  return await runAll(patient, {
    folder: () => checkFolder(dataDir),
    disk: () => checkDisk({ dataDir, monotonic: open.monotonic }),
    log: () => checkLog(open),
    secret: () => checkSecret(open),
    verification: () => checkVerification(open),
    views: () => checkStoredViews(open),
    clock: () => checkClock(open),
    service: async () => (service = await checkRunningService(patient)).result,
    lag: () => checkLag(open, service?.runs ?? false),
    register: () => checkRegister(open),
    seals: () => checkSeals(open, config?.seals.every),
    erasures: () => checkOpenErasures(open),
    emails: () => checkHeldEmails(open),
    keys: () => checkExpiringKeys(open),
    mail: () => checkRelay(patient),
    traces: () => checkCollector(patient),
  });
}

/** Undefined where it is not valid. */
function configOf({ env }: Patient): Config | undefined {
  try {
    return readConfig(env);
  } catch {
    return undefined;
  }
}

async function runAll(
  { signal }: Patient,
  checks: Readonly<Record<string, Check>>,
): Promise<readonly NamedDiagnosis[]> {
  const found: NamedDiagnosis[] = [];
  for (const [name, check] of Object.entries(checks)) {
    signal.throwIfAborted();
    const result = await resultOf(check);
    if (result !== undefined) found.push({ name, ...result });
  }
  signal.throwIfAborted();
  return found;
}

async function resultOf(check: Check): Promise<Diagnosis | undefined> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof StoreNotOpenError))
      return red(
        `it could not be checked: ${messageOf(error)}`,
        'Mend what the checks before name; if they name nothing, report this as a fault.',
      );
    const { store, isThere } = error;
    return isThere
      ? yellow(`not checked: the ${store} cannot be read`, `Mend first what the check ${store} names.`)
      : undefined;
  }
}

export const worstOf = (findings: readonly Diagnosis[]): Level =>
  levels.findLast((level) => findings.some((one) => one.level === level)) ?? 'green';
