/** The option with which `audience backup verify` and `audience restore` accept a manifest without a valid MAC. */
import { Option } from 'commander';
import { z } from 'zod';

export const acceptUnsignedOption = (): Option =>
  new Option('--accept-unsigned', 'accepts a backup whose manifest has no valid MAC although the secret is known');

export const acceptUnsigned = z.object({ acceptUnsigned: z.boolean().default(false) });
