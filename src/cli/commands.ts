/** Every command of `audience`, in the order of its help. A new command gets its line here, and its section in docs/cli.md. */
import type { Command } from 'commander';
import { registerAudit } from './audit/audit.js';
import type { CommandLine } from './shared/command-line.js';
import { registerBackup } from './backup/backup.js';
import { registerRestore } from './backup/restore.js';
import { registerDoctor } from './doctor/doctor.js';
import { registerEmail } from './email/email.js';
import { registerClock } from './clock/clock.js';
import { registerExport } from './export/export.js';
import { registerImport } from './copy/import.js';
import { registerKeys } from './keys/keys.js';
import { registerProjections } from './projections/projections.js';
import { registerPrivacy } from './privacy/privacy.js';
import { registerSuppressions } from './suppressions/suppressions.js';
import { registerMigrate } from './copy/migrate.js';

export function registerCommands(program: Command, line: CommandLine): void {
  registerAudit(program, line);
  registerExport(program, line);
  registerImport(program, line);
  registerProjections(program, line);
  registerEmail(program, line);
  registerSuppressions(program, line);
  registerKeys(program, line);
  registerPrivacy(program, line);
  registerBackup(program, line);
  registerRestore(program, line);
  registerMigrate(program, line);
  registerClock(program, line);
  registerDoctor(program, line);
}
