import type { AddonChoice } from '#command/pricing/addons.ts';
import type { EditedInvoice } from '#command/pricing/edits/invoice-edit.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { PostPurchaseOffer } from '#events/post-purchase.shapes.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Refusal } from '#kernel/process.ts';
import type { KnownInvoice } from '../invoice.state.ts';

/** What is offered after a purchase, and for how long. */
export interface OfferedAfterwards {
  readonly provider: string;
  readonly methodId: string;
  readonly offers: readonly PostPurchaseOffer[];
  readonly minutes: number;
}

/** Ends the offer. By expiry only once it is due, and never during an add. */
export interface EndPostPurchase {
  readonly type: 'EndPostPurchase';
  readonly reason: 'skipped' | 'expired';
}

/** Records what is about to be reserved and charged. The key identifies a repeat. */
export interface BeginPostPurchaseAdd extends Omit<
  EventOfType<InvoiceEvent, 'PostPurchaseAddBegun'>['data'],
  'begunAt'
> {
  readonly type: 'BeginPostPurchaseAdd';
}

/** Records that the provider is about to be asked by another caller than the first, or once more. */
export interface AskPostPurchaseAgain {
  readonly type: 'AskPostPurchaseAgain';
  readonly addId: string;
}

/** Nothing could be reserved, and nothing was charged. */
export interface RefusePostPurchaseAdd {
  readonly type: 'RefusePostPurchaseAdd';
  readonly addId: string;
  readonly code: string;
}

export interface RecordPostPurchaseAdd {
  readonly type: 'RecordPostPurchaseAdd';
  readonly addId: string;
  readonly transactionId: string;
}

/** Ends an add that failed. */
export interface FailPostPurchaseAdd {
  readonly type: 'FailPostPurchaseAdd';
  readonly addId: string;
  readonly code: string;
  readonly message: string;
  /** What the provider has begun or charged. */
  readonly charge: { readonly transactionId: string; readonly isTaken: boolean } | null;
  /** Reported by the first caller: valid only while no other has asked. */
  readonly isOfFirstAsk?: boolean;
}

/** The provider has undone the charge, or never will. */
export interface NotePostPurchaseUndone {
  readonly type: 'NotePostPurchaseUndone';
  readonly addId: string;
  readonly how: 'refunded' | 'voided' | 'kept';
}

/** Ends an add for which nothing is left to do. */
export interface SettlePostPurchaseAdd {
  readonly type: 'SettlePostPurchaseAdd';
  readonly addId: string;
}

export type PostPurchaseCommand =
  | EndPostPurchase
  | BeginPostPurchaseAdd
  | AskPostPurchaseAgain
  | RefusePostPurchaseAdd
  | RecordPostPurchaseAdd
  | FailPostPurchaseAdd
  | NotePostPurchaseUndone
  | SettlePostPurchaseAdd;

export interface WantedAddition {
  readonly productId: string;
  readonly quantity: number;
  readonly addons: readonly AddonChoice[];
}

export interface PlannedAddition {
  readonly edited: EditedInvoice;
  /** The added lines: several if several warehouses send them. */
  readonly lines: readonly OrderLine[];
  /** Why it is unavailable; the figures are what they would be. Null: it is available. */
  readonly unavailable: Refusal | null;
}

export interface OrderAdditionsApi {
  /**
   * What the invoice would be, at current prices and its own exchange rate; changes nothing. Errors: Rejections
   * `invalid-request`, `amount-too-large`.
   */
  planAddition(invoice: KnownInvoice, editId: string, wanted: WantedAddition): PlannedAddition;
}
