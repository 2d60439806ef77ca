import { z } from 'zod';
import { listFields, pageSchema } from './listing.contract.ts';
import { guid } from '#fields/body-fields.ts';

/** CSV files of products (docs/guides/product-csv.md). */

/** The largest file that is taken. */
export const MAX_CSV_BYTES = 15 * 1024 * 1024;

export const profiles = ['strict', 'extended'] as const;
export const runKinds = ['import', 'export'] as const;
export const runStatuses = ['Queued', 'Running', 'Completed', 'Failed', 'Cancelled'] as const;

const profile = z.enum(profiles).default('strict');

export const csvFile = z.string('must be a CSV file in UTF-8 with a header');

export const profileQuery = z.object({ profile });
export const importQuery = profileQuery.extend({
  dryRun: z.enum(['true', 'false'], 'must be true or false').default('false'),
});

export const runParams = z.object({ id: guid });
export const runListQuery = z.object(listFields());
export const issueListQuery = z.object(listFields(200, 500));

export const runResponse = z.object({
  id: guid,
  kind: z.enum(runKinds),
  profile: z.enum(profiles),
  isDryRun: z.boolean(),
  status: z.enum(runStatuses),
  message: z.string().nullable(),
  /** Rows of the file processed so far, and in all; 0 while not counted. */
  done: z.int(),
  total: z.int(),
  /** Products. */
  created: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  variantsRemoved: z.int(),
  errorCount: z.int(),
  warningCount: z.int(),
  startedBy: z.string().nullable(),
  dateCreated: z.string(),
  dateCompleted: z.string().nullable(),
});
export const runList = pageSchema(runResponse);

export const issueResponse = z.object({
  severity: z.enum(['error', 'warning']),
  code: z.string(),
  message: z.string(),
  /** The physical line on which the cell begins; the header's is 1. */
  line: z.int().nullable(),
  /** The header's name. */
  column: z.string().nullable(),
});
export const issueList = pageSchema(issueResponse);
