import { MongoClient } from 'mongodb';
import { newId } from '#kernel/ids.ts';
import { openOwnEventStore, type OwnEventStore } from './own-event-store.ts';
import { onRealEngine } from './real-engine.ts';

/** Where the processes of one shop find what they share. */
export interface EngineAddresses {
  readonly eventStore: string;
  readonly readStore: string;
  readonly bus: string;
}

/** Those that several shops share; each has an event store of its own. */
export type Servers = Omit<EngineAddresses, 'eventStore'>;

/** Declares a suite that needs both servers; where one is not named, its tests are counted as skipped. */
export const onServers = (suite: (servers: Servers) => void): void => {
  onRealEngine('TEST_READ_STORE', (readStore) => {
    onRealEngine('TEST_BUS', (bus) => suite({ readStore, bus }));
  });
};

/** Databases and topics of its own on a server that others use, too. */
const withDatabase = (address: string, name: string): string =>
  address.replace(/^([a-z+]+:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`);
const withPrefix = (address: string, prefix: string): string =>
  `${address}${address.includes('?') ? '&' : '?'}prefix=${prefix}`;

const dropDatabases = async (server: string, names: readonly string[]): Promise<void> => {
  const client = await MongoClient.connect(server);
  try {
    // mongo-java-server cannot drop what has an index over several fields. What stays is nobody's.
    for (const name of names)
      await client
        .db(name)
        .dropDatabase()
        .catch(() => undefined);
  } finally {
    await client.close();
  }
};

/** What one shop has for itself on the servers: an event store of its own, databases, topics and groups. */
export interface SharedEngines {
  readonly addresses: EngineAddresses;
  readonly eventStore: OwnEventStore;
  close(): Promise<void>;
}

export const openSharedEngines = async (servers: Servers): Promise<SharedEngines> => {
  const eventStore = await openOwnEventStore();
  const name = `shop_${newId().replaceAll('-', '').slice(-12)}`;
  return {
    addresses: {
      eventStore: eventStore.address,
      readStore: withDatabase(servers.readStore, name),
      bus: withPrefix(servers.bus, `${name}.`),
    },
    eventStore,
    close: async () => {
      await eventStore.close();
      await dropDatabases(servers.readStore, [name, `${name}_state`]);
    },
  };
};
