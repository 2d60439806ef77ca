import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GatewayRow } from '#http/route-list.ts';
import type { Service } from '#values/service.ts';

/** Ports on this machine where replicas of a service listen. */
export type Replicas = Readonly<Record<Service, readonly number[]>>;

export interface Gateway {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** From here on requests go this way, to one replica after another whoever asks. */
  route(rows: readonly GatewayRow[], replicas: Replicas): void;
  close(): Promise<void>;
}

/** One address before several processes, by the table that the routers yield. Knows no stickiness. */
export const startGateway = async (): Promise<Gateway> => {
  let table: readonly (Omit<GatewayRow, 'pattern'> & { readonly pattern: RegExp })[] = [];
  let replicas: Replicas = { command: [], projection: [], dispatcher: [] };
  let served = 0;

  const portFor = (method: string, path: string): number | undefined => {
    const row = table.find((one) => one.method === method && one.pattern.test(path));
    const ports = replicas[row?.service ?? 'command'];
    return ports[served++ % ports.length];
  };

  const server = createServer((incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const port = portFor(method, url.split('?')[0] ?? url);
    const onward = forward({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    route: (rows, to) => {
      table = rows.map((row) => ({ ...row, pattern: new RegExp(row.pattern) }));
      replicas = to;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
