import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findDocker, startEngineContainers } from './engine-containers.ts';
import { startEventStoreDb } from './event-store-containers.ts';

// npm run test:containers: the suites of test:engines on the servers of docker-compose.yml, each in a container, with
// one node of EventStoreDB and with three. Where there is no Docker, they are counted.

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const runSuites = async (
  environment: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<number> => {
  const child = spawn('npm', ['run', '--silent', 'mocha:engines', '--', ...options], {
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
};

const nowhere = {
  TEST_EVENT_STORE: '',
  TEST_EVENT_STORE_RESET: '',
  TEST_EVENT_STORE_STRIKES: '',
  TEST_READ_STORE: '',
  TEST_BUS: '',
};

const runOn = async (host: string, nodes: 1 | 3, addresses: Readonly<Record<string, string>>) => {
  const { environment, stop } = await startEventStoreDb(host, nodes);
  say(`TEST_EVENT_STORE=${environment.TEST_EVENT_STORE}`);
  try {
    return await runSuites({ ...addresses, ...environment });
  } finally {
    await stop();
  }
};

const host = await findDocker();
if (host === null) {
  say('No Docker answers: no container is started, and every suite that needs one is skipped and counted.');
  process.exitCode = await runSuites(nowhere, ['--grep', 'SKIPPED, for']);
} else {
  say('Starting MongoDB and Kafka in containers, and EventStoreDB as one node, then as three …');
  const { addresses, stop } = await startEngineContainers(host);
  for (const [name, address] of Object.entries(addresses)) say(`${name}=${address}`);
  try {
    const one = await runOn(host, 1, addresses);
    process.exitCode = (await runOn(host, 3, addresses)) || one;
  } finally {
    await stop();
  }
}
