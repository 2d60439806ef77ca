import { Network, RandomPortGenerator, type StartedNetwork, type StartedTestContainer } from 'testcontainers';
import { composeServer } from './compose-server.ts';

/** What suites need to run on a server, see docs/guides/deployment.md. */
export interface EventStoreContainers {
  readonly environment: Readonly<{
    TEST_EVENT_STORE: string;
    TEST_EVENT_STORE_RESET: string;
    TEST_EVENT_STORE_STRIKES: string;
  }>;
  readonly stop: () => Promise<void>;
}

const PORT = 2113;

/** A node tells clients and the other nodes where it is. */
const asNodeOf = (names: readonly string[], name: string, host: string, port: number) => ({
  EVENTSTORE_CLUSTER_SIZE: String(names.length),
  EVENTSTORE_DISCOVER_VIA_DNS: 'false',
  EVENTSTORE_GOSSIP_SEED: names
    .filter((other) => other !== name)
    .map((other) => `${other}:${PORT}`)
    .join(','),
  EVENTSTORE_NODE_IP: '0.0.0.0',
  EVENTSTORE_REPLICATION_IP: '0.0.0.0',
  EVENTSTORE_NODE_HOST_ADVERTISE_AS: name,
  EVENTSTORE_REPLICATION_HOST_ADVERTISE_AS: name,
  EVENTSTORE_ADVERTISE_HOST_TO_CLIENT_AS: host,
  EVENTSTORE_ADVERTISE_NODE_PORT_TO_CLIENT_AS: String(port),
});

/**
 * Ends all nodes, if they have not ended by themselves, empties the volumes that the image declares, and starts them
 * again.
 */
const resetOf = (nodes: string): string =>
  [
    `docker kill ${nodes}`,
    `for node in ${nodes}; do docker run --rm --user root --volumes-from $node --entrypoint sh $(docker inspect --format '{{.Config.Image}}' $node) -c 'rm -rf /var/lib/eventstore/*' || exit`,
    `done`,
    `docker start ${nodes}`,
  ].join('\n');

const strikesOf = (nodes: readonly string[]): Readonly<Record<string, string>> => {
  const all = nodes.join(' ');
  const whole = {
    kill: `docker kill ${all}`,
    start: `docker start ${all}`,
    freeze: `docker pause ${all}`,
    thaw: `docker unpause ${all}`,
  };
  if (nodes.length === 1) return whole;
  // A leader that was deposed may end its process once it is back: those that ended are started first.
  const toLeader = (what: string): string =>
    `docker start ${all}; for node in ${all}; do if docker exec $node curl --silent http://127.0.0.1:${PORT}/info | grep -qi '"state": *"leader"'; then docker ${what} $node; exit; fi; done; echo 'no node leads'; exit 1`;
  const paused = `docker ps --quiet --filter status=paused ${nodes.map((node) => `--filter id=${node}`).join(' ')}`;
  return {
    ...whole,
    'kill-leader': toLeader('kill'),
    'start-leader': whole.start,
    'freeze-leader': toLeader('pause'),
    'thaw-leader': `docker unpause $(${paused})`,
  };
};

const startNode = async (
  names: readonly string[],
  name: string,
  host: string,
  network: StartedNetwork,
): Promise<[StartedTestContainer, string]> => {
  // Its own on this machine, known before it starts and the same after a kill.
  const port = await new RandomPortGenerator().generatePort();
  const container = await composeServer('eventstoredb')
    .withNetwork(network)
    .withNetworkAliases(name)
    .withEnvironment(names.length > 1 ? asNodeOf(names, name, host, port) : {})
    .withExposedPorts({ container: PORT, host: port })
    .start();
  return [container, `${host}:${port}`];
};

/** Starts one node, or a cluster of three. `host` is where Docker's ports are. */
export const startEventStoreDb = async (host: string, size: 1 | 3): Promise<EventStoreContainers> => {
  const network = await new Network().start();
  const names = Array.from({ length: size }, (_, index) => `events-${index + 1}`);
  const started = await Promise.allSettled(names.map((name) => startNode(names, name, host, network)));
  const stop = async (): Promise<void> => {
    for (const one of started) if (one.status === 'fulfilled') await one.value[0].stop();
    await network.stop();
  };
  const failed = started.find((one) => one.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const nodes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const ids = nodes.map(([container]) => container.getId());
  return {
    environment: {
      TEST_EVENT_STORE: `esdb://${nodes.map(([, address]) => address).join(',')}?tls=false`,
      TEST_EVENT_STORE_RESET: resetOf(ids.join(' ')),
      TEST_EVENT_STORE_STRIKES: Object.entries(strikesOf(ids))
        .map(([name, command]) => `${name}=${command}`)
        .join(';;'),
    },
    stop,
  };
};
