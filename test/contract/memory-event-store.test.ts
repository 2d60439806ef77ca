import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { eventStoreContract } from './event-store.contract.ts';

eventStoreContract('in memory', async () => {
  const store = createMemoryEventStore();
  return { store, dispose: () => store.close() };
});
