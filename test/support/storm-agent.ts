import { newId } from '#kernel/ids.ts';
import { cartsPath, sessionsPath, wanting } from './agents/asking-agent.ts';
import { BuyingAgent, home } from './agents/buying-agent.ts';
import type { ApiResponse } from './browser.ts';
import { stormAsking } from './storm-asking.ts';
import type { StormShopperOptions } from './storm-shopper.ts';

type StormAgentOptions = Omit<StormShopperOptions, 'money' | 'code'> & { readonly profile?: string };

const SECRET = 'shaken';
/** Settings under which agents that have a profile of their own have their orders shipped. */
export const shippingForAgents = {
  Protocol__Ucp__TestEndpoints__Enabled: 'true',
  Protocol__Ucp__TestEndpoints__SimulationSecret: SECRET,
};

/** Goods that are gone stay so; everything else that is refused with 409 passes. */
const isFinal = ({ body }: ApiResponse): boolean => body?.messages?.[0]?.code === 'out_of_stock';

/** Of the ways in which a session can be sent, the first. */
const optionIn = ({ body }: ApiResponse): string | undefined =>
  body.fulfillment?.methods[0]?.groups?.[0]?.options[0]?.id as string | undefined;

/**
 * An agent whom no kill impresses: asks again, with the same idempotency key, until there is an answer. Begins checkout
 * sessions, leaves or cancels some and completes the others. Errors: an answer that no shop should give, or a session
 * that is not what it was told.
 */
export const createStormAgent = (options: StormAgentOptions) => {
  const { shop, name, productIds, plenty, random, profile = '' } = options;
  const { ask, must } = stormAsking({ ...options, isFinal });
  const told: { readonly paidInvoices: string[] } = { paidInvoices: [] };
  const completed = new Map<string, string>();
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
  const begin = async (): Promise<string | null> => {
    const productId = productIds[Math.floor(random() * productIds.length)] ?? plenty;
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
    // One that a cart has become before its maker was killed is answered with 200, and may not know yet where it goes.
    const placed = optionIn(begun) === undefined ? await say(method) : begun;
    if (placed.status >= 400) return null;
    const option = optionIn(placed);
    if (option === undefined) throw new Error(`${name}: ${path} cannot be sent: ${placed.text}`);
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

  const complete = async (path: string): Promise<void> => {
    const key = newId();
    const token = random() < 0.1 ? 'tok_decline' : 'tok_success';
    const { status, body } = await ask(() => agent.complete(path, token, { key }));
    if (status !== 200) return;
    if (body.status !== 'completed') throw new Error(`${name}: ${path} is ${body.status}`);
    completed.set(path, body.order.id as string);
    told.paidInvoices.push(body.order.id as string);
    if (profile !== '') await haveShipped(body.order.id as string);
  };

  return {
    told,
    /** Buys until told to stop, and looks at the end at what it has bought. */
    shopUntil: async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        const path = await begin();
        const mood = random();
        if (path === null || mood < 0.1) continue;
        const key = keyed();
        if (mood < 0.2) await ask(() => agent.browser.post(`${path}/cancel`, {}, key));
        else await complete(path);
      }
      for (const [path, invoiceId] of completed) {
        const { body } = await must(() => agent.browser.get(path));
        if (body.order?.id !== invoiceId) throw new Error(`${name}: ${path} has lost its order ${invoiceId}`);
      }
    },
  };
};
