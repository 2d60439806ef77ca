import { readFileSync } from 'node:fs';
import { GenericContainer, Wait } from 'testcontainers';
import { parse } from 'yaml';

/** What is read of docker-compose.yml. */
interface ComposeServer {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly healthcheck: {
    readonly test: readonly string[];
    readonly interval: string;
    readonly timeout: string;
    readonly start_period?: string;
    readonly retries: number;
  };
}

const compose = parse(readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8'), {
  merge: true,
}) as { readonly services: Readonly<Record<string, ComposeServer>> };

/** `${NAME:-default}` as docker compose reads it. */
const interpolated = (text: string): string =>
  text.replace(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, byDefault: string) => process.env[name] || byDefault,
  );

const milliseconds = (duration: string): number => Number(/^(\d+)s$/.exec(duration)?.[1]) * 1000;

/**
 * A server of docker-compose.yml as a container of a test's own: its image, settings and health check, but without its
 * volumes, and ready once it is healthy. Keeps no data.
 */
export const composeServer = (name: string): GenericContainer => {
  const server = compose.services[name];
  if (!server) throw new RangeError(`docker-compose.yml has no ${name}`);
  const { image, command, environment = {}, healthcheck } = server;
  const container = new GenericContainer(interpolated(image))
    .withEnvironment(
      Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, String(value)])),
    )
    .withHealthCheck({
      test: healthcheck.test as ['CMD', ...string[]],
      interval: milliseconds(healthcheck.interval),
      timeout: milliseconds(healthcheck.timeout),
      retries: healthcheck.retries,
      startPeriod: milliseconds(healthcheck.start_period ?? '0s'),
    })
    .withWaitStrategy(Wait.forHealthCheck())
    .withStartupTimeout(180_000);
  return command ? container.withCommand([...command]) : container;
};
