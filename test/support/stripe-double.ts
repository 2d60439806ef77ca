import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';

/** What a request asks for: form fields by their names as they are sent (`metadata[invoiceId]`). */
type Form = Readonly<Record<string, string>>;
type Json = Record<string, unknown>;
type Answer = readonly [status: number, body: Json];

/** A small Stripe on loopback: intents, refunds, customers and methods, with keys that it remembers. */
export interface StripeDouble {
  readonly url: string;
  /** Paths and keys that were asked for. */
  readonly asked: readonly { readonly path: string; readonly key: string | undefined; readonly form: Form }[];
  /** What was taken, less what was given back. */
  readonly taken: () => number;
  /** Somebody pays in an intent, or at a page. */
  readonly payIn: (sessionId: string) => void;
  /** A refund comes to its end, as Stripe calls it: `succeeded` or `failed`. */
  readonly endRefund: (refundId: string, status: string) => void;
  /** The next request is worked on, and its answer is lost. */
  readonly loseResponse: () => void;
  /** The next request is answered so, whatever it is. */
  readonly answerNext: (respond: (response: ServerResponse) => void) => void;
  /** Nobody listens any more. */
  readonly goAway: () => Promise<void>;
}

const error = (status: number, type: string, code: string, message: string, more: Json = {}): Answer => [
  status,
  { error: { type, code, message, ...more } },
];
const missing = (): Answer => error(404, 'invalid_request_error', 'resource_missing', 'No such thing.');
const moved = (): Answer =>
  error(400, 'invalid_request_error', 'payment_intent_unexpected_state', 'It has moved on.');

const metadataOf = (form: Form): Json =>
  Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => {
      const field = /^metadata\[(\w+)\]$/.exec(name)?.[1];
      return field === undefined ? [] : [[field, value]];
    }),
  );

interface Intent extends Json {
  readonly id: string;
  readonly amount: number;
  status: string;
  refunded: number;
}

interface Refund extends Json {
  readonly id: string;
  readonly amount: number;
  readonly payment_intent: string;
  status: string;
}

/** Cards of which money can be taken. */
const goodCards: readonly string[] = ['pm_card_visa', 'pm_card_pendingRefund'];

/** The books of the double. */
const createBooks = () => {
  const intents = new Map<string, Intent>();
  const refunds = new Map<string, Refund>();
  const setups = new Map<string, Json>();
  const pages = new Map<string, Json>();
  const methods = new Map<string, Json>();
  let count = 0;
  const next = (prefix: string): string => `${prefix}_${String(++count).padStart(8, '0')}`;

  /** A card of the test cards; a method that is kept stays what it is. */
  const methodOf = (token: string, customer: string | null): Json => {
    const kept = methods.get(token);
    if (kept) return kept;
    const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034 };
    const billing = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const method = {
      id: next('pm'),
      object: 'payment_method',
      type: 'card',
      card,
      billing_details: billing,
      customer,
    };
    methods.set(method.id, method);
    return method;
  };

  const confirm = (intent: Intent, form: Form): Answer => {
    const token = form['payment_method'] ?? '';
    const customer = form['customer'] ?? null;
    if (token === 'pm_card_chargeDeclined')
      return error(402, 'card_error', 'card_declined', 'Your card was declined.');
    if (token === 'pm_card_threeDSecure') {
      intent.status = 'requires_action';
      intent['next_action'] = { redirect_to_url: { url: 'https://hooks.stripe.com/3ds' } };
      return [200, intent];
    }
    const kept = methods.get(token);
    const isTheirs = kept ? kept['customer'] === customer : goodCards.includes(token);
    if (!isTheirs) return missing();
    intent.status = 'succeeded';
    intent['card'] = token;
    intent['amount_received'] = intent.amount;
    intent['payment_method'] = methodOf(token, customer);
    return [200, intent];
  };

  const createIntent = (form: Form): Answer => {
    const id = next('pi');
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount: Number(form['amount']),
      amount_received: 0,
      currency: form['currency'],
      status: 'requires_payment_method',
      client_secret: `${id}_secret`,
      metadata: metadataOf(form),
      customer: form['customer'] ?? null,
      setup_future_usage:
        form['setup_future_usage'] ?? form['payment_intent_data[setup_future_usage]'] ?? null,
      next_action: null,
      last_payment_error: null,
      payment_method: null,
      refunded: 0,
    };
    intents.set(id, intent);
    return form['confirm'] === 'true' ? confirm(intent, form) : [200, intent];
  };

  const refund = (form: Form): Answer => {
    const intent = intents.get(form['payment_intent'] ?? '');
    const amount = Number(form['amount']);
    if (!intent) return missing();
    if (intent.refunded + amount > intent.amount)
      return error(400, 'invalid_request_error', 'charge_already_refunded', 'Too much.');
    intent.refunded += amount;
    const status = intent['card'] === 'pm_card_pendingRefund' ? 'pending' : 'succeeded';
    const { id: payment_intent } = intent;
    const metadata = metadataOf(form);
    const made: Refund = { id: next('re'), object: 'refund', amount, status, payment_intent, metadata };
    refunds.set(made.id, made);
    return [200, made];
  };

  const endRefund = (id: string, status: string): void => {
    const refund = refunds.get(id);
    const intent = intents.get(refund?.payment_intent ?? '');
    if (!refund || !intent) throw new Error(`there is no refund ${id}`);
    refund.status = status;
    if (status !== 'failed') return;
    refund['failure_reason'] = 'expired_or_canceled_card';
    intent.refunded -= refund.amount;
  };

  /** A page with the intent that is paid there. */
  const createPage = (form: Form): Answer => {
    const [, intent] = createIntent({
      ...form,
      amount: form['line_items[0][price_data][unit_amount]'] ?? '',
    });
    const id = next('cs');
    const amount_total = intent['amount'];
    const page = { id, object: 'checkout.session', status: 'open', amount_total, metadata: metadataOf(form) };
    pages.set(id, {
      ...page,
      currency: 'gbp',
      url: `https://checkout.stripe.com/${id}`,
      payment_intent: intent,
    });
    return [200, pages.get(id) ?? {}];
  };

  const payIn = (id: string): void => {
    const intent = (pages.get(id)?.['payment_intent'] as Intent | undefined) ?? intents.get(id);
    if (!intent) throw new Error(`there is no session ${id}`);
    const customer = intent['customer'] as string | null;
    Object.assign(intent, { status: 'succeeded', amount_received: intent.amount, next_action: null });
    intent['payment_method'] = methodOf('pm_card_visa', customer);
  };

  const setUp = (form: Form): Answer => {
    const id = next('seti');
    const setup = {
      id,
      object: 'setup_intent',
      customer: form['customer'],
      client_secret: `${id}_secret`,
      status: 'requires_payment_method',
      payment_method: null,
      last_setup_error: null,
    };
    setups.set(id, setup);
    return [200, setup];
  };

  const confirmSetUp = (setup: Json, form: Form): Answer => {
    setup['status'] = 'succeeded';
    setup['payment_method'] = methodOf(form['payment_method'] ?? '', String(setup['customer']));
    return [200, setup];
  };

  const ofIntent = (id: string, verb: string | undefined): Answer => {
    const intent = intents.get(id);
    if (!intent) return missing();
    if (verb === undefined) return [200, intent];
    if (intent.status === 'succeeded' || intent.status === 'canceled') return moved();
    intent.status = verb === 'cancel' ? 'canceled' : 'succeeded';
    return [200, intent];
  };

  const route = (method: string, path: string, form: Form): Answer => {
    const [kind, id, verb] = path.replace('/v1/', '').split('/');
    if (kind === 'payment_intents' && id === 'search') {
      const invoiceId = /'([^']+)'$/.exec(form['query'] ?? '')?.[1];
      const data = [...intents.values()].filter(
        ({ metadata }) => (metadata as Form)['invoiceId'] === invoiceId,
      );
      return [200, { object: 'search_result', data, has_more: false }];
    }
    if (kind === 'payment_intents') return id ? ofIntent(id, verb) : createIntent(form);
    if (kind === 'checkout' && verb) return pages.has(verb) ? [200, pages.get(verb) ?? {}] : missing();
    if (kind === 'checkout') return createPage(form);
    const found = refunds.get(id ?? '');
    if (kind === 'refunds' && id) return found ? [200, found] : missing();
    if (kind === 'refunds' && method === 'GET') {
      const data = [...refunds.values()].filter((one) => one.payment_intent === form['payment_intent']);
      return [200, { object: 'list', data, has_more: false }];
    }
    if (kind === 'refunds') return refund(form);
    if (kind === 'customers') return [200, { id: next('cus'), object: 'customer' }];
    if (kind === 'setup_intents') {
      const setup = setups.get(id ?? '');
      if (id === undefined) return setUp(form);
      if (!setup) return missing();
      return method === 'GET' ? [200, setup] : confirmSetUp(setup, form);
    }
    if (kind === 'payment_methods') return methods.delete(id ?? '') ? [200, { id }] : missing();
    return kind === 'balance' ? [200, { object: 'balance' }] : missing();
  };

  const taken = (): number =>
    [...intents.values()]
      .filter(({ status }) => status === 'succeeded')
      .reduce((sum, { amount, refunded }) => sum + amount - refunded, 0);
  return { route, taken, endRefund, payIn };
};

const read = async (request: IncomingMessage): Promise<Form> => {
  let body = '';
  for await (const part of request) body += String(part);
  return Object.fromEntries(new URLSearchParams(body));
};

export const startStripeDouble = async (): Promise<StripeDouble> => {
  const books = createBooks();
  const answers = new Map<string, { readonly asks: string; readonly made: string }>();
  const asked: { path: string; key: string | undefined; form: Form }[] = [];
  const sockets = new Set<Socket>();
  let isLost = false;
  let instead: ((response: ServerResponse) => void) | null = null;

  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const form = { ...Object.fromEntries(new URLSearchParams(query)), ...(await read(request)) };
    const given = request.headers['idempotency-key'];
    const key = typeof given === 'string' ? given : undefined;
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
      : (known?.made ?? JSON.stringify(books.route(request.method ?? '', path, form)));
    if (key !== undefined && known === undefined) answers.set(key, { asks, made });
    if (isLost) {
      isLost = false;
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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    taken: books.taken,
    endRefund: books.endRefund,
    payIn: books.payIn,
    loseResponse: () => void (isLost = true),
    answerNext: (respond) => void (instead = respond),
    goAway: async () => {
      const closed = server.listening ? once(server, 'close') : Promise.resolve();
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
