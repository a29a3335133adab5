/** The certificate of HTTPS from its files: what is refused. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ownCertificate, readCertificate } from '../../src/stores/certificate.js';
import { ConfigurationError } from '../../src/stores/config.js';
import { makeCertificate, type TestCertificate } from '../support/certificates.js';

const host = 'ledger.example.com';

function filesWith({ cert, key }: Partial<TestCertificate>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'audience-certificate-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
  if (cert !== undefined) writeFileSync(files.cert, cert);
  if (key !== undefined) writeFileSync(files.key, key);
  return files;
}

const issuer = { name: 'An Issuer', ...makeCertificate({ name: 'An Issuer' }) };
const pair = makeCertificate({ name: host });
const issued = makeCertificate({ name: host, issuer });
const chained = { cert: `${issued.cert}${issuer.cert}`, key: issued.key };

test.each<[string, Partial<TestCertificate>, RegExp]>([
  ['no certificate', {}, /^TLS_CERT cannot be read: ENOENT/],
  ['no key', { cert: pair.cert }, /^TLS_KEY cannot be read: ENOENT/],
  ['a certificate that is none', { cert: 'x', key: pair.key }, /^TLS_CERT holds no certificate in PEM/],
  ['a key that is none', { cert: pair.cert, key: pair.cert }, /^TLS_KEY holds no private key in PEM/],
  ['the key of another', { cert: pair.cert, key: issued.key }, /^TLS_KEY is not the private key of the first/],
  ['the chain first', { cert: `${issuer.cert}${issued.cert}`, key: issued.key }, /^TLS_KEY is not the private key/],
])('%s is refused by name', (_, given, message) => {
  const files = filesWith(given);
  expect(() => readCertificate(files)).toThrow(ConfigurationError);
  expect(() => readCertificate(files)).toThrow(message);
});

test('a certificate with its chain, and both in one file with the key, are taken', () => {
  expect(readCertificate(filesWith(chained))).toEqual(chained);
  const both = `${chained.key}${chained.cert}`;
  const read = readCertificate(filesWith({ cert: both, key: both }));
  expect(ownCertificate(read)).toBe(issued.cert);
});
