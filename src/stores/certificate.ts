/** The certificate of HTTPS: read and checked from its two files, and read again when they change. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { repeat } from '../flow/repeat.js';
import { ConfigurationError, type Config } from './config.js';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** @throws ConfigurationError that names the variable and shows nothing of the key */
export function readCertificate(files: NonNullable<Config['tls']>): Certificate {
  const cert = attempt('TLS_CERT cannot be read', () => readFileSync(files.cert, 'utf8'));
  const key = attempt('TLS_KEY cannot be read', () => readFileSync(files.key, 'utf8'));
  const certificate = attempt('TLS_CERT holds no certificate in PEM', () => new X509Certificate(cert));
  const privateKey = attempt('TLS_KEY holds no private key in PEM without passphrase', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw new ConfigurationError('TLS_KEY is not the private key of the first certificate in TLS_CERT');
  attempt('TLS_CERT and TLS_KEY cannot be used', () => createSecureContext({ cert, key }));
  return { cert, key };
}

function attempt<Result>(failure: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw new ConfigurationError(`${failure}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Without chain and key: what clients on this machine may know. */
export const ownCertificate = ({ cert }: Certificate): string => new X509Certificate(cert).toString();

/** How often the files are read: that also sees links that lead elsewhere, and mounts that notify of nothing. */
const renewalMs = 10_000;

interface Renewal {
  readonly files: Config['tls'];
  readonly signal: AbortSignal;
  readonly onRenewed: (certificate: Certificate) => void;
  /** Once for as long as the files cannot be used. */
  readonly onFault: (error: unknown) => void;
}

/** Until the signal is aborted. */
export async function followCertificate(
  first: Certificate,
  { files, signal, onRenewed, onFault }: Renewal,
): Promise<void> {
  let served = first;
  const renew = (): void => {
    const read = files && readCertificate(files);
    if (read === undefined || isDeepStrictEqual(read, served)) return;
    onRenewed(read);
    served = read;
  };
  await repeat(renew, { pause: renewalMs, signal, onFault });
}
