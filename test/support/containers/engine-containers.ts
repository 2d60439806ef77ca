import { getContainerRuntimeClient, RandomPortGenerator, type StartedTestContainer } from 'testcontainers';
import { composeServer } from './compose-server.ts';

/** Where Docker's ports are to be found; null where no Docker answers. */
export const findDocker = async (): Promise<string | null> => {
  try {
    return (await getContainerRuntimeClient()).info.containerRuntime.host;
  } catch {
    return null;
  }
};

/** Its replica set has one member, which calls itself as docker-compose.yml does: the client must not go by that. */
const startMongoDb = async (): Promise<[StartedTestContainer, string]> => {
  const container = await composeServer('mongodb')
    .withExtraHosts([{ host: 'mongodb', ipAddress: '127.0.0.1' }])
    .withExposedPorts(27017)
    .start();
  const server = `${container.getHost()}:${container.getMappedPort(27017)}`;
  return [container, `mongodb://${server}/tillroll?directConnection=true`];
};

/** A broker tells its clients where it is, so its port on this machine has to be known before it starts. */
const startKafka = async (host: string): Promise<[StartedTestContainer, string]> => {
  const port = await new RandomPortGenerator().generatePort();
  const container = await composeServer('kafka')
    .withEnvironment({ KAFKA_ADVERTISED_LISTENERS: `CLIENTS://${host}:${port}` })
    .withExposedPorts({ container: 9092, host: port })
    .start();
  return [container, `kafka://${host}:${port}`];
};

export interface EngineContainers {
  readonly addresses: Readonly<Record<'TEST_READ_STORE' | 'TEST_BUS', string>>;
  readonly stop: () => Promise<void>;
}

/** Starts MongoDB and Kafka side by side. `host` is where Docker's ports are. */
export const startEngineContainers = async (host: string): Promise<EngineContainers> => {
  const starting = [startMongoDb(), startKafka(host)];
  const started = await Promise.allSettled(starting);
  const stop = async (): Promise<void> => {
    for (const one of started) if (one.status === 'fulfilled') await one.value[0].stop();
  };
  try {
    const [documents, bus] = await Promise.all(starting);
    if (!documents || !bus) throw new Error('not all containers were started');
    return { addresses: { TEST_READ_STORE: documents[1], TEST_BUS: bus[1] }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
