/** What e-mails are signed with: reads the key where the configuration names a file. */
import { readFileSync } from 'node:fs';
import { parseDkimKey, type DkimSettings } from '../mailer/dkim.js';
import { ConfigurationError, type Config } from './config.js';

/** @throws ConfigurationError that shows nothing of the key */
export function readDkim({ domain, selector, key }: NonNullable<Config['dkim']>): DkimSettings {
  if ('privateKey' in key) return { domain, selector, privateKey: key.privateKey };
  try {
    return { domain, selector, privateKey: parseDkimKey(readFileSync(key.file, 'utf8')) };
  } catch (error) {
    throw new ConfigurationError(`DKIM_KEY_FILE ${whatIsWrong(error)}`);
  }
}

const whatIsWrong = (error: unknown): string =>
  error instanceof Error && !('code' in error)
    ? error.message
    : `names a file that cannot be read: ${error instanceof Error ? error.message : String(error)}`;
