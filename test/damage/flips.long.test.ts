/** Random bit flips in the `views.db` of a real service. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { z } from 'zod';

const sum = z.object({ flips: z.number(), wrong_and_unnoticed: z.number(), at_a_read: z.number() });

test('many flipped bits lead to no unnoticed wrong answer', () => {
  const program = 'test/damage/flips-in-process.mjs';
  const printed = execFileSync(process.execPath, [program, '--flips', '840', '--seed', '7'], { encoding: 'utf8' });
  const found = sum.parse(JSON.parse(printed));
  expect(found).toMatchObject({ flips: 840, wrong_and_unnoticed: 0 });
  expect(found.at_a_read).toBeGreaterThan(0);
});
