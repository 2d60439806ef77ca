import type { StockHold } from '#events/checkout.events.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { EditedInvoice } from '#command/pricing/edits/invoice-edit.ts';
import type { ShownUpsell } from '#events/upsell.shapes.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { Address } from '#values/address.ts';
import type { DownloadsCommand } from './downloads/downloads.commands.ts';
import type { FulfilmentCommand } from './fulfilment/fulfilment.commands.ts';
import type { ShipmentCommand } from './fulfilment/shipment.commands.ts';
import type { OrderDeskCommand } from './order-desk/order-desk.commands.ts';
import type { DisputeCommand } from './payments/dispute.commands.ts';
import type { PaymentCommand } from './payments/payment.commands.ts';
import type { PurchaseOrderCommand } from './payments/purchase-order.commands.ts';
import type { OfferedAfterwards, PostPurchaseCommand } from './post-purchase/post-purchase.commands.ts';
import type { RefundCommand } from './refunds/refund.commands.ts';

/** Creates the invoice of a placement; the placement is the business key of a repeat. */
export interface CreateInvoice {
  readonly type: 'CreateInvoice';
  readonly placementId: string;
  readonly invoiceNumber: string;
  readonly content: InvoiceContent;
  readonly email: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  /** What its basket was shown by upsell rules; missing where that is nothing. */
  readonly shownUpsells?: ShownUpsell[];
}

/** Closes an unpaid invoice because its basket is being placed again. */
export interface SupersedeInvoice {
  readonly type: 'SupersedeInvoice';
  readonly placementId: string;
}

/** Announces the sale once everything is paid. */
export interface ConfirmSale {
  readonly type: 'ConfirmSale';
  readonly previousSaleDay: string | null;
  /** What it may be added to with; its orders wait for that. */
  readonly offer?: OfferedAfterwards;
}

/** Keeps the number of an invoice that could not be created. */
export interface VoidInvoice {
  readonly type: 'VoidInvoice';
  readonly placementId: string;
  readonly invoiceNumber: string;
  readonly businessDay: string;
  readonly reason: string;
}

/** Cancels an invoice that was not paid in time; changes nothing while it has not expired. */
export interface ExpireInvoice {
  readonly type: 'ExpireInvoice';
}

/** Cancels an invoice with what may still be cancelled of its orders. */
export interface CancelInvoice {
  readonly type: 'CancelInvoice';
  readonly reason: string;
  readonly by: string;
}

/** Takes an invoice out of lists and reports. */
export interface DeleteInvoice {
  readonly type: 'DeleteInvoice';
  readonly by: string;
}

/** What staff have made of it. The id of the edit is the business key of a repeat. */
export interface EditInvoice extends Pick<
  EditedInvoice,
  'content' | 'difference' | 'stock' | 'changedOrderIds' | 'emptiedOrderIds'
> {
  readonly type: 'EditInvoice';
  readonly editId: string;
  /** How many edits there were when this one was made of it. */
  readonly after: number;
  readonly reason: string | null;
  readonly by: string;
}

/** Everything that a cancelled or deleted invoice held has been given back. */
export interface ClearInvoice {
  readonly type: 'ClearInvoice';
}

export type SaleCommand =
  | CreateInvoice
  | SupersedeInvoice
  | ConfirmSale
  | VoidInvoice
  | ExpireInvoice
  | CancelInvoice
  | DeleteInvoice
  | ClearInvoice
  | EditInvoice;

/** Everything that can be asked of an invoice's stream. */
export type InvoiceCommand =
  | SaleCommand
  | DisputeCommand
  | DownloadsCommand
  | FulfilmentCommand
  | OrderDeskCommand
  | PaymentCommand
  | PostPurchaseCommand
  | PurchaseOrderCommand
  | RefundCommand
  | ShipmentCommand;

/** What processes that make invoices call. */
export interface NumberCalls {
  readonly takeInvoiceNumber: (input: {
    readonly invoiceId: string;
    readonly afterRevision: number;
  }) => Promise<number>;
}

/** Goods by product. */
export type Goods = readonly Pick<StockHold, 'productId' | 'quantity'>[];

/** What the unpaid invoices of an address hold beside the one that is being placed there. */
export interface HeldElsewhere {
  readonly units: number;
  /** Of one row of stock. */
  unitsOf(row: Pick<StockHold, 'productId' | 'warehouseId'>): number;
  /** Until when the address gets nothing large, in milliseconds: it left something large unpaid. Null: it may. */
  readonly restsUntil: number | null;
  /** When the one that is replaced ends, as it holds much; in milliseconds. */
  readonly replacedEndsAt: number | null;
}

export interface OrdersApi {
  /** The last revision of the invoice numbers, to be recorded before one is taken. */
  lastNumberRevision(): Promise<number>;
  /** The invoice's gapless number; one that has one keeps it. None was taken up to the revision that is given. */
  takeNumber(invoiceId: string, afterRevision: number, meta: CommandMeta): Promise<number>;
  /**
   * Closes an expired invoice, even before the job does. Tells whether the invoice still says what it was made with,
   * provided nothing was paid: staff may have edited it.
   */
  expireIfDue(invoiceId: string, meta: CommandMeta): Promise<{ readonly isAsMade: boolean }>;
  /** Gives back what a closed invoice still holds; nothing of any other. */
  clearClosed(invoiceId: string, meta: CommandMeta): Promise<unknown>;
  /**
   * Counts an invoice at an address before the log knows of it: two that are placed at the same moment count each
   * other, and what they may hold. The function that it returns takes it back, for one that came to nothing.
   */
  expectInvoice(invoiceId: string, address: string, goods: Goods): () => void;
  /** Unpaid invoices at an address that come before this one, without the one that it replaces. */
  countOpenInvoices(address: string, invoiceId: string, replacedInvoiceId: string | null): number;
  /** What those hold. */
  heldAtAddress(address: string, invoiceId: string, replacedInvoiceId: string | null): HeldElsewhere;
  /** Unpaid invoices of a customer. */
  countUnpaidOf(customerId: string): number;
  /**
   * Whether a placement that the log has begun by a position kept to the limit of unpaid invoices at its address; true
   * for one that has ended. Errors: `EngineUnavailable` while reference state does not keep up with the log.
   */
  isWithinLimit(invoiceId: string, begunBy: number): Promise<boolean>;
}
