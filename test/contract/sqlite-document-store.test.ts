import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { describeDocumentStore } from './document-store.contract.ts';

for (const mode of ['inline', 'thread'] as const) {
  describeDocumentStore({
    name: `SQLite (${mode})`,
    isTransactional: true,
    open: async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tillroll-documents-'));
      const store = await openSqliteDocumentStore({
        file: join(folder, 'read.db'),
        mode,
        synchronous: 'NORMAL',
      });
      return {
        store,
        dispose: async () => {
          await store.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  });
}
