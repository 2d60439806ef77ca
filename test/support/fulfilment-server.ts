import { createHmac, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Request } from './browser.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from './receiver.ts';

/** How a house fails: for its next answers, or for all of them until it is told otherwise. */
export type FulfilmentFault =
  | 'off'
  | 'nonsense'
  | 'hangs'
  | 'endless'
  | 'refuses'
  /** Takes the order and says nothing of it. */
  | 'losesAnswer'
  /** Forgets under which key it has taken an order. */
  | 'otherReference';

export interface ReceivedOrder {
  readonly reference: string;
  readonly key: string;
  readonly body: {
    readonly orderId: string;
    readonly orderNumber: string;
    readonly lineItems: readonly { readonly sku: string; readonly quantity: number }[];
  };
  status: string;
  shipments: readonly object[];
}

/** A fulfilment service of the tests' own: real sockets, orders kept in memory. */
export interface FulfilmentServer {
  readonly url: string;
  readonly orders: readonly ReceivedOrder[];
  readonly requests: readonly ReceivedRequest[];
  readonly connections: () => number;
  /** SKUs of each product sync. */
  readonly products: readonly (readonly string[])[];
  levels: readonly object[];
  /** The faults of its next answers, one after another. */
  fail(...faults: readonly FulfilmentFault[]): void;
  close(): Promise<void>;
}

export const FULFILMENT_KEY = 'key-of-the-house';
const secretBytes = Buffer.from('a secret of the house');
export const FULFILMENT_SECRET = `whsec_${secretBytes.toString('base64')}`;

/** The headers that a callback of the house comes with. */
export const signedByProvider = (
  body: string,
  now: number,
  { id = randomUUID() as string, key = secretBytes }: { readonly id?: string; readonly key?: Buffer } = {},
): Record<string, string> => {
  const time = Math.floor(now / 1000);
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${signature}`,
  };
};

/** A callback of the house to the configuration of this id, or to those of this kind. */
export const fulfilmentCallback = (
  key: string,
  type: string,
  data: object,
  now: number,
  signing: Parameters<typeof signedByProvider>[2] = {},
): Request => {
  const body = { type, timestamp: new Date(now).toISOString(), data };
  const headers = signedByProvider(JSON.stringify(body), now, signing);
  return { method: 'POST', path: `/shop/webhooks/fulfilment/${key}`, body, headers };
};

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json');
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

const endless = (response: ServerResponse): void => {
  const more = (): void => {
    response.write('x'.repeat(65_536), (error) => void (error ?? setImmediate(more)));
  };
  more();
};

/** True where the fault has said all that there is to say. */
const failed = (fault: FulfilmentFault | undefined, response: ServerResponse): boolean => {
  switch (fault) {
    case 'off':
      response.destroy();
      return true;
    case 'nonsense':
      answer(response, 200, '{"reference":');
      return true;
    case 'refuses':
      answer(response, 422, { message: 'The address is not served.' });
      return true;
    case 'endless':
      endless(response);
      return true;
    case 'hangs':
      return true;
    default:
      return false;
  }
};

interface Kept {
  readonly orders: ReceivedOrder[];
  readonly products: (readonly string[])[];
  levels: readonly object[];
}

const takeOrder = (
  { orders }: Kept,
  request: ReceivedRequest,
  fault: FulfilmentFault | undefined,
  response: ServerResponse,
): void => {
  const key = String(request.headers['idempotency-key'] ?? '');
  const known = fault === 'otherReference' ? undefined : orders.find((one) => one.key === key);
  const taken: ReceivedOrder = known ?? {
    reference: `HOUSE-${orders.length + 1}`,
    key,
    body: JSON.parse(request.body.toString()) as ReceivedOrder['body'],
    status: 'processing',
    shipments: [],
  };
  if (!known) orders.push(taken);
  if (fault === 'losesAnswer') response.destroy();
  else answer(response, known ? 200 : 201, { reference: taken.reference, status: taken.status });
};

const serve = (
  kept: Kept,
  request: ReceivedRequest,
  fault: FulfilmentFault | undefined,
  response: ServerResponse,
): void => {
  const [, noun, reference = '', verb] = request.path.split('/');
  const order = kept.orders.find((one) => one.reference === decodeURIComponent(reference));
  if (request.headers.authorization !== `Bearer ${FULFILMENT_KEY}`)
    answer(response, 401, { message: 'Who?' });
  else if (noun === 'ping')
    answer(response, 200, { version: '2.1', accountName: 'Tests', warehouseCount: 1 });
  else if (noun === 'inventory') answer(response, 200, { levels: kept.levels });
  else if (noun === 'products') {
    const { products } = JSON.parse(request.body.toString()) as { products: { sku: string }[] };
    kept.products.push(products.map(({ sku }) => sku));
    answer(response, 200, { failed: products.map(({ sku }) => sku).filter((sku) => sku.startsWith('BAD')) });
  } else if (noun === 'orders' && reference === '') takeOrder(kept, request, fault, response);
  else if (!order) answer(response, 404, { message: 'No such order' });
  else if (verb === 'cancel') {
    order.status = 'cancelled';
    answer(response, 200, {});
  } else {
    const { status, shipments } = order;
    answer(response, 200, { reference: order.reference, status, shipments });
  }
};

export const startFulfilmentServer = async (): Promise<FulfilmentServer> => {
  const kept: Kept = { orders: [], products: [], levels: [] };
  const faults: FulfilmentFault[] = [];
  const receiver: Receiver = await startReceiver((response, request) => {
    const fault = faults.shift();
    if (!failed(fault, response)) serve(kept, request, fault, response);
  });
  return {
    url: receiver.url,
    orders: kept.orders,
    requests: receiver.requests,
    connections: receiver.connections,
    products: kept.products,
    get levels() {
      return kept.levels;
    },
    set levels(levels) {
      kept.levels = levels;
    },
    fail: (...some) => void faults.push(...some),
    close: receiver.close,
  };
};
