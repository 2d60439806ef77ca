import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came over the wire. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What to do with a request: answer it, or anything that hostile receivers do. */
export type Responder = (response: ServerResponse, received: Received) => void;

export const respondWith =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Responder =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** Never answers. */
export const staySilent: Responder = () => undefined;

/** Somebody who has subscribed: a real HTTP server on a free port of 127.0.0.1. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Requests that are being answered just now, and the most there have been at once. */
  readonly open: number;
  readonly mostOpen: number;
  /** From now on. */
  answer(answering: Responder): void;
  /** Resolves when there have been so many requests; rejects after `timeoutMs` of real time. */
  count(requests: number, timeoutMs?: number): Promise<void>;
  stop(): Promise<void>;
}

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

export const startReceiver = async (first: Responder = respondWith(200, 'ok')): Promise<Receiver> => {
  const received: Received[] = [];
  const arrivals = new Set<() => void>();
  let answering = first;
  let open = 0;
  let mostOpen = 0;
  const server = createServer((request, response) => {
    mostOpen = Math.max(mostOpen, ++open);
    response.on('close', () => open--);
    read(request).then(
      (body) => {
        const one = { path: request.url ?? '', headers: request.headers, body };
        received.push(one);
        for (const arrived of arrivals) arrived();
        answering(response, one);
      },
      () => undefined,
    );
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    get open() {
      return open;
    },
    get mostOpen() {
      return mostOpen;
    },
    answer: (next) => {
      answering = next;
    },
    count: (requests, timeoutMs = 30_000) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (received.length < requests) return;
          clearTimeout(timer);
          arrivals.delete(look);
          resolve();
        };
        const timer = setTimeout(() => {
          arrivals.delete(look);
          reject(new Error(`${received.length} of ${requests} requests came`));
        }, timeoutMs);
        arrivals.add(look);
        look();
      }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Whether a signature is that of the raw bytes, as an integrator would check it: with code of its own. */
export const isSigned = ({ headers, body }: Received, secret: string): boolean => {
  const given = Buffer.from(String(headers['x-service-hmac-sha256'] ?? ''), 'base64');
  const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest();
  return given.length === expected.length && timingSafeEqual(given, expected);
};

export const deliveryIdOf = ({ headers }: Received): string => String(headers['x-service-delivery-id']);
