import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#kernel/ids.ts';
import type { ShopProcess } from './shop-process.ts';
import type { Answer } from './browser.ts';
import type { Shopper } from './shop.ts';
import { wrapped } from './small-store.ts';

export interface StormShopperOptions {
  /** Where it is, and when all of it is up. */
  readonly shop: Pick<ShopProcess, 'ready' | 'shopper'>;
  readonly name: string;
  readonly productIds: readonly string[];
  /** A product that never runs out. */
  readonly plenty: string;
  readonly code: string;
  /** From 0 to 1, seeded. */
  readonly random: () => number;
  /** Told of every write that the shop has acknowledged. */
  readonly onAcknowledged: () => void;
}

/** By product. */
type Units = Record<string, number>;

/** What the shop has told this shopper. */
export interface Told {
  readonly baskets: Map<string, Units>;
  readonly paidInvoices: string[];
}

const TRY_AGAIN_MILLISECONDS = 20;

/**
 * A shopper whom no kill impresses: asks again, with the same idempotency key, until there is an answer. Fills baskets,
 * now and then with an add-on, leaves some, pays for the others, some with a code or with a second thought. Errors: an
 * answer that no shop should give.
 */
export const createStormShopper = (options: StormShopperOptions) => {
  const { shop, name, productIds, plenty, code, random, onAcknowledged } = options;
  const told: Told = { baskets: new Map(), paidInvoices: [] };
  let purchases = 0;

  const ask = async (request: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      await shop.ready();
      const answer = await request().catch(() => null);
      if (answer && answer.status < 500 && answer.status !== 409) {
        if (answer.status === 200) onAcknowledged();
        return answer;
      }
      // 502 is a gateway's word for a process that is not there.
      if (answer && ![409, 502, 503].includes(answer.status))
        throw new Error(`${name} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      await pause(TRY_AGAIN_MILLISECONDS);
    }
  };

  const must = async (request: () => Promise<Answer>): Promise<Answer> => {
    const answer = await ask(request);
    if (answer.status === 200) return answer;
    throw new Error(`${name} was refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
  };

  /** Out of stock is an answer too: then nothing was added. */
  const add = async (shopper: Shopper, units: Units, productId: string, quantity: number): Promise<void> => {
    const addons = random() < 0.3 ? [wrapped] : [];
    const body = { productId, quantity, addons, idempotencyKey: newId() };
    const { status } = await ask(() => shopper.post('/api/shop/storefront/basket/add', body));
    if (status !== 200) return;
    units[productId] = (units[productId] ?? 0) + quantity;
    told.baskets.set(shopper.basketId, units);
  };

  const fill = async (shopper: Shopper): Promise<Units> => {
    const units: Units = {};
    for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
      const productId = productIds[Math.floor(random() * productIds.length)] ?? plenty;
      await add(shopper, units, productId, 1 + Math.floor(random() * 2));
    }
    return units;
  };

  /** The figures may have moved, and the code may be used up: who has seen it pays again. */
  const pay = async (shopper: Shopper): Promise<string | null> => {
    for (let tries = 0; tries < 5; tries++) {
      const key = { 'Idempotency-Key': newId() };
      const { status, body } = await ask(() => shopper.pay(key));
      if (status === 200) return body.invoiceId as string;
      if (body.unavailableItems?.length > 0) return null;
    }
    return null;
  };

  const payFor = async (shopper: Shopper, invoiceId: string): Promise<boolean> => {
    const key = { 'Idempotency-Key': newId() };
    const token = random() < 0.1 ? 'tok_decline' : 'tok_success';
    const { body } = await must(() => shopper.payWith(invoiceId, token, key));
    if (body.status === 'Completed') told.paidInvoices.push(invoiceId);
    return body.status === 'Completed';
  };

  const buy = async (shopper: Shopper, units: Units): Promise<void> => {
    await must(() => shopper.giveAddress(`${name}-${++purchases}@example.com`));
    if (random() < 0.5) await ask(() => shopper.applyCode(code));
    if ((await ask(() => shopper.initialize())).status !== 200) return;
    const invoiceId = await pay(shopper);
    const mood = random();
    if (invoiceId === null || mood < 0.1) return;
    if (mood > 0.3) {
      await payFor(shopper, invoiceId);
      return;
    }
    // A second thought: on a new invoice that replaces the first, or left for the next basket.
    await add(shopper, units, plenty, 1);
    if (mood < 0.2) {
      const replaced = await pay(shopper);
      if (replaced !== null) await payFor(shopper, replaced);
    } else if (await payFor(shopper, invoiceId)) {
      told.baskets.set(shopper.basketId, { [plenty]: 1 });
    }
  };

  return {
    told,
    /** Goes shopping until told to stop, and finishes what was begun. */
    shopUntil: async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        const shopper = shop.shopper();
        const units = await fill(shopper);
        if (Object.keys(units).length > 0 && random() < 0.6) await buy(shopper, units);
      }
    },
  };
};
