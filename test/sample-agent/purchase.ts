import { randomUUID } from 'node:crypto';
import type { Answer, Asked, Caller } from './caller.ts';
import type { Shop } from './discovery.ts';
import type { Options } from './options.ts';
import type { Transcript } from './transcript.ts';

interface Total {
  readonly type: string;
  readonly amount: number;
}

interface Priced {
  readonly currency: string;
  readonly totals: readonly Total[];
}

interface Cart extends Priced {
  readonly id: string;
}

interface Session extends Priced {
  readonly id: string;
  readonly status: string;
  readonly messages: readonly { readonly type: string; readonly content: string }[];
  readonly fulfillment?: {
    readonly methods: readonly {
      readonly groups?: readonly {
        readonly id: string;
        readonly options: readonly { readonly id: string; readonly title: string }[];
      }[];
    }[];
  };
  readonly order?: { readonly id: string; readonly label?: string; readonly permalink_url: string };
}

interface Variant {
  readonly id: string;
  readonly title: string;
  readonly availability: { readonly available: boolean };
}

interface Found {
  readonly products?: readonly { readonly title: string; readonly variants: readonly Variant[] }[];
}

interface Order extends Priced {
  readonly id: string;
  readonly line_items: readonly { readonly status: string }[];
}

export interface Buying {
  readonly options: Options;
  readonly caller: Caller;
  readonly shop: Shop;
  readonly transcript: Transcript;
}

const buyer = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' };
const home = {
  ...{ id: 'home', first_name: 'Ada', last_name: 'Lovelace', street_address: '12 High Street' },
  ...{ address_locality: 'London', postal_code: 'SW1A 1AA', address_country: 'GB' },
};

const money = (amount: number, currency: string): string => {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return `${(amount / 10 ** maximumFractionDigits).toFixed(maximumFractionDigits)} ${currency}`;
};

const totalOf = ({ totals, currency }: Priced): string =>
  money(totals.find(({ type }) => type === 'total')?.amount ?? 0, currency);

const needed = <Body>(answer: Answer<Body>, ...statuses: readonly number[]): Body => {
  if (!statuses.includes(answer.status)) throw new Error(`the shop answered ${answer.status}`);
  return answer.body;
};

/** The first thing that is there and can be bought. */
const choose = async ({ options, caller, shop, transcript }: Buying): Promise<Variant> => {
  const asked = { body: { query: options.search, pagination: { limit: 5 } } };
  const found = needed(await caller.ask<Found>('POST', `${shop.endpoint}/catalog/search`, asked), 200);
  for (const { title, variants } of found.products ?? []) {
    const variant = variants.find(({ availability }) => availability.available);
    if (!variant) continue;
    transcript.say(`Chosen: ${title}.`);
    return variant;
  }
  throw new Error(`the shop has nothing that is called "${options.search}"`);
};

const linesOf = ({ id }: Variant) => ({ line_items: [{ item: { id }, quantity: 1 }] });

/** Where both know carts, the lines are collected in one first. */
const begin = async (buying: Buying, variant: Variant): Promise<Session> => {
  const { caller, shop, transcript } = buying;
  const create = (body: object) =>
    caller.ask<Session>('POST', `${shop.endpoint}/checkout-sessions`, {
      body,
      idempotencyKey: randomUUID(),
    });
  if (!shop.capabilities.includes('dev.ucp.shopping.cart'))
    return needed(await create(linesOf(variant)), 201);
  const asked = { body: linesOf(variant), idempotencyKey: randomUUID() };
  const cart = needed(await caller.ask<Cart>('POST', `${shop.endpoint}/carts`, asked), 201);
  transcript.say(`The cart comes to ${totalOf(cart)}.`);
  return needed(await create({ cart_id: cart.id }), 201);
};

const method = { type: 'shipping', selected_destination_id: home.id };

/** Says who buys and where to, then takes the first option of each group. */
const fillIn = async ({ caller, transcript }: Buying, address: string): Promise<Session> => {
  const update = async (body: object, asked: Asked = {}): Promise<Session> =>
    needed(await caller.ask<Session>('PUT', address, { body, idempotencyKey: randomUUID(), ...asked }), 200);
  const placed = await update(
    { buyer, fulfillment: { methods: [{ ...method, destinations: [home] }] } },
    { why: 'who buys, and where to' },
  );
  const offered = placed.fulfillment?.methods[0]?.groups ?? [];
  const groups = offered.map(({ id, options: [cheapest] }) => ({ id, selected_option_id: cheapest?.id }));
  transcript.say(
    `It can be sent by ${offered[0]?.options.map(({ title }) => title).join(', ') ?? 'nothing'}.`,
  );
  const ready = await update({ fulfillment: { methods: [{ ...method, groups }] } }, { why: 'the cheapest' });
  transcript.say(`${ready.status}: ${totalOf(ready)}.`);
  for (const { type, content } of ready.messages) transcript.say(`${type}: ${content}`);
  return ready;
};

/** A signed request that is changed on its way must be refused, or signatures are worth nothing. */
const showForgery = async ({ caller, transcript }: Buying, address: string): Promise<void> => {
  const { status } = await caller.ask('PUT', address, {
    body: { buyer },
    forged: { buyer: { ...buyer, email: 'eve@example.com' } },
    why: 'changed on its way',
  });
  if (status < 400) transcript.problem('The shop has accepted it.');
  else transcript.say('The shop has refused it, as it must.');
};

const payment = ({ version, handler, token }: Options): object => {
  const instrument = {
    ...{ id: 'card-1', handler_id: handler, type: 'card' },
    credential: { type: 'token', token },
  };
  if (version === '2026-01-11')
    return { payment_data: { ...instrument, brand: 'visa', last_digits: '4242' } };
  return { payment: { instruments: [{ ...instrument, selected: true }] } };
};

/** Pays once, and once more under the same key: as after an answer that was lost. */
const pay = async ({ options, caller, transcript }: Buying, address: string): Promise<Session> => {
  const asked = { body: payment(options), idempotencyKey: randomUUID() };
  const complete = (why?: string) =>
    caller.ask<Session>('POST', `${address}/complete`, { ...asked, ...(why !== undefined && { why }) });
  const done = needed(await complete(), 200);
  const again = await complete('the same once more');
  const isReplay =
    again.headers['idempotency-replayed'] === 'true' && again.body.order?.id === done.order?.id;
  if (isReplay) transcript.say('The repeat has changed nothing.');
  else transcript.problem('The repeat was not recognised: it may have paid twice.');
  return done;
};

/** From the search to the order. Returns the order's address; throws where the shop does not go along. */
export const buy = async (buying: Buying): Promise<string> => {
  const { caller, shop, transcript } = buying;
  transcript.step('Find something');
  const variant = await choose(buying);

  transcript.step('Begin a checkout');
  const { id } = await begin(buying, variant);
  const address = `${shop.endpoint}/checkout-sessions/${id}`;
  await showForgery(buying, address);

  transcript.step('Say where it goes');
  const ready = await fillIn(buying, address);
  if (ready.status !== 'ready_for_complete') throw new Error('the checkout is not ready to be paid');

  transcript.step('Pay');
  const { status, order } = await pay(buying, address);
  if (!order) throw new Error(`the checkout is ${status}, and there is no order`);
  transcript.say(`Order ${order.label ?? order.id}: ${order.permalink_url}`);

  transcript.step('Read the order');
  const orderUrl = `${shop.endpoint}/orders/${order.id}`;
  const read = needed(await caller.ask<Order>('GET', orderUrl), 200);
  transcript.say(`${read.line_items.map((line) => line.status).join(', ')}.`);
  return orderUrl;
};
