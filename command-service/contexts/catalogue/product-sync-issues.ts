import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { CsvIssue } from './product-csv.ts';

export interface PageOf {
  readonly page: number;
  readonly pageSize: number;
}

interface KeptIssue extends CsvIssue, Document {
  readonly runId: string;
}

const issues = 'product_sync_issues';
const MAX_ISSUES = 1000;

/** What is wrong with the files of runs, in the state store. */
export const createSyncIssues = (stateStore: DocumentStore) => ({
  declare: () => stateStore.declare(issues, [{ fields: ['runId', 'line'] }]),
  /** Keeps at most 1,000 of a run, which has so many before; the same again is kept once. */
  keep: async (runId: string, found: readonly CsvIssue[], before: number): Promise<void> => {
    const kept = found.slice(0, Math.max(0, MAX_ISSUES - before)).map((issue): KeptIssue => {
      const { line, column, code, message } = issue;
      return { _id: derivedId(runId, line ?? 0, column ?? '', code, message), runId, ...issue };
    });
    if (kept.length > 0) await stateStore.write(kept.map((put) => ({ collection: issues, put })));
  },
  page: async (runId: string, { page, pageSize }: PageOf) => {
    const skip = (page - 1) * pageSize;
    const [items, total] = await Promise.all([
      stateStore.find<KeptIssue>(issues, { filter: { runId }, sort: [['line', 1]], skip, limit: pageSize }),
      stateStore.count(issues, { runId }),
    ]);
    return { items, total };
  },
  forget: async (runId: string): Promise<void> => {
    while ((await stateStore.deleteMany(issues, { runId }, 1000)) > 0);
  },
});

export type SyncIssues = ReturnType<typeof createSyncIssues>;
