/** `audience privacy`: what is stored about a person, and how long. */
import type { Command } from 'commander';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';
import { registerPrivacyExport } from './export.js';

export function registerPrivacy(program: Command, line: CommandLine): void {
  const privacy = program.command('privacy').description('tells a person what is stored about them');
  registerPrivacyExport(privacy, line);
  withExamples(privacy, ['audience privacy export ada@example.com --out ada']);
}
