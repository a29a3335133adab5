/** `audience audit`: the commands of the auditor. */
import type { Command } from 'commander';
import { registerAuditAccess } from './access.js';
import { registerAuditAt } from './at.js';
import { registerAuditConsistency } from './consistency.js';
import { registerAuditDiff } from './diff.js';
import { registerAuditEvents } from './events.js';
import { registerAuditHistory } from './history.js';
import { registerAuditList, registerAuditLists } from './list.js';
import { registerAuditProve } from './prove.js';
import { registerAuditReport } from './report.js';
import { registerAuditSeal } from './seal.js';
import { registerAuditSeals } from './seals.js';
import { registerAuditVerify } from './verify.js';
import type { CommandLine } from '../shared/command-line.js';
import { withExamples } from '../shared/options.js';

export function registerAudit(program: Command, line: CommandLine): void {
  const audit = program
    .command('audit')
    .description('what happened, how it was, and whether the record was altered: from the event log itself');
  registerAuditHistory(audit, line);
  registerAuditAt(audit, line);
  registerAuditList(audit, line);
  registerAuditDiff(audit, line);
  registerAuditLists(audit, line);
  registerAuditReport(audit, line);
  registerAuditEvents(audit, line);
  registerAuditAccess(audit, line);
  registerAuditVerify(audit, line);
  registerAuditSeal(audit, line);
  registerAuditSeals(audit, line);
  registerAuditProve(audit, line);
  registerAuditConsistency(audit, line);
  withExamples(audit, [
    'audience audit history ada@example.com',
    'audience audit at ada@example.com --time 2026-03-01',
  ]);
}
