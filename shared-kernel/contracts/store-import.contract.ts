import { z } from 'zod';

/** A store file; the import checks what it holds and names every problem by its path. */
export const storeFileBody = z.string('must be a store file in JSON');

export const storeImportResponse = z.object({
  /** Entries by list. */
  counts: z.record(z.string(), z.int()),
  /** Entries that were created or changed. */
  changed: z.int(),
});
