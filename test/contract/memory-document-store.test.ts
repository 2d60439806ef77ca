import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { describeDocumentStore } from './document-store.contract.ts';

describeDocumentStore({
  name: 'memory',
  isTransactional: true,
  open: async () => {
    const store = createMemoryDocumentStore();
    return { store, dispose: () => store.close() };
  },
});
