import { chainCheck } from './chain.check.ts';
import type { CreateLogCheck } from './log-check.ts';

/** What `tillroll audit verify` checks along its pass over the log, in the order of the report. */
export const logChecks: readonly CreateLogCheck[] = [chainCheck];
