/** The examples of the OpenAPI document, by operation. A test runs each against a service, in this order, and holds the answers against what the service says. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** `parameters`: of path and query. */
const example = z.object({
  parameters: z.record(z.string(), z.unknown()).optional(),
  body: z.unknown().optional(),
  answer: z.unknown().optional(),
});
const examples = z.record(z.string(), example);

export type Example = z.infer<typeof example>;
export type Examples = Readonly<Record<string, Example | undefined>>;

export const readExamples = (): Examples =>
  examples.parse(JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')));
