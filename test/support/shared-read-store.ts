import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** One file as the process that holds it has it open, which keeps at hand what it reads, and as a rebuild beside it. */
export const openSharedReadStore = async (): Promise<{
  readonly held: DocumentStore;
  readonly beside: DocumentStore;
  readonly close: () => Promise<void>;
}> => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-shared-'));
  const open = (exclusive: boolean) =>
    openSqliteDocumentStore({ file: join(folder, 'read.db'), mode: 'inline', exclusive });
  const held = await open(true);
  const beside = await open(false);
  return {
    held,
    beside,
    close: async () => {
      await beside.close();
      await held.close();
      rmSync(folder, { recursive: true });
    },
  };
};
