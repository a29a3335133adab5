/** Whether a service could start with this environment. */
import { ConfigurationError, readConfig } from '../stores/config.js';
import type { Environment } from '../stores/values-from-files.js';
import { green, red, type Diagnosis } from './diagnosis.js';

export function checkConfiguration(env: Environment): Diagnosis {
  try {
    readConfig(env);
    return green('the settings are valid');
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return red(
      error.message,
      'Correct what is named, as in "Configuration" of docs/operations.md: no start succeeds before.',
    );
  }
}
