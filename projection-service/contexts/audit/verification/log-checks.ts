import { chainCheck } from './chain.check.ts';
import { clearTextCheck } from './clear-text.check.ts';
import type { CreateLogCheck } from './log-check.ts';
import { numbersCheck } from './numbers.check.ts';
import { stockCheck } from './stock.check.ts';
import { usesCheck } from './uses.check.ts';

/** What `tillroll audit verify` checks along its pass over the log, in the order of the report. */
export const logChecks: readonly CreateLogCheck[] = [
  chainCheck,
  numbersCheck,
  stockCheck,
  usesCheck,
  clearTextCheck,
];
