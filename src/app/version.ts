/** The version of the service, as package.json has it. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const packageFile = z.object({ version: z.string() });

export const { version } = packageFile.parse(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
);
