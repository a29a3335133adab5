/** The entry of the thread that parses reports. */
import { answerJobs } from '../flow/limited-thread.js';
import { readReport } from './read-report.js';

answerJobs(readReport);
