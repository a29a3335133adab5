/** Runs verify.mjs many times in one process, because each start of Node takes longer than a verification. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { jsonLines } from './audience.js';

const runner = fileURLToPath(new URL('./verify-many.mjs', import.meta.url));
const verdict = z.object({ code: z.number(), output: z.string() });
export type Verdict = z.output<typeof verdict>;

/** Each time the program is loaded anew, which takes memory. */
const mostAtOnce = 1_000;

/** What it says to each of these lists of arguments, and its exit code. */
export function verifyAll(calls: readonly (readonly string[])[]): readonly Verdict[] {
  const some = calls.slice(0, mostAtOnce);
  const { stdout, stderr } = spawnSync(process.execPath, [runner], { input: JSON.stringify(some), maxBuffer: 1e9 });
  const verdicts = jsonLines(stdout.toString()).map((line) => verdict.parse(line));
  if (verdicts.length < some.length) throw new Error(`the verifier ended: ${stderr.toString()}`);
  return some.length === calls.length ? verdicts : [...verdicts, ...verifyAll(calls.slice(mostAtOnce))];
}
