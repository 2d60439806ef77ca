import { MongoClient } from 'mongodb';
import { newId } from '#kernel/ids.ts';
import { openOwnEventStore, type OwnEventStore } from './own-event-store.ts';
import { givenEventStore } from './given-event-store.ts';
import { onRealEngine, shown } from './real-engine.ts';

/** What processes share beside the log. */
interface OtherServers {
  readonly readStore: string;
  readonly bus: string;
}

/**
 * Those that several shops share; each has an event store of its own. `embedded`: none, so that a shop is one process,
 * with the other engines in its folder.
 */
export type Servers = OtherServers | 'embedded';

/** Where the processes of one shop find what they share. */
export interface EngineAddresses {
  readonly eventStore: string;
  readonly others: OtherServers | null;
}

/**
 * Declares a suite on servers. Where an event store is lent to it and no other server is named, its shop is one process
 * beside that; a suite that is about several processes, and any where a server is missing, is counted as skipped.
 */
export const onServers = (
  suite: (servers: Servers) => void,
  { needsReplicas = false }: { readonly needsReplicas?: boolean } = {},
): void => {
  const { TEST_READ_STORE, TEST_BUS } = process.env;
  const given = TEST_READ_STORE || TEST_BUS ? null : givenEventStore();
  if (given && !needsReplicas) {
    describe(`on ${shown(given.address)}, the other engines embedded`, () => suite('embedded'));
    return;
  }
  onRealEngine('TEST_READ_STORE', (readStore) => {
    onRealEngine('TEST_BUS', (bus) => suite({ readStore, bus }));
  });
};

/** For the titles of suites that take whatever processes there are. */
export const processesOn = (servers: Servers): string =>
  servers === 'embedded'
    ? 'one process of the whole shop'
    : 'two processes of the command service, and no stickiness';

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
  if (servers === 'embedded')
    return {
      addresses: { eventStore: eventStore.address, others: null },
      eventStore,
      close: () => eventStore.close(),
    };
  const name = `shop_${newId().replaceAll('-', '').slice(-12)}`;
  return {
    addresses: {
      eventStore: eventStore.address,
      others: {
        readStore: withDatabase(servers.readStore, name),
        bus: withPrefix(servers.bus, `${name}.`),
      },
    },
    eventStore,
    close: async () => {
      await eventStore.close();
      await dropDatabases(servers.readStore, [name, `${name}_state`]);
    },
  };
};
