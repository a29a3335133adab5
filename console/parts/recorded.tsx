/** Says whether the service records what is read on a page. */
import { session } from '../session.js';

export const areReadsRecorded = (): boolean => session.value?.key.reads_recorded ?? false;

export const Recorded = () => (
  <>
    {areReadsRecorded()
      ? 'What you read here is recorded under the name of your key.'
      : 'This service does not record who reads (ACCESS_LOG=off).'}
  </>
);
