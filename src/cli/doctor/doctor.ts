/** `audience doctor`: what is in order, what is to be looked after, and what is broken, each with its remedy. */
import type { Command } from 'commander';
import { examine, worstOf, type NamedDiagnosis } from '../../doctor/examine.js';
import { levels } from '../../doctor/diagnosis.js';
import { paintFor } from '../shared/colours.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { printable } from '../../events/printable.js';

export function registerDoctor(program: Command, line: CommandLine): void {
  const doctor = program
    .command('doctor')
    .description(
      'looks at configuration, stores, disk, keys, seals and what waits; changes nothing; exit code 1 where something is red',
    )
    .action(withExitCode(line, () => run(line)));
  withExamples(doctor, ['audience doctor', 'audience doctor --json']);
}

async function run(line: CommandLine): Promise<ExitCode> {
  const findings = await examine(line);
  const level = worstOf(findings);
  await line.stdout.write(line.json ? `${JSON.stringify({ level, findings })}\n` : inLines(findings, line));
  return level === 'red' ? 1 : 0;
}

function inLines(findings: readonly NamedDiagnosis[], { stdout, env }: CommandLine): string {
  const { good, fair, bad, bold } = paintFor(stdout, env);
  const paints = { green: good, yellow: fair, red: bad };
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, level, finding, remedy }) => [
    `${paints[level](level.padEnd(6))}  ${bold(name.padEnd(width))}  ${printable(finding)}`,
    ...(remedy === null ? [] : [`${' '.repeat(width + 10)}${printable(remedy)}`]),
  ]);
  const counts = levels.map((level) => `${findings.filter((one) => one.level === level).length} ${level}`);
  return [...lines, `${counts.join(', ')}.`].map((text) => `${text}\n`).join('');
}
