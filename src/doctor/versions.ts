/** The Node that this runs on, and the SQLite in it. One that is too old for the service does not come so far. */
import { green, type Diagnosis } from './diagnosis.js';

export const checkVersions = ({ node, sqlite = 'unknown' }: NodeJS.ProcessVersions): Diagnosis =>
  green(`Node ${node}, SQLite ${sqlite}`);
