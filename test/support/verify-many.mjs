// Runs verify.mjs for each list of arguments in one process. Prints its output and exit code as a line of JSON each.
import { readFileSync } from 'node:fs';

const verifier = new URL('../../verify.mjs', import.meta.url);
let said = [];
console.log = console.error = (text) => said.push(text);
for (const [number, parameters] of JSON.parse(readFileSync(0, 'utf8')).entries()) {
  process.argv = [process.execPath, verifier.pathname, ...parameters];
  process.exitCode = 0;
  said = [];
  await import(`${verifier.href}?${number}`);
  process.stdout.write(`${JSON.stringify({ code: process.exitCode, output: said.join('\n') })}\n`);
}
process.exitCode = 0;
