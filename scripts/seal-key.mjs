// Makes an Ed25519 key to seal with, in PEM, unless the file is there: node scripts/seal-key.mjs FILE
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file: node scripts/seal-key.mjs FILE');
const { privateKey } = generateKeyPairSync('ed25519');
try {
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
}
