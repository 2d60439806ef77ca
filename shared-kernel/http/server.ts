import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { defined } from '#kernel/defined.ts';

export interface HttpServer {
  readonly port: number;
  /** Accepts nothing more, ends what would last, and waits for the answers that are under way. */
  stop(): Promise<void>;
}

const lookEveryMilliseconds = 25;

const stopSignals = new WeakMap<Socket, AbortSignal>();

/** Aborts when the server of a connection stops; undefined for one that was not accepted by `listen`. */
export const stopSignalOf = (connection: Socket): AbortSignal | undefined => stopSignals.get(connection);

/** Listens; port 0 takes a free one. Throws when the port is taken. */
export const listen = async (app: RequestListener, port: number, host?: string): Promise<HttpServer> => {
  const server = createServer({ keepAliveTimeout: 65_000 }, app);
  const stopping = new AbortController();
  server.on('connection', (connection: Socket) => stopSignals.set(connection, stopping.signal));
  server.listen({ port, ...defined({ host }) });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      stopping.abort();
      // A connection that was busy just now is idle a moment later: it would stay until its keep-alive ends.
      const closer = setInterval(() => server.closeIdleConnections(), lookEveryMilliseconds);
      await closed;
      clearInterval(closer);
    },
  };
};
