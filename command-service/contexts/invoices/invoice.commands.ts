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

/** Creates the invoice of a placement, whose id identifies a repeat. */
export interface CreateInvoice {
  readonly type: 'CreateInvoice';
  readonly placementId: string;
  readonly invoiceNumber: string;
  readonly content: InvoiceContent;
  readonly email: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  /** What upsell rules showed in its basket; omitted if nothing. */
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
  /** The offer that follows; its orders wait for the offer to end. */
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

/** Cancels an invoice that was not paid in time; no effect before it expires. */
export interface ExpireInvoice {
  readonly type: 'ExpireInvoice';
}

/**
 * Closes an invoice before its time, as if it had expired: its buyer is not to pay it any more. No effect once closed.
 */
export interface GiveUpInvoice {
  readonly type: 'GiveUpInvoice';
}

/** Cancels an invoice and every order that can still be cancelled. */
export interface CancelInvoice {
  readonly type: 'CancelInvoice';
  readonly reason: string;
  readonly by: string;
}

export interface DeleteInvoice {
  readonly type: 'DeleteInvoice';
  readonly by: string;
}

/** Replaces the content with what staff made of it. The id of the edit identifies a repeat. */
export interface EditInvoice extends Pick<
  EditedInvoice,
  'content' | 'difference' | 'stock' | 'changedOrderIds' | 'emptiedOrderIds'
> {
  readonly type: 'EditInvoice';
  readonly editId: string;
  /** The number of edits that this one was based on. */
  readonly after: number;
  readonly reason: string | null;
  readonly by: string;
}

/** Notes that everything a cancelled or deleted invoice held has been given back. */
export interface ClearInvoice {
  readonly type: 'ClearInvoice';
}

export type SaleCommand =
  | CreateInvoice
  | SupersedeInvoice
  | ConfirmSale
  | VoidInvoice
  | ExpireInvoice
  | GiveUpInvoice
  | CancelInvoice
  | DeleteInvoice
  | ClearInvoice
  | EditInvoice;

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
  unitsOf(row: Pick<StockHold, 'productId' | 'warehouseId'>): number;
  /** Until when the address may place nothing large (milliseconds), as it left something large unpaid. Null: it may. */
  readonly restsUntil: number | null;
  /** When the replaced invoice expires because it holds a lot; in milliseconds. */
  readonly replacedEndsAt: number | null;
}

/** Where an order is asked for, as a keyed hash. */
export interface PlaceOfOrder {
  readonly address: string;
  /** Of an agent, which `address` then is: the network where what it holds is counted. */
  readonly heldAt?: string;
}

export interface OrdersApi {
  /** The last revision of the invoice numbers, to be recorded before one is taken. */
  lastNumberRevision(): Promise<number>;
  /** Takes the invoice's gapless number, or returns the one it has. It had none up to `afterRevision`. */
  takeNumber(invoiceId: string, afterRevision: number, meta: CommandMeta): Promise<number>;
  /**
   * Closes an expired invoice, even before the job does. `isAsMade`: false if staff have edited an invoice that nothing
   * was paid on.
   */
  expireIfDue(invoiceId: string, meta: CommandMeta): Promise<{ readonly isAsMade: boolean }>;
  /**
   * Closes an unpaid invoice as if it had expired, so that its open pages take no payment. Errors: Rejection
   * `payment-unknown`, `invoice-already-paid` once there is a payment.
   */
  giveUp(invoiceId: string, meta: CommandMeta): Promise<void>;
  /** Gives back what a closed invoice still holds; no effect on any other. */
  clearClosed(invoiceId: string, meta: CommandMeta): Promise<unknown>;
  /**
   * Counts an invoice at an address before the log knows of it, so that two placed at the same moment count each other
   * and their goods. The function returned undoes that, for a placement that failed.
   */
  expectInvoice(invoiceId: string, place: PlaceOfOrder, goods: Goods): () => void;
  /** Earlier unpaid invoices at the address, except the one that this one replaces. */
  countOpenInvoices(address: string, invoiceId: string, replacedInvoiceId: string | null): number;
  /** What those invoices hold. */
  heldAtAddress(address: string, invoiceId: string, replacedInvoiceId: string | null): HeldElsewhere;
  /** Unpaid invoices of a customer. */
  countUnpaidOf(customerId: string): number;
  /**
   * Whether a placement begun by that position of the log is within the limit of unpaid invoices at its address; true
   * if it has ended. Errors: `EngineUnavailable` while reference state lags behind the log.
   */
  isWithinLimit(invoiceId: string, begunBy: number): Promise<boolean>;
}
