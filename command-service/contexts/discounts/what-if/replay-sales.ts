import type { BasketEvent } from '#events/basket.events.ts';
import type { CheckoutEvent } from '#events/checkout.events.ts';
import type { DiscountUsageEvent } from '#events/discount-usage.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import type { GivenSettings } from '#values/store-settings.ts';
import { categoryOf, idOf } from '#values/stream-name.ts';
import { createOpenOrders } from './open-orders.ts';
import { createRememberedBaskets } from './remembered-baskets.ts';
import { rememberedTypes } from './remembered-basket.ts';
import { reprice, type RuleChange } from './reprice.ts';
import { createComparison } from './sales-compared.ts';
import { createSelfCheck, differenceOf, type LeftReason } from './self-check.ts';
import { createShopThen } from './shop-then.ts';
import { recordedIn, soldOrder } from './sold-order.ts';
import { createUseCounts } from './use-counts.ts';

/** What is asked: business days, both included, and the one rule that is not as it was. */
export interface WhatIf {
  readonly from: string;
  readonly to: string;
  readonly change: RuleChange;
  /** Settings that the configuration gives. */
  readonly configured: GivenSettings;
  /** Sales that were cancelled or deleted later on: they are left out. */
  readonly cancelled: ReadonlySet<string>;
  /** How many baskets are remembered. Default: what is enough. */
  readonly mostBaskets?: number;
}

type OfCheckout<Type extends CheckoutEvent['type']> = Recorded<EventOfType<CheckoutEvent, Type>>;
type OfInvoice<Type extends InvoiceEvent['type']> = Recorded<EventOfType<InvoiceEvent, Type>>;

const changedRule = (change: RuleChange): string | null => {
  if (change.kind === 'nothing') return null;
  return change.kind === 'added' ? change.discount.id : change.discountId;
};

/** What is held along the log, and what comes of it. */
const createParts = (asked: WhatIf) => {
  const { change, configured, mostBaskets } = asked;
  const shop = createShopThen(configured);
  const isLimitedPerCustomer = (id: string): boolean => {
    const added = change.kind === 'added' && change.discount.id === id ? change.discount : undefined;
    return typeof (added ?? shop.reference.discounts.byId(id))?.rule.perCustomerUsageLimit === 'number';
  };
  const counts = createUseCounts(isLimitedPerCustomer);
  return {
    asked,
    shop,
    counts,
    baskets: createRememberedBaskets(mostBaskets),
    open: createOpenOrders(counts),
    comparison: createComparison(changedRule(change)),
    check: createSelfCheck(),
  };
};

type Parts = ReturnType<typeof createParts>;

const isAsked = ({ from, to }: WhatIf, day: string): boolean => from <= day && day <= to;

/** An order is priced again where it was priced: when its placement began. */
const place = (parts: Parts, { stream, data }: OfCheckout<'OrderPlacementStarted'>): void => {
  const { asked, shop, counts, baskets, open } = parts;
  const { invoiceId, supersededInvoiceId: instead, content } = data;
  if (!isAsked(asked, content.businessDay)) return;
  open.replace(instead);
  const sold = soldOrder(content, baskets.get(idOf(stream)));
  const unchanged = reprice(sold, shop, { kind: 'nothing' }, counts.asRecorded);
  const difference = differenceOf(sold, unchanged, shop.changedAt());
  const { recorded, customerId } = sold;
  const recomputed =
    difference !== null || asked.change.kind === 'nothing'
      ? recorded
      : reprice(sold, shop, asked.change, counts.asRecomputed);
  const shifts = counts.claim({ customerId, recorded: recorded.rules, recomputed: recomputed.rules });
  open.put(invoiceId, { recorded, recomputed, difference, shifts, instead, isEdited: false });
};

/** What cannot be priced again stands on both sides as it was sold. */
const leave = (
  { check, comparison }: Parts,
  reason: LeftReason,
  { data }: OfInvoice<'SaleConfirmed'>,
): void => {
  const recorded = recordedIn(data.content);
  check.leave(reason);
  comparison.count(data.content.businessDay, recorded, recorded);
};

const sell = (parts: Parts, event: OfInvoice<'SaleConfirmed'>): void => {
  const { asked, open, check, comparison } = parts;
  const { invoiceNumber, content } = event.data;
  const { businessDay: day, basketId } = content;
  if (!isAsked(asked, day)) return;
  const invoiceId = idOf(event.stream);
  const isCancelledLater = asked.cancelled.has(invoiceId);
  const order = open.sell(invoiceId, isCancelledLater);
  if (isCancelledLater) return;
  if (order === undefined) return leave(parts, basketId === null ? 'manual-order' : 'no-placement', event);
  if (order.isEdited) return leave(parts, 'edited-before-sale', event);
  check.count({ invoiceId, invoiceNumber, day }, order.difference);
  comparison.count(day, order.recorded, order.recomputed);
};

type AnyOfCheckout = Recorded<BasketEvent | CheckoutEvent>;

const followOrder = (parts: Parts, event: AnyOfCheckout): void => {
  const { baskets, open } = parts;
  if (event.type === 'OrderPlacementStarted') place(parts, event);
  if (event.type === 'OrderExpired') open.close(event.data.invoiceId);
  if (event.type === 'OrderPlacementFailed') {
    const { placing } = baskets.get(idOf(event.stream));
    if (placing) open.fail(placing.invoiceId, event.data.keepsHolds);
  }
};

const takeOfBasket = (parts: Parts, event: AnyOfCheckout): void => {
  const { baskets } = parts;
  const basketId = idOf(event.stream);
  if (event.type === 'BasketCompleted' || event.type === 'BasketForgotten') return baskets.drop(basketId);
  followOrder(parts, event);
  baskets.take(basketId, event);
};

const takeOfInvoice = (parts: Parts, event: Recorded<InvoiceEvent>): void => {
  const { open } = parts;
  const invoiceId = idOf(event.stream);
  if (event.type === 'SaleConfirmed') sell(parts, event);
  if (event.type === 'InvoiceSuperseded') open.supersede(invoiceId);
  if (event.type === 'InvoiceEdited') open.edit(invoiceId);
  if (event.type === 'InvoiceCancelled' || event.type === 'InvoiceDeleted') open.close(invoiceId);
};

const invoiceTypes: readonly InvoiceEvent['type'][] = [
  // What a confirmed sale leaves to it is at hand once it has been read.
  'InvoiceCreated',
  'InvoiceSuperseded',
  'InvoiceEdited',
  'InvoiceCancelled',
  'InvoiceDeleted',
  'SaleConfirmed',
];

/**
 * Prices every order of some days again, at its place in the log: it takes events in the order of their positions. What
 * it holds are rules and their uses, products, baskets in checkout and unpaid orders, however long the log is
 * (docs/rules/what-if.md#runs).
 */
export const createSalesReplay = (asked: WhatIf) => {
  const parts = createParts(asked);
  const { shop, counts, baskets, comparison, check } = parts;
  return {
    eventTypes: new Set([
      ...shop.eventTypes,
      ...rememberedTypes,
      'BasketCompleted',
      'BasketForgotten',
      ...invoiceTypes,
    ]),
    take: (event: Recorded): void => {
      shop.take(event);
      switch (categoryOf(event.stream)) {
        case 'basket':
          return takeOfBasket(parts, event as Recorded<BasketEvent | CheckoutEvent>);
        case 'invoice':
          return takeOfInvoice(parts, event as Recorded<InvoiceEvent>);
        case 'discountUsage':
          return counts.count(event as Recorded<DiscountUsageEvent>);
      }
    },
    /** Whether an order is placed of a basket that has not changed for so long that it is not remembered. */
    hasForgotten: ({ type, stream, data }: Recorded): boolean =>
      type === 'OrderPlacementStarted' &&
      !baskets.isWhole(idOf(stream)) &&
      isAsked(asked, (data as OfCheckout<'OrderPlacementStarted'>['data']).content.businessDay),
    /** What the stream of such a basket says up to there. */
    recall: (basketId: string, events: readonly Recorded[]): void => baskets.recall(basketId, events),
    result: () => ({ ...comparison.result(), check: check.result() }),
  };
};

export type SalesReplay = ReturnType<typeof createSalesReplay>;
export type WhatIfResult = ReturnType<SalesReplay['result']>;
