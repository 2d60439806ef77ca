import type { Actions } from '../actions.ts';
import type { CommandMeta } from '../engine/command-engine.ts';
import { stepMeta } from '../engine/command-meta.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Visit } from './plan-visits.ts';
import { requestsOf } from './requests.ts';
import type { Seen } from './suggested.ts';

/** What shoppers and staff ask of the shop. */
export type ShopActions = Pick<
  Actions,
  | 'abandonedCheckouts'
  | 'agentCheckouts'
  | 'basket'
  | 'checkout'
  | 'inventory'
  | 'orders'
  | 'payments'
  | 'upsells'
>;

export interface VisitorOptions {
  readonly seed: number;
  readonly shop: ShopActions;
}

export const visitorActor = { kind: 'visitor', id: null } as const;
const card = { providerAlias: 'sandbox', methodAlias: 'card' };
/** However many shop in a simulation, they are counted together nowhere. */
export const nobodysAddress = '';
const nowhere = { ip: nobodysAddress, storeUrl: null };
/** No redirects to a payment page. */
const noPages = { returnUrl: '/', cancelUrl: '/', shop: '' };

/**
 * One shopper's way through the shop, which begins without a basket or goes on with one, and an id for each thing that
 * they ask for.
 */
export const createVisitor = (
  { seed, shop }: VisitorOptions,
  { number, person, currency }: Visit,
  broughtBasketId: string | null = null,
) => {
  const { name, email, town, addressOne, acceptsMarketing } = person;
  const { countryCode, regionCode } = town;
  const place = { countryCode, regionCode: regionCode ?? undefined };
  const occasion = broughtBasketId === null ? [seed, number] : [seed, 'back', number];
  const repeatable = requestsOf(visitorActor, ...occasion);
  const once = (): CommandMeta => stepMeta(repeatable());
  let basketId = broughtBasketId;
  return {
    basketId: (): string | null => basketId,
    add: async (goods: Visit['lines'][number]): Promise<void> => {
      ({ basketId } = await shop.basket.add(basketId, goods, place, nowhere.ip, repeatable()));
    },
    looksAt: ({ suggestions, clicked }: Seen): void => {
      const to = { location: 'Basket', basketId, customerId: null } as const;
      shop.upsells.recordImpressions(to, suggestions);
      if (clicked) shop.upsells.recordClick(to, clicked);
    },
    clear: () => shop.basket.clear(basketId, once()),
    saysWhereTheyLive: () => {
      const billingAddress = { name, addressOne, ...town };
      return shop.checkout.changeAddresses(
        basketId,
        { email, acceptsMarketing, billingAddress },
        nowhere,
        once(),
      );
    },
    choosesShipping: async (): Promise<void> => {
      const to = { countryCode, stateCode: regionCode };
      const { changed } = await shop.checkout.initialize(basketId, to, once());
      if (changed === null)
        throw new Rejection('cannot-ship', 'Something in the basket cannot be shipped there.');
    },
    /** A used-up code, or one without effect, ends no visit. */
    triesCode: async (code: string): Promise<void> => {
      try {
        await shop.checkout.applyDiscountCode(basketId, code, () => Promise.resolve(), once());
      } catch (error) {
        if (!(error instanceof Rejection)) throw error;
      }
    },
    /** Makes a new invoice, or keeps the one that still says what the basket holds. */
    orders: async (): Promise<string> => {
      const shown = { wantedCurrency: currency ?? undefined, shown: null };
      const buyer = { hasAcceptedTerms: false, ...shown, ip: nobodysAddress };
      return (await shop.payments.pay(basketId, card, noPages, buyer, repeatable())).invoiceId;
    },
    /** Whether the payment is complete. */
    pays: async (invoiceId: string, paymentMethodToken: string): Promise<boolean> => {
      const payment = { ...card, invoiceId, paymentMethodToken };
      const { outcome } = await shop.payments.processPayment(basketId, payment, repeatable());
      return outcome.kind === 'completed' || outcome.kind === 'authorized';
    },
  };
};
export type Visitor = ReturnType<typeof createVisitor>;
