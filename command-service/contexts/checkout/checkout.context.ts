import { gatherPrices, type BasketPrices, type PriceSources } from '#command/pricing/basket-prices.ts';
import { shippingPlanner, type PlanShipping } from '#command/pricing/shipping-plan.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { Destination } from '#values/address.ts';
import { businessDay } from '#values/business-day.ts';
import type { Minor } from '#values/money.ts';
import { claimedDiscountIdsOf, holdsOf, type BasketState } from '../basket/basket.state.ts';
import type { OrdersForNeighbours } from '../orders/invoice.commands.ts';
import type { CheckoutCommand } from './checkout.commands.ts';

/** What the decisions of checkout need from outside. */
export interface CheckoutContext {
  readonly prices: BasketPrices;
  /** ISO instant. */
  readonly now: string;
  readonly businessDay: string;
  readonly requireTermsAcceptance: boolean;
  /** Asked when shipping is or has been chosen, and when an order is placed. */
  readonly planShipping: PlanShipping;
  /** Cost of goods of one unit by product id. */
  readonly costs: ReadonlyMap<string, Minor>;
  /** Products that cannot be bought any more. */
  readonly withdrawn: ReadonlySet<string>;
  /** Unpaid invoices that stand at the shopper's address, without the one that this placement replaces. */
  readonly openAtAddress: number;
}

interface CountsOpenInvoices {
  readonly orders: Pick<OrdersForNeighbours, 'countOpenInvoices'>;
}

const destinationOf = (state: BasketState, command: CheckoutCommand): Destination => {
  if (command.type === 'SelectShipping' && command.destination) return command.destination;
  if (command.type === 'ChangeAddresses') return command.shippingAddress;
  return state.basket?.destination ?? { countryCode: '', regionCode: null, postalCode: null };
};

/** Collects what deciding a checkout command needs, from reference state; no I/O. */
export const checkoutContext =
  (sources: PriceSources & { readonly neighbours: CountsOpenInvoices }) =>
  (command: CheckoutCommand) =>
  (state: BasketState): CheckoutContext => {
    const { reference } = sources;
    const settings = sources.settings();
    const productIds = (state.basket?.lines ?? []).map((line) => line.productId);
    const discountIds = (state.basket?.codes ?? []).map((code) => code.discountId);
    if (command.type === 'ApplyDiscountCode') discountIds.push(command.discountId);
    const prices = gatherPrices(sources, {
      productIds,
      discountIds,
      destination: destinationOf(state, command),
      claimedDiscountIds: claimedDiscountIdsOf(state),
    });
    const isPlacing = command.type === 'StartPlacement' && state.basket !== null;
    const place = command.type === 'StartPlacement' ? command.openInvoices : null;
    const replaced = state.order?.invoiceId ?? null;
    const costs = new Map<string, Minor>();
    const withdrawn = new Set<string>();
    for (const productId of isPlacing ? productIds : []) {
      const variant = reference.catalogue.variant(productId)?.variant;
      if (!variant?.availableForPurchase || !variant.canPurchase) withdrawn.add(productId);
      costs.set(productId, variant?.costOfGoods ?? 0);
    }
    return {
      prices,
      now: isoInstant(prices.now),
      businessDay: businessDay(prices.now, settings.reportingTimeZone),
      requireTermsAcceptance: settings.requireTermsAcceptance,
      planShipping: shippingPlanner(sources, holdsOf(state)),
      costs,
      withdrawn,
      openAtAddress:
        command.type === 'StartPlacement' && place
          ? sources.neighbours.orders.countOpenInvoices(place.address, command.invoiceId, replaced)
          : 0,
    };
  };
