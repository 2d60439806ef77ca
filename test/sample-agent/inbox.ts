import { createServer, type IncomingMessage } from 'node:http';
import type { ShopKeys } from './shop-keys.ts';
import { verifyBody, verifySignature, type Verdict } from './signatures.ts';

/** What the shop has told of an order, or of a session. */
export interface Notice {
  readonly id: string;
  readonly type: string;
  readonly body: Record<string, unknown>;
  readonly verdict: Verdict;
}

/** Where the shop finds this agent: its profile, its notices, and the way back from the sign-in page. */
export interface Inbox {
  readonly profileUrl: string;
  readonly callbackUrl: string;
  /** The next notice; null: none has come in time. */
  next(milliseconds: number): Promise<Notice | null>;
  /** The query with which a member came back; null: no one has. */
  returned(milliseconds: number): Promise<URLSearchParams | null>;
  close(): Promise<void>;
}

export interface InboxOptions {
  readonly port: number;
  /** Null: on this machine. */
  readonly publicUrl: string | null;
  readonly profile: (own: string) => unknown;
  readonly shopKeys: ShopKeys;
}

const neededOfNotices = [
  ...['@method', '@authority', '@path', 'ucp-agent', 'idempotency-key', 'content-digest', 'content-type'],
  ...['webhook-id', 'webhook-timestamp'],
];

/** Anyone can send something to a public address. */
const MOST_BYTES = 1_000_000;

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new RangeError('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

/** Things that come one by one, and someone who waits for them; null: none has come in time. */
const createQueue = <Item>() => {
  const items: Item[] = [];
  let waiting: ((item: Item) => void) | null = null;
  return {
    put: (item: Item): void => {
      if (waiting) waiting(item);
      else items.push(item);
    },
    take: (milliseconds: number): Promise<Item | null> => {
      const item = items.shift();
      if (item !== undefined) return Promise.resolve(item);
      return new Promise((resolve) => {
        const end = (given: Item | null): void => {
          waiting = null;
          clearTimeout(timer);
          resolve(given);
        };
        const timer = setTimeout(() => end(null), milliseconds);
        waiting = end;
      });
    },
  };
};

export const openInbox = async ({ port, publicUrl, profile, shopKeys }: InboxOptions): Promise<Inbox> => {
  const notices = createQueue<Notice>();
  const returns = createQueue<URLSearchParams>();
  const seen = new Set<string>();
  let own = '';

  /**
   * A notice may come twice: its id says so. It is signed in the version of its checkout, which an earlier run may have
   * begun in another one. What is not signed by the shop is not believed.
   */
  const receive = async (request: IncomingMessage): Promise<number> => {
    const body = await bodyOf(request);
    const headers = headersOf(request);
    const message = { method: 'POST', url: new URL(request.url ?? '/', own), headers, body };
    const verdict = await shopKeys.verify((keys) =>
      headers['request-signature'] === undefined
        ? verifySignature(message, keys, neededOfNotices)
        : verifyBody(headers['request-signature'], body, keys),
    );
    const id = headers['webhook-id'] ?? '';
    if (verdict.kind === 'verified' && seen.has(id)) return 200;
    if (verdict.kind === 'verified') seen.add(id);
    const type = headers['x-event-type'] ?? '';
    const told = JSON.parse(body.toString()) as Record<string, unknown>;
    notices.put({ id, type, body: told, verdict });
    return verdict.kind === 'verified' ? 200 : 401;
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', own);
    if (url.pathname === '/profile.json') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(profile(own)));
    } else if (url.pathname === '/notices' && request.method === 'POST') {
      receive(request).then(
        (status) => response.writeHead(status).end(),
        () => response.writeHead(400).end(),
      );
    } else if (url.pathname === '/callback') {
      returns.put(url.searchParams);
      response.writeHead(200, { 'content-type': 'text/plain' }).end('Thank you. You can close this page.\n');
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  own = publicUrl ?? `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
  return {
    profileUrl: `${own}/profile.json`,
    callbackUrl: `${own}/callback`,
    next: notices.take,
    returned: returns.take,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
