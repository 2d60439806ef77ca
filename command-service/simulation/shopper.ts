import type { Actions } from '../actions.ts';
import type { CommandMeta } from '../engine/command-engine.ts';
import { stepMeta } from '../engine/command-meta.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Visit } from './plan-visits.ts';
import { createChance, seedFrom } from './pure-random.ts';
import { MINUTE, type Doings } from './simulated-time.ts';
import type { Seen, SuggestedVisit } from './suggested.ts';

type CameTo =
  { readonly kind: 'bought'; readonly invoiceId: string } | { readonly kind: 'left' | 'declined' };

/** What came of a visit. */
export type Outcome =
  | CameTo
  /** The shop refused a step; the code says why. */
  | { readonly kind: 'refused'; readonly code: string };

/** What shoppers and staff ask of the shop. */
export type ShopActions = Pick<
  Actions,
  'basket' | 'checkout' | 'inventory' | 'orders' | 'payments' | 'upsells'
>;

export interface ShopperOptions {
  readonly seed: number;
  readonly shop: ShopActions;
  readonly onLeave: (outcome: Outcome) => void;
}

const actor = { kind: 'visitor', id: null } as const;
const card = { providerAlias: 'sandbox', methodAlias: 'card' };
/** However many shop in a simulation, they are counted together nowhere. */
const nobodysAddress = '';
const nowhere = { ip: nobodysAddress, storeUrl: null };
/** No redirects to a payment page. */
const noPages = { returnUrl: '/', cancelUrl: '/', shop: '' };
/** No visit takes longer, pauses included: fourteen of three minutes at most. */
export const LONGEST_VISIT = 60 * MINUTE;

/** One shopper's way through the shop: their basket, and an id for each thing that they ask for. */
const createVisitor = ({ seed, shop }: ShopperOptions, { number, person, currency }: Visit) => {
  const { name, email, town, addressOne, acceptsMarketing } = person;
  const { countryCode, regionCode } = town;
  const place = { countryCode, regionCode: regionCode ?? undefined };
  let basketId: string | null = null;
  let requests = 0;
  const repeatable = (): CommandMeta => {
    const commandId = derivedId('simulated request', seed, number, requests++);
    const correlationId = derivedId('request', commandId);
    return { correlationId, causationId: correlationId, actor, commandId };
  };
  const once = (): CommandMeta => stepMeta(repeatable());
  return {
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
type Visitor = ReturnType<typeof createVisitor>;

async function* goThrough(
  visit: SuggestedVisit,
  visitor: Visitor,
  pause: () => number,
): AsyncGenerator<number, CameTo> {
  const { lines, ending, code, refusedTokens, afterthought, seen } = visit;
  for (const line of lines) {
    await visitor.add(line);
    yield pause();
  }
  if (seen) {
    visitor.looksAt(seen);
    if (seen.taken) {
      yield pause();
      await visitor.add(seen.taken);
    }
    yield pause();
  }
  if (ending === 'clearsBasket') await visitor.clear();
  if (ending === 'leavesBasket' || ending === 'clearsBasket') return { kind: 'left' };

  await visitor.saysWhereTheyLive();
  yield pause();
  await visitor.choosesShipping();
  if (code !== null) {
    yield pause();
    await visitor.triesCode(code);
  }
  if (ending === 'leavesCheckout') return { kind: 'left' };

  yield pause();
  let invoiceId = await visitor.orders();
  if (ending === 'leavesInvoice') return { kind: 'left' };
  if (afterthought) {
    yield pause();
    await visitor.add(afterthought);
    await visitor.choosesShipping();
    yield pause();
    invoiceId = await visitor.orders();
  }
  for (const token of refusedTokens) {
    yield pause();
    await visitor.pays(invoiceId, token);
  }
  if (ending === 'declined') return { kind: 'declined' };
  yield pause();
  const isPaid = await visitor.pays(invoiceId, 'tok_success');
  return isPaid ? { kind: 'bought', invoiceId } : { kind: 'declined' };
}

/** Goes through a visit as planned, step by step, until the shopper leaves or the shop refuses. */
export async function* shop(visit: SuggestedVisit, options: ShopperOptions): Doings {
  const chance = createChance(seedFrom(options.seed, 'pauses', visit.number));
  const pause = (): number => chance.whole(30_000, 3 * MINUTE);
  try {
    options.onLeave(yield* goThrough(visit, createVisitor(options, visit), pause));
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    options.onLeave({ kind: 'refused', code: error.code });
  }
}
