/** The certificate of HTTPS: whether it can be used, and until when it is valid. */
import { X509Certificate } from 'node:crypto';
import { readCertificate } from '../stores/certificate.js';
import { ConfigurationError, type Config } from '../stores/config.js';
import { dayMs, soonDays } from './expiring-keys.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';

const remedy = 'Renew the certificate in TLS_CERT and TLS_KEY: the service reads both again every ten seconds.';

/** Undefined: the service speaks HTTP. */
export function checkServedCertificate(files: Config['tls'], now: number): Diagnosis | undefined {
  if (files === undefined) return undefined;
  try {
    const { validToDate } = new X509Certificate(readCertificate(files).cert);
    const days = Math.floor((validToDate.getTime() - now) / dayMs);
    const said = `the certificate is valid until ${validToDate.toISOString()}`;
    if (days < 0) return red(said.replace('is valid', 'was valid'), remedy);
    return days < soonDays ? yellow(said, remedy) : green(said);
  } catch (error) {
    if (error instanceof ConfigurationError)
      return red(
        error.message,
        'Put certificate and key there, readable by the user of the service: no start succeeds before.',
      );
    throw error;
  }
}
