/** X.509 certificates for the tests, written here byte by byte: Node can sign but makes none, and not every machine has openssl. */
import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface TestCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

interface Wanted {
  /** The host that it is for, or its IPv4 address. */
  readonly name?: string;
  readonly notAfter?: Date;
  /** Default: signed by itself. */
  readonly issuer?: TestIssuer;
}

interface TestIssuer {
  readonly name: string;
  readonly key: string;
}

const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents);
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(hex('06 03 55 04 03'), der(0x0c, Buffer.from(name)))));
const time = (date: Date): Buffer => der(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`));
const ecdsaWithSha256 = sequence(hex('06 08 2A 86 48 CE 3D 04 03 02'));
const version3 = der(0xa0, hex('02 01 02'));

const alternativeName = (name: string): Buffer =>
  isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));

/** For the server of `name`, with a fresh key on P-256. */
export function makeCertificate({ name = 'localhost', notAfter, issuer }: Wanted = {}): TestCertificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signer: KeyObject | string = issuer?.key ?? privateKey;
  const alternativeNames = sequence(hex('06 03 55 1D 11'), der(0x04, sequence(alternativeName(name))));
  const serial = Buffer.from([1, ...Buffer.from(String(process.hrtime.bigint()))]);
  const certified = sequence(
    version3,
    der(0x02, serial),
    ecdsaWithSha256,
    commonName(issuer?.name ?? name),
    sequence(time(new Date('2020-01-01')), time(notAfter ?? new Date('2100-01-01'))),
    commonName(name),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeNames)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', certified, signer));
  const text = sequence(certified, ecdsaWithSha256, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${text.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key,
  };
}
