import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems hand out to outgoing connections, so that ours is still free after a kill. */
const PORTS = { first: 20_000, count: 10_000 };
/** Of test files that run side by side each process has a range of its own, for `given` is known to one process. */
const [place = 0, jobs = 1] = (process.env['TEST_WORKER'] ?? '0/1').split('/').map(Number);
const count = Math.floor(PORTS.count / jobs);
const first = PORTS.first + place * count;
const given = new Set<number>();

/** One that nobody listens on, that no outgoing connection takes, and that nobody here was given before. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
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
