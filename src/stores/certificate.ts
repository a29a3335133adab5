/** The certificate of HTTPS: read and checked from its two files, and again whenever they change. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigurationError, type Config } from './config.js';

export type CertificateFiles = NonNullable<Config['tls']>;

/** In PEM: the certificate with its chain, and its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** @throws ConfigurationError that names the variable and shows nothing of the key */
export function readCertificate(files: CertificateFiles): Certificate {
  const cert = textOf('TLS_CERT', files.cert);
  const key = textOf('TLS_KEY', files.key);
  if (!certificateIn(cert, files.cert).checkPrivateKey(privateKeyIn(key, files.key)))
    throw new ConfigurationError(
      `TLS_KEY is not the private key of the first certificate in TLS_CERT: ${files.key}, ${files.cert}`,
    );
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigurationError(`TLS_CERT and TLS_KEY cannot be used: ${reasonOf(error)}`);
  }
  return { cert, key };
}

const textOf = (variable: string, file: string): string =>
  attempt(
    () => readFileSync(file, 'utf8'),
    (reason) => `${variable} cannot be read: ${reason}`,
  );

const certificateIn = (pem: string, file: string): X509Certificate =>
  attempt(
    () => new X509Certificate(pem),
    () => `TLS_CERT holds no certificate in PEM: ${file}`,
  );

const privateKeyIn = (pem: string, file: string): KeyObject =>
  attempt(
    () => createPrivateKey(pem),
    () => `TLS_KEY holds no private key in PEM without passphrase: ${file}`,
  );

function attempt<Result>(act: () => Result, describe: (reason: string) => string): Result {
  try {
    return act();
  } catch (error) {
    throw new ConfigurationError(describe(reasonOf(error)));
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Without chain and key: what clients on this machine may know. */
export const ownCertificate = ({ cert }: Certificate): string => new X509Certificate(cert).toString();

interface Following {
  readonly files: CertificateFiles;
  readonly current: Certificate;
  onRenewed(certificate: Certificate): void;
  /** Once for each state of the files. Those of a renewal may be written one after the other. */
  onFault(reason: string): void;
}

const lookMs = 10_000;

/** Reads the files every `interval` milliseconds: that also sees links that lead elsewhere, and files on mounts that notify of nothing. */
export function followCertificate({ files, current, onRenewed, onFault }: Following, interval = lookMs) {
  let seen = JSON.stringify(current);
  const look = (): void => {
    const before = seen;
    try {
      const certificate = readCertificate(files);
      seen = JSON.stringify(certificate);
      if (seen !== before) onRenewed(certificate);
    } catch (error) {
      seen = reasonOf(error);
      if (seen !== before) onFault(seen);
    }
  };
  const timer = setInterval(look, interval).unref();
  return { close: () => clearInterval(timer) };
}
