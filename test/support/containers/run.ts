import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findDocker, startEngineContainers } from './engine-containers.ts';

// npm run test:containers: the suites of test:engines on the servers of docker-compose.yml, each in a container. Where
// there is no Docker, they are counted.

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

const nowhere = { TEST_EVENT_STORE: '', TEST_READ_STORE: '', TEST_BUS: '' };

const host = await findDocker();
if (host === null) {
  say('No Docker answers: no container is started, and every suite that needs one is skipped and counted.');
  process.exitCode = await runSuites(nowhere, ['--grep', 'SKIPPED, for']);
} else {
  say('Starting EventStoreDB, MongoDB and Kafka in containers …');
  const { addresses, stop } = await startEngineContainers(host);
  for (const [name, address] of Object.entries(addresses)) say(`${name}=${address}`);
  try {
    process.exitCode = await runSuites(addresses);
  } finally {
    await stop();
  }
}
