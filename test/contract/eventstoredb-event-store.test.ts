import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { onRealEngine } from '#test/support/real-engine.ts';
import { durableLogContract, eventStoreContract, type DurableLogUnderTest } from './event-store.contract.ts';

/** The server is another process's: it stays, and the log with it. */
const openOn = async (address: string, afterwards: () => void): Promise<DurableLogUnderTest> => {
  const store = await openEventStoreDb({ address });
  let latest: EventStore = store;
  return {
    store,
    reopen: async () => {
      await latest.close();
      return (latest = await openEventStoreDb({ address }));
    },
    dispose: async () => {
      await latest.close();
      afterwards();
    },
  };
};

describe('over the wire', () => {
  // A follower per event, client and server in one process: seconds, on a busy machine more.

  for (const [name, withoutBatchAppend] of [
    ["EventStoreDB's double, appending in batches", false],
    ["EventStoreDB's double, appending one by one", true],
  ] as const) {
    const open = async (): Promise<DurableLogUnderTest> => {
      const double = await new EventStoreDouble({ withoutBatchAppend }).start();
      return openOn(double.address, () => double.close());
    };
    eventStoreContract(name, open);
    durableLogContract(name, open);
  }

  onRealEngine('TEST_EVENT_STORE', (address) => {
    const open = (): Promise<DurableLogUnderTest> => openOn(address, () => {});
    eventStoreContract('EventStoreDB', open);
    durableLogContract('EventStoreDB', open);
  });
});
