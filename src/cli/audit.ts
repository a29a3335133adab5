/** `audience audit`: the commands of the auditor. */
import type { Command } from 'commander';
import { registerAuditAt } from './audit-at.js';
import { registerAuditEvents } from './audit-events.js';
import { registerAuditHistory } from './audit-history.js';
import { registerAuditList } from './audit-list.js';
import { registerAuditSeal } from './audit-seal.js';
import { registerAuditVerify } from './audit-verify.js';
import type { CommandLine } from './command-line.js';
import { withExamples } from './program.js';

export function registerAudit(program: Command, line: CommandLine): void {
  const audit = program
    .command('audit')
    .description('what happened, how it was, and whether the record was altered: from the event log itself');
  registerAuditHistory(audit, line);
  registerAuditAt(audit, line);
  registerAuditList(audit, line);
  registerAuditEvents(audit, line);
  registerAuditVerify(audit, line);
  registerAuditSeal(audit, line);
  withExamples(audit, [
    'audience audit history ada@example.com',
    'audience audit at ada@example.com --time 2026-03-01',
  ]);
}
