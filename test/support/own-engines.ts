import { KafkaBroker } from '../contract/kafka-broker.ts';
import { startMongoServer, type MongoServer } from './mongo-server.ts';
import type { Servers } from './shared-engines.ts';

/** A server that a test takes away and gives back. */
export interface Outage {
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** A Kafka broker and a MongoDB-protocol server that nobody else uses. */
export interface OwnEngines {
  readonly servers: Servers;
  readonly outages: Readonly<
    Record<'bus' | 'document store', Readonly<Record<'stopped' | 'frozen', Outage>>>
  >;
  dispose(): Promise<void>;
}

const enginesOf = (mongo: MongoServer, kafka: KafkaBroker): OwnEngines => ({
  servers: { readStore: mongo.url, bus: kafka.address },
  outages: {
    bus: {
      stopped: { begin: () => kafka.kill(), end: () => kafka.start() },
      frozen: { begin: () => kafka.freeze(), end: () => kafka.thaw() },
    },
    'document store': {
      // In good order: killed, H2 may lose what it has acknowledged in its last second, which MongoDB does not.
      stopped: { begin: () => mongo.run('stop'), end: () => mongo.run('start') },
      frozen: { begin: () => mongo.run('pause'), end: () => mongo.run('resume') },
    },
  },
  dispose: async () => {
    await Promise.all([kafka.remove(), mongo.dispose()]);
  },
});

/** Null where Java, Maven or the registry is missing. */
export const startOwnEngines = async (): Promise<OwnEngines | null> => {
  const [mongo, kafka] = await Promise.allSettled([startMongoServer(), KafkaBroker.start()]);
  if (mongo.status === 'fulfilled' && mongo.value && kafka.status === 'fulfilled')
    return enginesOf(mongo.value, kafka.value);
  if (mongo.status === 'fulfilled') await mongo.value?.dispose();
  if (kafka.status === 'fulfilled') await kafka.value.remove();
  // Kafka fails for what is missing.
  const isMissing = mongo.status === 'fulfilled' && mongo.value === null;
  const failed = [mongo, kafka].find((one) => one.status === 'rejected');
  if (failed && !isMissing) throw failed.reason;
  return null;
};
