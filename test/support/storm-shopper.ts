import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#kernel/ids.ts';
import { sendEvent } from './provider-callbacks.ts';
import type { ShopProcess } from './shop-process.ts';
import type { ShopAt, Shopper } from './shop.ts';
import { wrapped } from './small-store.ts';
import { stormAsking, TRY_AGAIN_MILLISECONDS, type StormAskingOptions } from './storm-asking.ts';

export interface StormShopperOptions extends StormAskingOptions {
  /** Where it is, and when all of it is up. */
  readonly shop: Pick<ShopProcess, 'ready' | 'shopper'>;
  /** Payments also come by callbacks, and some are refunded, by the provider or by staff; left out: cards only. */
  readonly money?: Pick<ShopAt, 'admin' | 'tester'>;
  readonly productIds: readonly string[];
  /** A product that never runs out. */
  readonly plenty: string;
  readonly code: string;
  /** From 0 to 1, seeded. */
  readonly random: () => number;
}

/** By product. */
type Units = Record<string, number>;

/** What the shop has told this shopper. */
export interface Acknowledged {
  readonly baskets: Map<string, Units>;
  readonly paidInvoices: string[];
  /** Each of them once. */
  readonly refundedInvoices: string[];
}

/** A payment that may be refunded. */
interface Made {
  readonly invoiceId: string;
  readonly transactionId: string;
}

/**
 * A shopper whom no kill impresses: asks again, with the same idempotency key, until there is an answer. Fills baskets,
 * now and then with an add-on, leaves some, pays for the others, some with a code or with a second thought. Errors: an
 * answer that no shop should give.
 */
export const createStormShopper = (options: StormShopperOptions) => {
  const { shop, money, name, productIds, plenty, code, random } = options;
  const { ask, must } = stormAsking(options);
  const told: Acknowledged = { baskets: new Map(), paidInvoices: [], refundedInvoices: [] };
  let purchases = 0;

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

  /** The transaction; null when it came to nothing. */
  const payFor = async (shopper: Shopper, invoiceId: string): Promise<string | null> => {
    const key = { 'Idempotency-Key': newId() };
    const token = random() < 0.1 ? 'tok_decline' : 'tok_success';
    const { body } = await must(() => shopper.payWith(invoiceId, token, key));
    if (body.status !== 'Completed') return null;
    told.paidInvoices.push(invoiceId);
    return body.transactionId as string;
  };

  /** What the backoffice shows, as soon as it does. */
  const shown = async ({ admin }: Pick<ShopAt, 'admin'>, path: string) => {
    for (;;) {
      const { status, body } = await ask(() => admin.get(`/backoffice/api/v1${path}`));
      if (status === 200) return body;
      await pause(TRY_AGAIN_MILLISECONDS);
    }
  };

  /** A provider sends an event until it is acknowledged, now and then several times at once. */
  const told200 = async ({ tester }: Pick<ShopAt, 'tester'>, type: string, data: object): Promise<void> => {
    const event = { id: newId(), type, data: { ...data } };
    const copies = 1 + Math.floor(random() * 3);
    await Promise.all(Array.from({ length: copies }, () => must(() => sendEvent(tester, event))));
  };

  const paidByCallback = async (at: Pick<ShopAt, 'admin' | 'tester'>, invoiceId: string): Promise<Made> => {
    const { balanceDue: amount, currencyCode: currency } = await shown(at, `/orders/${invoiceId}`);
    const transactionId = `told-${newId()}`;
    await told200(at, 'PaymentCompleted', { transactionId, invoiceId, amount, currency });
    told.paidInvoices.push(invoiceId);
    return { invoiceId, transactionId };
  };

  interface Row {
    readonly id: string;
    readonly transactionId: string;
    readonly amount: number;
  }

  /** A part of it, by the provider itself or by staff. */
  const refund = async (
    at: Pick<ShopAt, 'admin' | 'tester'>,
    { invoiceId, transactionId }: Made,
  ): Promise<void> => {
    const path = `/invoices/${invoiceId}/payments`;
    const isIt = (row: Row): boolean => row.transactionId === transactionId;
    let rows: readonly Row[] = [];
    while (!rows.some(isIt)) rows = (await shown(at, path)).items;
    const paid = rows.find(isIt);
    if (!paid) return;
    const amount = Math.round(paid.amount * 50) / 100;
    if (random() < 0.5) {
      const data = { transactionId, invoiceId, refundId: newId(), amount, currency: 'GBP' };
      await told200(at, 'RefundCompleted', data);
    } else {
      const key = { 'Idempotency-Key': newId() };
      const wanted = { amount, reason: 'a storm' };
      await must(() => at.admin.post(`/backoffice/api/v1/payments/${paid.id}/refund`, wanted, key));
    }
    told.refundedInvoices.push(invoiceId);
  };

  /** Pays one way or another, and now and then wants some of it back. */
  const settle = async (shopper: Shopper, invoiceId: string): Promise<void> => {
    if (!money) {
      await payFor(shopper, invoiceId);
      return;
    }
    if (random() < 0.5) await paidByCallback(money, invoiceId).then((made) => mayRefund(money, made));
    else {
      const transactionId = await payFor(shopper, invoiceId);
      if (transactionId !== null) await mayRefund(money, { invoiceId, transactionId });
    }
  };
  const mayRefund = async (at: Pick<ShopAt, 'admin' | 'tester'>, made: Made): Promise<void> => {
    if (random() < 0.5) await refund(at, made);
  };

  const buy = async (shopper: Shopper, units: Units): Promise<void> => {
    await must(() => shopper.giveAddress(`${name}-${++purchases}@example.com`));
    if (random() < 0.5) await ask(() => shopper.applyCode(code));
    if ((await ask(() => shopper.initialize())).status !== 200) return;
    const invoiceId = await pay(shopper);
    const mood = random();
    if (invoiceId === null || mood < 0.1) return;
    if (mood > 0.3) {
      await settle(shopper, invoiceId);
      return;
    }
    // A second thought: on a new invoice that replaces the first, or left for the next basket.
    await add(shopper, units, plenty, 1);
    if (mood < 0.2) {
      const replaced = await pay(shopper);
      if (replaced !== null) await settle(shopper, replaced);
    } else if ((await payFor(shopper, invoiceId)) !== null) {
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
