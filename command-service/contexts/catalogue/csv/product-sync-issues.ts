import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { isFound } from '#values/search.ts';
import type { CsvIssue } from './product-csv.ts';

export interface PageOf {
  readonly page: number;
  readonly pageSize: number;
  readonly search?: string | undefined;
}

interface KeptIssue extends CsvIssue, Document {
  readonly runId: string;
}

const issues = 'product_sync_issues';
const MAX_ISSUES = 1000;

/** What is wrong with the files of runs, in the state store. */
export const createSyncIssues = (stateStore: DocumentStore) => ({
  declare: () => stateStore.declare(issues, [{ fields: ['runId', 'line'] }]),
  /** Keeps at most 1,000 issues of a run that already has `before`; identical ones are kept once. */
  keep: async (runId: string, found: readonly CsvIssue[], before: number): Promise<void> => {
    const kept = found.slice(0, Math.max(0, MAX_ISSUES - before)).map((issue): KeptIssue => {
      const { line, column, code, message } = issue;
      return { _id: derivedId(runId, line ?? 0, column ?? '', code, message), runId, ...issue };
    });
    if (kept.length > 0) await stateStore.write(kept.map((put) => ({ collection: issues, put })));
  },
  page: async (runId: string, { page, pageSize, search }: PageOf) => {
    const sort = [['line', 1]] as const;
    const all = await stateStore.find<KeptIssue>(issues, { filter: { runId }, sort, limit: MAX_ISSUES });
    const found = all.filter(({ code, message, column }) => isFound(search, [code, message, column]));
    const first = (page - 1) * pageSize;
    return { items: found.slice(first, first + pageSize), total: found.length };
  },
  forget: async (runId: string): Promise<void> => {
    while ((await stateStore.deleteMany(issues, { runId }, 1000)) > 0);
  },
});

export type SyncIssues = ReturnType<typeof createSyncIssues>;
