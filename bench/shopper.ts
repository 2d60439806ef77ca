import { randomUUID } from 'node:crypto';
import type { HttpResponse, Connection } from './http-connection.ts';
import { sendCallback } from './send-callback.ts';

/** A wrong answer ends the benchmark: figures of a shop that answers wrongly are worth nothing. */
export class WrongResponse extends Error {
  override readonly name = 'WrongAnswer';
}

const storefront = '/api/shop/storefront';
const checkout = '/api/shop/checkout';
export const addPath = `${storefront}/basket/add`;
export const basketPath = `${storefront}/basket`;
export const productsPath = `${storefront}/products`;
export const upsellsPath = `${storefront}/upsells`;

/** Every so many answers one is parsed whole; of the others only the telling figures are looked at. */
const PARSED_EVERY = 32;

/** A small seeded generator (mulberry32), so that two runs ask for the same. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** What a browser keeps. */
export class CookieJar {
  readonly #values = new Map<string, string>();
  #header = '';

  get header(): string {
    return this.#header;
  }

  take(cookies: readonly string[]): void {
    if (cookies.length === 0) return;
    for (const cookie of cookies) {
      const at = cookie.indexOf('=');
      const value = cookie.slice(at + 1);
      if (value === '') this.#values.delete(cookie.slice(0, at));
      else this.#values.set(cookie.slice(0, at), value);
    }
    this.#header = Array.from(this.#values, ([name, value]) => `${name}=${value}`).join('; ');
  }

  clear(): void {
    this.#values.clear();
    this.#header = '';
  }
}

/** A buyer's browser on one connection. Each step takes the time of its own request. */
export interface Shopper {
  /** Does the next piece of work; resolves when it is answered. Errors: `WrongAnswer`. */
  next(): Promise<void>;
}

export const expectStatus = (answer: HttpResponse, path: string, status = 200): void => {
  if (answer.status === status) return;
  throw new WrongResponse(`${path} answered ${answer.status}: ${answer.body.toString().slice(0, 500)}`);
};

interface BasketShown {
  readonly success: boolean;
  readonly itemCount: number;
  readonly subTotal: number;
  readonly tax: number;
  readonly discount: number;
  readonly shipping: number;
  readonly total: number;
  readonly lineItems: readonly {
    readonly lineItemType: string;
    readonly productId: string;
    readonly quantity: number;
    readonly lineTotal: number;
  }[];
}

const pence = (amount: number): number => Math.round(amount * 100);

/** Whether the answer shows these products, once each, and adds up. */
const checkBasket = ({ body }: HttpResponse, productIds: readonly string[], parsesWhole: boolean): void => {
  const count = productIds.length;
  if (!body.includes(`"itemCount":${count},`)) {
    throw new WrongResponse(`must be ${count} items: ${body.toString().slice(0, 500)}`);
  }
  if (!parsesWhole) return;
  const basket = JSON.parse(body.toString()) as BasketShown;
  const goods = basket.lineItems.filter(({ lineItemType }) => lineItemType === 'Product');
  const shown = goods.map(({ productId }) => productId).sort();
  const lines = goods.reduce((sum, line) => sum + pence(line.lineTotal), 0);
  const total = lines - pence(basket.discount) + pence(basket.tax) + pence(basket.shipping);
  const isRight =
    basket.success &&
    basket.lineItems.every(({ quantity }) => quantity === 1) &&
    shown.join() === [...productIds].sort().join() &&
    lines === pence(basket.subTotal) &&
    total === pence(basket.total);
  if (!isRight) throw new WrongResponse(`the basket does not add up: ${body.toString()}`);
};

export interface ShopperOptions {
  readonly connection: Connection;
  readonly productIds: readonly string[];
  readonly random: () => number;
}

const pick = ({ productIds, random }: ShopperOptions, taken: readonly string[]): string => {
  for (;;) {
    const id = productIds[Math.floor(random() * productIds.length)] ?? '';
    if (!taken.includes(id)) return id;
  }
};

/** Fills a basket with these and has its shipping quoted, over and over; tells what each quote took, in ms. */
export const quoteBasket = async (
  { connection, productIds }: Pick<ShopperOptions, 'connection' | 'productIds'>,
  quotes: number,
): Promise<readonly number[]> => {
  const jar = new CookieJar();
  const post = async (path: string, body: string): Promise<string> => {
    const answer = await connection.request('POST', path, jar.header, body);
    expectStatus(answer, path);
    jar.take(answer.cookies);
    return answer.body.toString();
  };
  for (const productId of productIds) await post(addPath, addBody(productId));
  const took: number[] = [];
  while (took.length < quotes) {
    const begun = performance.now();
    const answer = await post(`${checkout}/initialize`, '{"countryCode":"GB"}');
    took.push(performance.now() - begun);
    if (!answer.includes('"shippingGroups":[{')) throw new WrongResponse(`nothing to send: ${answer}`);
  }
  return took;
};

const addBody = (productId: string): string => `{"productId":"${productId}","quantity":1}`;

/** Fills baskets of `linesPerBasket` different products, one line after another, then begins a new one. */
export const addingShopper = (options: ShopperOptions, linesPerBasket = 5) => {
  const { connection } = options;
  const jar = new CookieJar();
  let lines: string[] = [];
  let answers = 0;
  const add = async (): Promise<HttpResponse> => {
    if (lines.length === linesPerBasket) {
      lines = [];
      jar.clear();
    }
    const productId = pick(options, lines);
    const answer = await connection.request('POST', addPath, jar.header, addBody(productId));
    expectStatus(answer, addPath);
    lines.push(productId);
    jar.take(answer.cookies);
    checkBasket(answer, lines, answers++ % PARSED_EVERY === 0);
    return answer;
  };
  return { jar, lines: (): readonly string[] => lines, add, next: async () => void (await add()) };
};

/** A basket that is ready to be looked at. */
export interface PreparedBasket {
  readonly cookie: string;
  readonly productIds: readonly string[];
}

/** Looks at prepared baskets, one after another, from a place of its own on. */
export const readingShopper = (
  { connection, random }: ShopperOptions,
  baskets: readonly PreparedBasket[],
): Shopper => {
  let at = Math.floor(random() * baskets.length);
  let answers = 0;
  return {
    next: async () => {
      const basket = baskets[at++ % baskets.length];
      if (!basket) throw new Error('no basket has been prepared');
      const answer = await connection.request('GET', basketPath, basket.cookie, null);
      expectStatus(answer, basketPath);
      checkBasket(answer, basket.productIds, answers++ % PARSED_EVERY === 0);
    },
  };
};

/** Is shown what goes with prepared baskets, one after another, from a place of its own on. */
export const suggestedShopper = (
  { connection, random }: ShopperOptions,
  baskets: readonly PreparedBasket[],
): Shopper => {
  let at = Math.floor(random() * baskets.length);
  return {
    next: async () => {
      const cookie = baskets[at++ % baskets.length]?.cookie ?? '';
      const answer = await connection.request('GET', upsellsPath, cookie, null);
      expectStatus(answer, upsellsPath);
      if (!answer.body.includes('"upsellRuleId"'))
        throw new WrongResponse(`nothing was suggested: ${answer.body.toString().slice(0, 500)}`);
    },
  };
};

/** What a shopper asks for: a path, or a body that is sent there. */
export interface Question {
  readonly path: string;
  readonly body?: string;
  /** Where a body changes something that is there already. */
  readonly isPut?: boolean;
  /** The profile of the agent that asks. */
  readonly agent?: string;
  /** What a right answer has in it. */
  readonly telling: string;
}

/** Asks for one. */
export const askFor = async (
  connection: Connection,
  { path, body, isPut = false, agent, telling }: Question,
): Promise<Buffer> => {
  const method = body === undefined ? 'GET' : isPut ? 'PUT' : 'POST';
  const answer = await connection.request(method, path, '', body ?? null, '', '', agent);
  expectStatus(answer, path);
  if (!answer.body.includes(telling))
    throw new WrongResponse(`${path} did not succeed: ${answer.body.toString().slice(0, 500)}`);
  return answer.body;
};

/** Asks these questions, one after another, from a place of its own on. */
export const lookingShopper = (
  { connection, random }: ShopperOptions,
  questions: readonly Question[],
): Shopper => {
  let at = Math.floor(random() * questions.length);
  return {
    next: async () => {
      const question = questions[at++ % questions.length];
      if (question) await askFor(connection, question);
    },
  };
};

const address = {
  name: 'Ada Benchmark',
  addressOne: '12 Chapel Street',
  townCity: 'Leeds',
  postalCode: 'LS1 4AP',
  countryCode: 'GB',
};

interface ShippingGroups {
  readonly shippingGroups: readonly {
    readonly groupId: string;
    readonly shippingOptions: readonly { readonly selectionKey: string }[];
  }[];
}

/** Orders: three adds, addresses, initialize, shipping and pay; in a currency that was chosen on an earlier visit. */
export const orderingShopper = (
  options: ShopperOptions,
  name: string,
  methodAlias = 'card',
  currency?: string,
) => {
  const { connection } = options;
  let orders = 0;

  const post = async <Body>(jar: CookieJar, path: string, body: object): Promise<Body> => {
    const answer = await connection.request('POST', `${checkout}${path}`, jar.header, JSON.stringify(body));
    expectStatus(answer, path);
    jar.take(answer.cookies);
    const parsed = JSON.parse(answer.body.toString()) as Body & { readonly success: boolean };
    if (!parsed.success) throw new WrongResponse(`${path} did not succeed: ${answer.body.toString()}`);
    return parsed;
  };
  const method = { providerAlias: 'sandbox', methodAlias };

  return {
    order: async () => {
      const shopper = addingShopper(options, 3);
      const { jar } = shopper;
      if (currency !== undefined) jar.take([`shop_currency=${currency}`]);
      for (let line = 0; line < 3; line++) await shopper.add();
      const email = `${name}-${++orders}@bench.example`;
      await post(jar, '/addresses', { email, billingAddress: address });
      const { shippingGroups } = await post<ShippingGroups>(jar, '/initialize', { countryCode: 'GB' });
      const selections = Object.fromEntries(
        shippingGroups.map(({ groupId, shippingOptions }) => [groupId, shippingOptions[0]?.selectionKey]),
      );
      const { basket } = await post<{ basket: { displayTotal: number } }>(jar, '/shipping', { selections });
      const urls = { returnUrl: '/checkout/return', cancelUrl: '/checkout/cancel' };
      const placed = await post<{ invoiceId: string; sessionId: string | null }>(jar, '/pay', {
        ...method,
        ...urls,
      });
      return { jar, total: basket.displayTotal, ...placed };
    },
    payByCard: async (jar: CookieJar, invoiceId: string): Promise<void> => {
      const card = { ...method, invoiceId, paymentMethodToken: 'tok_success' };
      const paid = await post<{ status: string }>(jar, '/process-payment', card);
      if (paid.status !== 'Completed') throw new WrongResponse(`the payment is ${paid.status}`);
    },
  };
};

/** Buys: orders, and the sandbox card until it is charged. */
export const buyingShopper = (options: ShopperOptions, name: string): Shopper => {
  const { order, payByCard } = orderingShopper(options, name);
  return {
    next: async () => {
      const { jar, invoiceId } = await order();
      await payByCard(jar, invoiceId);
    },
  };
};

/** Buys in another currency: orders, pays at the provider's page, of which a callback tells, and comes back. */
export const redirectedShopper = (options: ShopperOptions, name: string): Shopper => {
  const { connection } = options;
  const currency = 'EUR';
  const { order } = orderingShopper(options, name, 'redirect', currency);
  return {
    next: async () => {
      const { jar, invoiceId, sessionId, total: amount } = await order();
      const data = { transactionId: sessionId, invoiceId, amount, currency };
      await sendCallback(connection, { id: randomUUID(), type: 'PaymentCompleted', data });
      const path = `${checkout}/return?provider=sandbox&sessionId=${sessionId ?? ''}`;
      const back = await connection.request('GET', path, jar.header, null);
      expectStatus(back, path);
      if (!back.body.includes('"status":"Completed"'))
        throw new WrongResponse(`the payment came back as ${back.body.toString().slice(0, 500)}`);
    },
  };
};
