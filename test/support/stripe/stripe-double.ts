import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { createBooks, type Authentication } from './stripe-books.ts';
import { createRoutes } from './stripe-routes.ts';
import { error, type Answer, type Form, type Json } from './stripe-rules.ts';

/** A small Stripe on loopback: intents, refunds, customers and methods, with keys that it remembers. */
export interface StripeDouble {
  readonly url: string;
  /** Paths and keys that were asked for. */
  readonly asked: readonly { readonly path: string; readonly key: string | undefined; readonly form: Form }[];
  /** What was taken, less what was given back. */
  readonly taken: () => number;
  /** Somebody pays in an intent, or at a page. */
  readonly payIn: (sessionId: string) => void;
  /** The payer has been with their bank; the address that their browser is sent to. */
  readonly authenticate: (intentId: string, how: Authentication) => string;
  /** The payer's browser confirms an intent, with its secret and the shop's publishable key. */
  readonly confirmInBrowser: (intentId: string, fields: Form) => Promise<Json>;
  /** What it would call the shop with, oldest first. */
  readonly events: readonly Json[];
  /** A refund comes to its end, as Stripe calls it: `succeeded` or `failed`. */
  readonly endRefund: (refundId: string, status: string) => void;
  /** The payer asks their bank for what they have paid, or for a part; the id of the dispute. */
  readonly dispute: (intentId: string, status?: string, amount?: number) => string;
  /** What is held was not captured in time. */
  readonly expire: (intentId: string) => void;
  /** The bank has decided, as Stripe calls it. */
  readonly endDispute: (disputeId: string, status: string) => void;
  /** The next request, of this path where one is given, is worked on, and its answer is lost. */
  readonly loseResponse: (path?: string) => void;
  /** The next request is answered so, whatever it is. */
  readonly answerNext: (respond: (response: ServerResponse) => void) => void;
  /** Nobody listens any more. */
  readonly goAway: () => Promise<void>;
}

const read = async (request: IncomingMessage): Promise<Form> => {
  let body = '';
  for await (const part of request) body += String(part);
  return Object.fromEntries(new URLSearchParams(body));
};

export const startStripeDouble = async (): Promise<StripeDouble> => {
  const books = createBooks();
  const { route, payIn } = createRoutes(books);
  const answers = new Map<string, { readonly asks: string; readonly made: string }>();
  const asked: { path: string; key: string | undefined; form: Form }[] = [];
  const sockets = new Set<Socket>();
  let lostPath: string | null = null;
  let instead: ((response: ServerResponse) => void) | null = null;

  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const form = { ...Object.fromEntries(new URLSearchParams(query)), ...(await read(request)) };
    const given = request.headers['idempotency-key'];
    const key = typeof given === 'string' ? given : undefined;
    const apiKey = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    asked.push({ path, key, form });
    if (instead) {
      const respond = instead;
      instead = null;
      respond(response);
      return;
    }
    const asks = JSON.stringify(form);
    const known = key === undefined ? undefined : answers.get(key);
    const isOther = known !== undefined && known.asks !== asks;
    const made = isOther
      ? JSON.stringify(error(400, 'idempotency_error', '', 'Keys are for the same parameters only.'))
      : (known?.made ?? JSON.stringify(route({ method: request.method ?? '', path, form, apiKey })));
    if (key !== undefined && known === undefined) answers.set(key, { asks, made });
    if (lostPath !== null && path.startsWith(lostPath)) {
      lostPath = null;
      request.socket.destroy();
      return;
    }
    const [status, body] = JSON.parse(made) as Answer;
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };

  const server = createServer((request, response) => void answerTo(request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    taken: books.taken,
    endRefund: books.endRefund,
    dispute: (intentId, status = 'needs_response', amount = undefined) => {
      const intent = books.intents.get(intentId);
      if (!intent) throw new Error(`there is no intent ${intentId}`);
      return books.banks.dispute(intent, status, amount);
    },
    endDispute: books.banks.endDispute,
    expire: books.expire,
    payIn,
    authenticate: books.authenticate,
    events: books.events,
    confirmInBrowser: async (intentId, fields) => {
      const kind = intentId.startsWith('seti_') ? 'setup_intents' : 'payment_intents';
      const answer = await fetch(`${url}/v1/${kind}/${intentId}/confirm`, {
        method: 'POST',
        headers: { Authorization: 'Bearer pk_test_1' },
        body: new URLSearchParams(fields),
      });
      return (await answer.json()) as Json;
    },
    loseResponse: (of = '') => void (lostPath = of),
    answerNext: (respond) => void (instead = respond),
    goAway: async () => {
      const closed = server.listening ? once(server, 'close') : Promise.resolve();
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
