import { addonKey, chooseAddons, goodsKey } from '#command/pricing/addons.ts';
import type { InvoiceToFreeze } from '#command/pricing/freeze-invoice.ts';
import { gatherPrices, type BasketPrices, type PriceSources } from '#command/pricing/basket-prices.ts';
import type { Presentment } from '#command/pricing/present-invoice.ts';
import { discountIdsOf } from '#command/pricing/priceable.ts';
import { estimated, type ProviderTax } from '#command/pricing/provider-tax.ts';
import { shippingPlanner, type PlanShipping } from '#command/pricing/shipping-plan.ts';
import type { BasketViewLine } from '#events/basket-view.ts';
import type { StockHold } from '#events/checkout.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { isPurchasable } from '#reference/availability.ts';
import { presentationFor } from '#reference/presentation.ts';
import type { Reference } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { SessionTimeouts } from '#values/checkout-session.ts';
import { businessDay } from '#values/business-day.ts';
import type { Minor } from '#values/money.ts';
import { usedDiscountIdsOf, holdsOf, type BasketState } from '../basket/basket.state.ts';
import type { OrdersApi } from '../invoices/invoice.commands.ts';
import type { CheckoutCommand, StartPlacement } from './checkout.commands.ts';
import type { HeldThere } from './placement/large-hold.ts';
import type { Withdrawn } from './withdrawn-items.ts';

/** What the decisions of checkout need from outside. */
export interface CheckoutContext {
  readonly prices: BasketPrices;
  /** ISO instant. */
  readonly now: string;
  readonly businessDay: string;
  readonly timeouts: SessionTimeouts;
  readonly requireTermsAcceptance: boolean;
  /** Asked when shipping is or has been chosen, and when an order is placed. */
  readonly planShipping: PlanShipping;
  /** Cost of one unit: of a product by its id, of an add-on by `addonKey`. */
  readonly costs: ReadonlyMap<string, Minor>;
  /** By root: the collections that a product of the basket is in. */
  readonly collections: InvoiceToFreeze['collections'];
  readonly withdrawn: Withdrawn;
  /** What the shopper is shown when the order is placed; null: the store's own currency. */
  readonly presentment: Presentment | null;
  /** Whether a discount may be used so often only, in all or by one customer: then its use is claimed. */
  readonly isLimited: (discountId: string) => boolean;
  /** Whether one customer may use it so often only. */
  readonly isLimitedPerCustomer: (discountId: string) => boolean;
  /** The rule of a discount, as it is now. */
  readonly ruleOf: InvoiceToFreeze['ruleOf'];
  /** Unpaid invoices that stand at the shopper's address, without the one that this placement replaces. */
  readonly openAtAddress: number;
  /** What they hold; null where that does not matter. */
  readonly heldThere: HeldThere | null;
}

interface CountsOpenInvoices {
  readonly orders: Pick<OrdersApi, 'countOpenInvoices' | 'heldAtAddress'>;
}

/** What the lines of a basket cost the shop, what collections they are in, and which are not sold any more. */
export const goodsOf = ({ catalogue }: Reference, lines: readonly BasketViewLine[]) => {
  const costs = new Map<string, Minor>();
  const collections = new Map<string, readonly string[]>();
  const withdrawn = new Map<string, string | null>();
  for (const line of lines) {
    const { productId, addons } = line;
    const sellable = catalogue.variant(productId);
    costs.set(productId, sellable?.variant.costOfGoods ?? 0);
    if (sellable) collections.set(sellable.rootId, sellable.root.collectionIds);
    if (!sellable || !isPurchasable(sellable.variant)) {
      withdrawn.set(goodsKey(line), null);
      continue;
    }
    const { chosen, problem } = chooseAddons(sellable.root, addons);
    if (chosen === null) withdrawn.set(goodsKey(line), problem);
    for (const { option, value } of chosen ?? [])
      costs.set(addonKey(productId, { optionId: option.id, valueId: value.id }), value.costAdjustment);
  }
  return { costs, collections, withdrawn };
};

const destinationOf = (state: BasketState, command: CheckoutCommand): Destination => {
  if (command.type === 'SelectShipping' && command.destination) return command.destination;
  if (command.type === 'ChangeAddresses') return command.shippingAddress;
  return state.basket?.destination ?? { countryCode: '', regionCode: null, postalCode: null };
};

/** The one that is shown: its rate is locked by the order that is placed with it. */
const presentmentOf = (
  sources: PriceSources,
  { wantedCurrency }: Pick<StartPlacement, 'wantedCurrency'>,
): Presentment | null => {
  const { display, storeCurrency } = presentationFor(sources, wantedCurrency);
  const { rates } = sources.reference.exchangeRates.current();
  if (rates === null || display.currency === storeCurrency) return null;
  return { ...display, source: rates.provider, quotedAt: rates.quotedAt };
};

/** What a provider has said holds for the place that it was asked about. */
const providerTaxOf = (state: BasketState, command: CheckoutCommand): ProviderTax => {
  const changed = estimated(state.basket?.shippingAddress ? 'BasketChanged' : 'ShippingAddressMissing');
  if (command.type !== 'ApplyTax' && command.type !== 'StartPlacement') return changed;
  const { tax } = command;
  if (tax?.kind !== 'answered') return tax ?? changed;
  return isSameJson(tax.destination, destinationOf(state, command)) ? tax : changed;
};

const limitsIn = ({ discounts }: Reference) => {
  const isLimitedPerCustomer = (discountId: string): boolean =>
    typeof discounts.byId(discountId)?.rule.perCustomerUsageLimit === 'number';
  return {
    ruleOf: (discountId: string) => discounts.byId(discountId)?.rule,
    isLimitedPerCustomer,
    isLimited: (discountId: string): boolean =>
      typeof discounts.byId(discountId)?.rule.totalUsageLimit === 'number' ||
      isLimitedPerCustomer(discountId),
  };
};

type Sources = PriceSources & { readonly apis: CountsOpenInvoices };

/** Unpaid invoices at the address of a placement, beside the one that it replaces. */
const standingThere = (sources: Sources, state: BasketState, command: CheckoutCommand, now: number) => {
  if (command.type !== 'StartPlacement' || !command.openInvoices)
    return { openAtAddress: 0, heldThere: null };
  const { orders } = sources.apis;
  const { invoiceId, openInvoices, largeHolds: limits } = command;
  const replaced = state.order?.invoiceId ?? null;
  const stockOf = ({ productId, warehouseId }: StockHold): number =>
    sources.reference.stock.level(productId, warehouseId)?.stock ?? 0;
  const { address, heldAt = address } = openInvoices;
  const elsewhere = limits && orders.heldAtAddress(heldAt, invoiceId, replaced);
  return {
    openAtAddress: orders.countOpenInvoices(address, invoiceId, replaced),
    heldThere: limits && elsewhere && { limits, elsewhere, stockOf, now },
  };
};

/** Collects what deciding a checkout command needs, from reference state; no I/O. */
export const checkoutContext =
  (sources: Sources) =>
  (command: CheckoutCommand) =>
  (state: BasketState): CheckoutContext => {
    const settings = sources.settings();
    const lines = state.basket?.lines ?? [];
    const discountIds = state.basket ? discountIdsOf(state.basket) : new Set<string>();
    if (command.type === 'ApplyDiscountCode') discountIds.add(command.discountId);
    const prices = gatherPrices(sources, {
      goods: lines,
      discountIds,
      destination: destinationOf(state, command),
      usedDiscountIds: usedDiscountIdsOf(state),
      holds: holdsOf(state),
      providerTax: providerTaxOf(state, command),
    });
    const isPlacing = command.type === 'StartPlacement' && state.basket !== null;
    return {
      prices,
      now: isoInstant(prices.now),
      businessDay: businessDay(prices.now, settings.reportingTimeZone),
      timeouts: settings,
      requireTermsAcceptance: settings.requireTermsAcceptance,
      planShipping: shippingPlanner(sources, holdsOf(state)),
      ...goodsOf(sources.reference, isPlacing ? lines : []),
      presentment: command.type === 'StartPlacement' ? presentmentOf(sources, command) : null,
      ...limitsIn(sources.reference),
      ...standingThere(sources, state, command, prices.now),
    };
  };
