/** Runs verify.mjs many times in one process, because a start of Node takes longer than a verification. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const runner = fileURLToPath(new URL('./verify-many.mjs', import.meta.url));
const verdict = z.object({ code: z.number(), output: z.string() });
export type Verdict = z.output<typeof verdict>;

/** The process loads the program again for each run, and keeps the memory of all runs. */
const mostInOneProcess = 1_000;

/** Returns the output and the exit code for each list of arguments. */
export function verifyAll(calls: readonly (readonly string[])[]): readonly Verdict[] {
  const some = calls.slice(0, mostInOneProcess);
  const { stdout, stderr } = spawnSync(process.execPath, [runner], { input: JSON.stringify(some), maxBuffer: 1e9 });
  const lines = stdout.toString().split('\n').slice(0, -1);
  if (lines.length < some.length) throw new Error(`the verifier ended: ${stderr.toString()}`);
  const verdicts = lines.map((line) => verdict.parse(JSON.parse(line)));
  return some.length === calls.length ? verdicts : [...verdicts, ...verifyAll(calls.slice(mostInOneProcess))];
}
