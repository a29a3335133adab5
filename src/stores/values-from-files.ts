/** Secrets that come in files, as orchestrators give them: `SECRET_FILE` names the file that has the value of `SECRET`. */
import { readFileSync } from 'node:fs';

/** The message says what is wrong with the configuration, for the operator. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables whose value may come in a file. */
export const inFiles = ['SECRET', 'API_KEYS', 'DKIM_KEY'] as const;

/** The environment with what the files of these variables hold, without white space at their ends. Others are not read. @throws ConfigurationError */
export function withFiles(environment: Environment, variables: readonly string[]): Environment {
  return inFiles.reduce((env, name) => {
    const file = environment[`${name}_FILE`] ?? '';
    if (file === '' || !variables.includes(name)) return env;
    if ((environment[name] ?? '') !== '') throw new ConfigurationError(`set ${name} or ${name}_FILE, not both`);
    const text = textIn(file, name).trim();
    // Keys may stand in lines of their own.
    return { ...env, [name]: name === 'API_KEYS' ? text.replaceAll(/[\s,]+/g, ',') : text };
  }, environment);
}

function textIn(file: string, name: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new ConfigurationError(`the file that ${name}_FILE names cannot be read (${code}): ${file}`);
  }
  if (text.trim() === '') throw new ConfigurationError(`the file that ${name}_FILE names is empty: ${file}`);
  return text;
}
