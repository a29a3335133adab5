/** The process that copies the embedded log: from, to. */
import { vacuumInto } from './log-copy.js';

const [file = '', to = ''] = process.argv.slice(2);
const fault = vacuumInto(file, to);
if (fault !== undefined) {
  process.stderr.write(fault);
  process.exitCode = 1;
}
