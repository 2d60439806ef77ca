import { newId } from '#kernel/ids.ts';
import { cartsPath, sessionsPath, wanting } from './agents/asking-agent.ts';
import { BuyingAgent, home } from './agents/buying-agent.ts';
import type { ApiResponse } from './browser.ts';
import { stormAsking } from './storm-asking.ts';
import type { StormShopperOptions } from './storm-shopper.ts';

type StormAgentOptions = Omit<StormShopperOptions, 'money' | 'code'> & { readonly profile?: string };

const SURE_ATTEMPTS = 10;
const SECRET = 'shaken';
/** Settings under which agents that have a profile of their own have their orders shipped. */
export const shippingForAgents = {
  Protocol__Ucp__TestEndpoints__Enabled: 'true',
  Protocol__Ucp__TestEndpoints__SimulationSecret: SECRET,
};

/** Goods that are gone stay so; everything else that is refused with 409 passes. */
const isFinal = ({ body }: ApiResponse): boolean => body?.messages?.[0]?.code === 'out_of_stock';

/** Goods were sold to others between the record of the session and that of its basket: it says so, and is not sent. */
const isShort = ({ body }: ApiResponse): boolean =>
  (body.messages as readonly { readonly code: string }[]).some(({ code }) => code === 'out_of_stock');

/** Of the ways in which a session can be sent, the first. */
const optionIn = ({ body }: ApiResponse): string | undefined =>
  body.fulfillment?.methods[0]?.groups?.[0]?.options[0]?.id as string | undefined;

/**
 * An agent whom no kill impresses: asks again, with the same idempotency key, until there is an answer. Begins checkout
 * sessions, leaves or cancels some and completes the others; the first and the last for sure. Errors: an answer that no
 * shop should give, or a session that is not what it was told.
 */
export const createStormAgent = (options: StormAgentOptions) => {
  const { shop, name, productIds, plenty, random, profile = '' } = options;
  const asking = stormAsking({ ...options, isFinal });
  const { must } = asking;
  let last = 'nothing was answered';
  const ask = async (request: () => Promise<ApiResponse>): Promise<ApiResponse> => {
    const answer = await asking.ask(request);
    last = `${answer.status} ${answer.text}`;
    return answer;
  };
  const told: { readonly paidInvoices: string[] } = { paidInvoices: [] };
  const completed = new Map<string, string>();
  const firstSale = Promise.withResolvers<void>();
  const agent = new BuyingAgent(shop.shopper().base, { name, profile });
  const keyed = () => ({ 'Idempotency-Key': newId() });

  /** Some sessions are made from carts, which hold these goods for a while. */
  const inCart = async (goods: object): Promise<object> => {
    if (random() > 0.3) return goods;
    const key = keyed();
    const cart = await ask(() => agent.browser.post(cartsPath, goods, key));
    return cart.status === 201 ? { cart_id: cart.body.id as string } : goods;
  };

  /** Null where the goods have run out. */
  const begin = async (productId: string): Promise<string | null> => {
    const method = { type: 'shipping', destinations: [home], selected_destination_id: home.id };
    const goods = await inCart({
      line_items: wanting([plenty, 1], [productId, 1]),
      buyer: { email: `${name}-${completed.size}@example.com` },
    });
    const wanted = { ...goods, fulfillment: { methods: [method] } };
    const key = keyed();
    const begun = await ask(() => agent.browser.post(sessionsPath, wanted, key));
    if (begun.body.id === undefined) return null;
    const path = `${sessionsPath}/${begun.body.id}`;
    const say = async (chosen: object): Promise<ApiResponse> => {
      const update = { method: 'PUT', path, headers: keyed() } as const;
      return ask(() => agent.browser.ask({ ...update, body: { fulfillment: { methods: [chosen] } } }));
    };
    if (isShort(begun)) return null;
    const option = optionIn(begun);
    if (option === undefined) throw new Error(`${name}: ${path} cannot be sent: ${begun.text}`);
    const changed = await say({
      type: 'shipping',
      selected_destination_id: home.id,
      groups: [{ selected_option_id: option }],
    });
    return changed.status === 200 ? path : null;
  };

  /** Three notices follow, one after another. */
  const haveShipped = async (orderId: string): Promise<void> => {
    const headers = { 'Simulation-Secret': SECRET };
    const shipped = { method: 'POST', path: `/testing/simulate-shipping/${orderId}`, headers } as const;
    await ask(() => agent.browser.ask(shipped));
  };

  const complete = async (path: string, token: string): Promise<void> => {
    const key = newId();
    const { status, body } = await ask(() => agent.complete(path, token, { key }));
    if (status !== 200) return;
    if (body.status !== 'completed') throw new Error(`${name}: ${path} is ${body.status}`);
    completed.set(path, body.order.id as string);
    told.paidInvoices.push(body.order.id as string);
    if (profile !== '') await haveShipped(body.order.id as string);
  };

  /** What never runs out, with a card that is not declined; once more where something else came in between. */
  const buySurely = async (): Promise<void> => {
    const before = completed.size;
    for (let attempt = 0; attempt < SURE_ATTEMPTS && completed.size === before; attempt++) {
      const path = await begin(plenty);
      if (path !== null) await complete(path, 'tok_success');
      if (completed.size === before) console.log(`${name} could not buy what never runs out: ${last}`);
    }
    if (completed.size === before) throw new Error(`${name} has never bought what never runs out: ${last}`);
  };

  return {
    told,
    /** Resolves once it has bought something. */
    hasBought: firstSale.promise,
    /** Buys until told to stop, and looks at the end at what it has bought. */
    shopUntil: async (isOver: () => boolean): Promise<void> => {
      await buySurely();
      firstSale.resolve();
      while (!isOver()) {
        const path = await begin(productIds[Math.floor(random() * productIds.length)] ?? plenty);
        const mood = random();
        if (path === null || mood < 0.1) continue;
        const key = keyed();
        if (mood < 0.2) await ask(() => agent.browser.post(`${path}/cancel`, {}, key));
        else await complete(path, random() < 0.1 ? 'tok_decline' : 'tok_success');
      }
      await buySurely();
      for (const [path, invoiceId] of completed) {
        const { body } = await must(() => agent.browser.get(path));
        if (body.order?.id !== invoiceId) throw new Error(`${name}: ${path} has lost its order ${invoiceId}`);
      }
    },
  };
};
