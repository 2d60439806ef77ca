import { basketStream } from '#command/contexts/basket/basket-evolution.state.ts';
import type { BasketState } from '#command/contexts/basket/basket.state.ts';
import type { BasketEvent } from '#events/basket.events.ts';
import type { CheckoutEvent } from '#events/checkout.events.ts';
import { customerUsageId } from '#command/contexts/discounts/discount-usage.commands.ts';
import type { CustomerEvent } from '#events/customer.events.ts';
import type { DiscountEvent, DiscountRule } from '#entities/discount.entity.ts';
import type { DiscountUsageEvent } from '#events/discount-usage.events.ts';
import type { InventoryEvent } from '#events/inventory.events.ts';
import type { InvoiceEvent, InvoiceNumberEvent } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { Recorded } from '#kernel/event.ts';
import { evolve } from '#kernel/evolution.ts';
import { derivedId } from '#kernel/ids.ts';
import { categoryOf, idOf } from '#values/stream-name.ts';
import { ShippedGoods } from './shipped-goods.ts';

type BasketStreamEvent = Recorded<BasketEvent | CheckoutEvent>;

/** Money that a provider has taken. */
interface CaptureEntry {
  readonly paymentId: string;
  readonly transactionId: string;
  readonly amount: number;
  readonly provider: string;
  /** It came when nothing was due. */
  readonly isOverpayment: boolean;
}

/** Money that a provider has given back. */
interface RefundEntry {
  readonly paymentId: string;
  readonly transactionId: string;
  readonly amount: number;
  readonly provider: string;
}

/** An invoice as its events tell it. */
export interface InvoiceEntry {
  invoiceNumber: string;
  /** Null for a number whose invoice could not be created. */
  content: InvoiceContent | null;
  isSuperseded: boolean;
  /** By hand or for want of money; deleted ones too. */
  isCancelled: boolean;
  isDeleted: boolean;
  /** What went back, and what of it counts as returns in the store's currency. */
  returns: number;
  isPaid: boolean;
  /** What it comes to is not what was paid by then. */
  isEdited: boolean;
  /** What a sale on account still has to bring in, store currency; null: it is none. */
  owed: number | null;
  /** How often the sale was announced. */
  confirmations: number;
  readonly openAttempts: Set<string>;
  readonly captures: CaptureEntry[];
  /** What providers have set aside, and neither taken nor let go. */
  readonly held: Set<string>;
  /** Charges that came to nothing, and of which nothing but that is on record. */
  readonly undone: Set<string>;
  /** Without those by hand. */
  refunds: RefundEntry[];
  readonly shipped: ShippedGoods;
}

export interface StockEntry {
  readonly trackStock: boolean;
  /** What was put in, without what has left with shipments. */
  putIn: number;
  stock: number;
  reserved: number;
  readonly holds: Map<string, number>;
}

export interface UsageEntry {
  uses: number;
  readonly baskets: Set<string>;
}

/** A second book of the shop, kept with nothing but the events: what every engine and read model must agree with. */
export class ShopLedger {
  readonly baskets = new Map<string, BasketState>();
  readonly openPlacements = new Set<string>();
  readonly invoices = new Map<string, InvoiceEntry>();
  /** Invoice ids by number: the first one has number 1. */
  readonly numbers: string[] = [];
  /** By product and warehouse, see `rowKey`. */
  readonly stock = new Map<string, StockEntry>();
  /** By counter: of a discount, or of one customer's uses of it. */
  readonly usage = new Map<string, UsageEntry>();
  /** Discounts that have had a limit from the first; those whose limits came or went count no use for each invoice. */
  readonly #limits = new Map<string, DiscountRule | 'changed'>();
  /** By invoice, what customers' own streams say that they owe. */
  readonly credit = new Map<string, number>();
  readonly sales: Recorded<Extract<InvoiceEvent, { type: 'SaleConfirmed' }>>[] = [];
  readonly #report: (problem: string) => void;

  constructor(report: (problem: string) => void) {
    this.#report = report;
  }

  take(event: Recorded): void {
    switch (categoryOf(event.stream)) {
      case 'basket':
        this.#takeBasket(event as BasketStreamEvent);
        break;
      case 'invoice':
        this.#takeInvoice(event as Recorded<InvoiceEvent>);
        break;
      case 'customer':
        this.#takeCustomer(event as Recorded<CustomerEvent>);
        break;
      case 'invoiceNumbers':
        this.numbers.push((event as Recorded<InvoiceNumberEvent>).data.invoiceId);
        break;
      case 'stock':
        this.#takeStock(event as Recorded<InventoryEvent>);
        break;
      case 'discount':
        this.#takeDiscount(event as Recorded<DiscountEvent>);
        break;
      case 'discountUsage':
        this.#takeUsage(event as Recorded<DiscountUsageEvent>);
        break;
    }
  }

  #takeBasket(event: BasketStreamEvent): void {
    const id = idOf(event.stream);
    const before = this.baskets.get(id) ?? basketStream.initial();
    this.baskets.set(id, evolve<BasketState, BasketStreamEvent>(basketStream.on, before, event));
    if (event.type === 'OrderPlacementStarted') this.openPlacements.add(event.data.placementId);
    if (event.type === 'OrderPlaced' || event.type === 'OrderPlacementFailed')
      this.openPlacements.delete(event.data.placementId);
  }

  #takeInvoice(event: Recorded<InvoiceEvent>): void {
    const id = idOf(event.stream);
    if (event.type === 'ManualOrderRequested') {
      this.openPlacements.add(event.data.placementId);
      return;
    }
    if (event.type === 'ManualOrderRefused') return;
    if (event.type === 'ManualOrderCleared') {
      this.openPlacements.delete(derivedId('manual-order', id));
      return;
    }
    if (event.type === 'InvoiceCreated' || event.type === 'InvoiceVoided') {
      const { invoiceNumber } = event.data;
      const content = event.type === 'InvoiceCreated' ? event.data.content : null;
      const isManual = content?.source.type === 'draft';
      if (isManual) this.openPlacements.delete(event.data.placementId);
      const fresh = {
        isSuperseded: false,
        isCancelled: false,
        isDeleted: false,
        returns: 0,
        isPaid: false,
        isEdited: false,
        owed: isManual ? content.amountsInStoreCurrency.total : null,
        confirmations: 0,
      };
      const kept = {
        openAttempts: new Set<string>(),
        captures: [],
        undone: new Set<string>(),
        held: new Set<string>(),
        refunds: [],
        shipped: new ShippedGoods(),
      };
      if (this.invoices.has(id)) this.#report(`invoice ${id} was created twice`);
      this.invoices.set(id, { invoiceNumber, content, ...fresh, ...kept });
      return;
    }
    const invoice = this.invoices.get(id);
    if (!invoice) return this.#report(`${event.type} of an invoice ${id} that was never created`);
    invoice.shipped.take(event);
    switch (event.type) {
      case 'InvoiceSuperseded':
        invoice.isSuperseded = true;
        break;
      case 'InvoiceCancelled':
        invoice.isCancelled = true;
        if (invoice.owed !== null) invoice.owed = 0;
        break;
      case 'InvoiceDeleted':
        invoice.isCancelled = true;
        invoice.isDeleted = true;
        if (invoice.owed !== null) invoice.owed = 0;
        break;
      case 'InvoiceEdited':
        invoice.content = event.data.content;
        invoice.isEdited = true;
        if (event.data.isOnAccount)
          invoice.owed = Math.max(0, (invoice.owed ?? 0) + event.data.difference.amounts.total);
        if (event.data.isOfSale) invoice.returns += event.data.difference.returns;
        invoice.isPaid = event.data.balance.paymentStatus === 'Paid';
        break;
      case 'PurchaseOrderAccepted':
        invoice.owed = invoice.content?.amountsInStoreCurrency.total ?? 0;
        break;
      case 'DownloadLinksCreated':
      case 'DownloadLinksMailed':
      case 'DownloadLinksWithdrawn':
      case 'InvoiceForgotten':
      case 'PaymentPagesChosen':
        break;
      case 'PaymentAttempted':
        invoice.openAttempts.add(event.data.attemptId);
        break;
      case 'PaymentPending':
      case 'PaymentSessionOpened':
      case 'PaymentAttemptMatched':
      case 'PaymentDeclined':
      case 'PaymentNotAttempted':
        invoice.openAttempts.delete(event.data.attemptId ?? '');
        break;
      case 'PaymentAuthorized':
        invoice.openAttempts.delete(event.data.attemptId ?? '');
        invoice.held.add(event.data.transactionId);
        if (event.data.isSale) invoice.owed ??= invoice.content?.amountsInStoreCurrency.total ?? 0;
        break;
      case 'AuthorizationReleased':
        invoice.held.delete(event.data.transactionId);
        break;
      case 'PaymentCaptured': {
        invoice.held.delete(event.data.transactionId);
        const { attemptId, amount, amountInStoreCurrency, provider, balance } = event.data;
        if (invoice.owed !== null) invoice.owed = Math.max(0, invoice.owed - amountInStoreCurrency);
        invoice.openAttempts.delete(attemptId ?? '');
        const { paymentId, transactionId, isLate = false, isSurplus = false } = event.data;
        const isOverpayment = isLate || isSurplus;
        invoice.captures.push({ paymentId, transactionId, amount, provider, isOverpayment });
        if (!isOverpayment) invoice.isPaid = balance.paymentStatus === 'Paid';
        break;
      }
      case 'PaymentRefunded': {
        invoice.returns += event.data.isOfSale ? event.data.givenBackInStoreCurrency : 0;
        const { paymentId, transactionId, amount, provider } = event.data;
        invoice.refunds.push({ paymentId, transactionId, amount, provider });
        break;
      }
      case 'RefundFailed': {
        invoice.returns -= event.data.isOfSale ? event.data.givenBackInStoreCurrency : 0;
        const { transactionId } = event.data;
        invoice.refunds = invoice.refunds.filter((refund) => refund.transactionId !== transactionId);
        break;
      }
      case 'SaleConfirmed':
        invoice.confirmations++;
        this.sales.push(event);
        break;
      case 'PaymentAskedAgain':
      case 'PaymentPromised':
      case 'PaymentSessionClosed':
      case 'PaymentSessionsVoided':
      case 'PurchaseOrderRequested':
      case 'PurchaseOrderRefused':
      case 'OutstandingNoted':
      case 'PaymentRiskAssessed':
      case 'RefundAttempted':
      case 'RefundAskedAgain':
      case 'RefundPending':
      case 'CaptureAttempted':
      case 'CaptureDeclined':
      case 'VoidAttempted':
      case 'VoidDeclined':
      case 'RefundDeclined':
      case 'InvoiceNoted':
      case 'InvoiceReminded':
      case 'FulfilmentSubmissionAttempted':
      case 'FulfilmentSubmitted':
      case 'FulfilmentAttemptFailed':
      case 'FulfilmentCancellationEnded':
      case 'FulfilmentStatusNoted':
      case 'FulfilmentWatchEnded':
      case 'BillingAddressChanged':
      case 'ShippingAddressChanged':
      case 'PurchaseOrderNumberChanged':
      case 'InvoiceCleared':
      case 'DisputeOpened':
      case 'DisputeResolved':
      case 'OrderStatusChanged':
      case 'ShipmentCreated':
      case 'ShipmentChanged':
      case 'ShipmentStatusChanged':
      case 'ShipmentDeleted':
      case 'StockFollowed':
      case 'UpsellConverted':
      case 'PostPurchaseOpened':
      case 'OrderHoldTakenOver':
      case 'PostPurchaseEnded':
      case 'PostPurchaseAskedAgain':
      case 'PostPurchaseAddRefused':
      case 'PostPurchaseAdded':
      case 'PostPurchaseAddFailed':
      case 'PostPurchaseAddSettled':
        break;
      case 'PostPurchaseAddBegun':
        break;
      case 'PostPurchaseChargeUndone':
        if (event.data.how !== 'kept') invoice.undone.add(event.data.transactionId);
        break;
    }
  }

  #takeCustomer({ type, data }: Recorded<CustomerEvent>): void {
    if (type === 'CustomerCreditClaimed' && this.credit.has(data.invoiceId))
      this.#report(`credit for invoice ${data.invoiceId} was claimed twice`);
    if (type === 'CustomerCreditClaimed' || type === 'CustomerOutstandingChanged')
      this.credit.set(data.invoiceId, data.amount);
  }

  #takeStock(event: Recorded<InventoryEvent>): void {
    const { productId, warehouseId } = event.data;
    const key = rowKey(productId, warehouseId);
    if (event.type === 'StockRowOpened') {
      const { stock, trackStock } = event.data;
      this.stock.set(key, { stock, putIn: stock, trackStock, reserved: 0, holds: new Map() });
      return;
    }
    const row = this.stock.get(key);
    if (!row) return this.#report(`${event.type} in a stock row ${key} that was never opened`);
    const { stock, reserved } = event.data;
    if (event.type === 'StockAdjusted') row.putIn += event.data.adjustedBy;
    let change = 0;
    if (event.type === 'ReservationEdited') {
      change -= row.holds.get(event.data.editId) ?? 0;
      row.holds.delete(event.data.editId);
    }
    const now = heldAfter(event, row.holds);
    if (now !== null) {
      const { basketId, quantity } = now;
      change += quantity - (row.holds.get(basketId) ?? 0);
      if (quantity > 0) row.holds.set(basketId, quantity);
      else row.holds.delete(basketId);
    }
    if (reserved !== row.reserved + change || reserved < 0 || reserved > stock) {
      const at = `${event.stream} revision ${event.revision}`;
      this.#report(`${at}: ${reserved} of ${stock} reserved after ${row.reserved} and a change of ${change}`);
    }
    Object.assign(row, { stock, reserved });
  }

  #takeDiscount(event: Recorded<DiscountEvent>): void {
    const id = idOf(event.stream);
    if (event.type === 'DiscountCreated') this.#limits.set(id, event.data.rule);
    if (event.type !== 'DiscountChanged') return;
    const before = this.#limits.get(id);
    if (before === undefined || before === 'changed') return;
    const { rule } = event.data;
    const isAsBefore = isLimited(rule) === isLimited(before) && isPerCustomer(rule) === isPerCustomer(before);
    this.#limits.set(id, isAsBefore ? rule : 'changed');
  }

  /** The counters in which a sale to a customer stands; null where that has changed. */
  countersOf(discountId: string, customerId: string | null): readonly string[] | null {
    const rule = this.#limits.get(discountId);
    if (rule === 'changed') return null;
    if (rule === undefined || !isLimited(rule)) return [];
    return isPerCustomer(rule) && customerId !== null
      ? [discountId, customerUsageId(discountId, customerId)]
      : [discountId];
  }

  #takeUsage(event: Recorded<DiscountUsageEvent>): void {
    const { uses } = event.data;
    const counter = idOf(event.stream);
    const entry = this.usage.get(counter) ?? { uses: 0, baskets: new Set() };
    this.usage.set(counter, entry);
    if (event.type === 'DiscountUsesTakenOver') {
      for (const { basketId } of event.data.open) entry.baskets.add(basketId);
      for (let sale = 0; sale < event.data.settled; sale++) entry.baskets.add(`${event.position} ${sale}`);
    } else if (event.type === 'DiscountUseReleased') entry.baskets.delete(event.data.basketId);
    else entry.baskets.add(event.data.basketId);
    entry.uses = uses;
    if (uses !== entry.baskets.size)
      this.#report(`${event.stream} revision ${event.revision}: ${uses} uses, ${entry.baskets.size} baskets`);
  }
}

/** What a basket holds in a row after an event; null: the event is about no basket. */
const heldAfter = (
  event: Recorded<InventoryEvent>,
  holds: StockEntry['holds'],
): { readonly basketId: string; readonly quantity: number } | null => {
  if (!('basketId' in event.data)) return null;
  const { basketId } = event.data;
  const held = holds.get(basketId) ?? 0;
  switch (event.type) {
    case 'StockReserved':
    case 'ReservationEdited':
      return { basketId, quantity: event.data.quantity };
    case 'StockReleased':
      return { basketId, quantity: 0 };
    case 'StockAllocated':
      return { basketId, quantity: held - event.data.held };
    case 'AllocationReversed':
      return { basketId, quantity: held + (event.data.isOwed ? event.data.quantity : 0) };
    case 'ReservationReduced':
      return { basketId, quantity: held - event.data.quantity };
    default:
      return null;
  }
};

const isPerCustomer = ({ perCustomerUsageLimit }: DiscountRule): boolean => perCustomerUsageLimit !== null;
const isLimited = (rule: DiscountRule): boolean => rule.totalUsageLimit !== null || isPerCustomer(rule);

export const rowKey = (productId: string, warehouseId: string | null): string =>
  `${productId} in ${warehouseId ?? 'no warehouse'}`;
