import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defined } from '#kernel/defined.ts';

export interface HttpServer {
  readonly port: number;
  /** Accepts nothing more and waits for the answers that are under way. */
  stop(): Promise<void>;
}

const lookEveryMilliseconds = 25;

/** Listens; port 0 takes a free one. Throws when the port is taken. */
export const listen = async (app: RequestListener, port: number, host?: string): Promise<HttpServer> => {
  const server = createServer({ keepAliveTimeout: 65_000 }, app);
  server.listen({ port, ...defined({ host }) });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      // A connection that was busy just now is idle a moment later: it would stay until its keep-alive ends.
      const closer = setInterval(() => server.closeIdleConnections(), lookEveryMilliseconds);
      await closed;
      clearInterval(closer);
    },
  };
};
