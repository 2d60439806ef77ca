import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A request as a receiver got it. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Receiver {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** How many connections have been opened to it. */
  readonly connections: () => number;
  close(): Promise<void>;
}

type Respond = (response: ServerResponse, request: ReceivedRequest, count: number) => void;

const answerOk: Respond = (response) => response.end('ok');

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

/** A receiver on loopback that answers 200, or as it is told. */
export const startReceiver = async (respond: Respond = answerOk): Promise<Receiver> => {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = { path: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(chunks) };
      requests.push(request);
      respond(response, request, requests.length);
    });
  });
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listen(server);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Counts the sockets that this process opens as a client: to any port, or to all but one. */
export const spyOnSockets = () => {
  const sockets: Socket[] = [];
  const keep = (message: unknown) => void sockets.push((message as { readonly socket: Socket }).socket);
  subscribe('net.client.socket', keep);
  return {
    opened: (butTo?: number): number =>
      sockets.filter(({ remotePort }) => butTo === undefined || remotePort !== butTo).length,
    stop: (): void => void unsubscribe('net.client.socket', keep),
  };
};
