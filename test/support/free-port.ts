import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems hand out to outgoing connections, so that ours is still free after a kill. */
const PORTS = { first: 20_000, count: 10_000 };
const given = new Set<number>();

/** One that nobody listens on, that no outgoing connection takes, and that nobody here was given before. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (given.has(port)) continue;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    given.add(port);
    server.close();
    await once(server, 'close');
    return port;
  }
};
