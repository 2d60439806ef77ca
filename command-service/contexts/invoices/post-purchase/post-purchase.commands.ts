import type { AddonChoice } from '#command/pricing/addons.ts';
import type { EditedInvoice } from '#command/pricing/edits/invoice-edit.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { PostPurchaseOffer } from '#events/post-purchase.shapes.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Refusal } from '#kernel/process.ts';
import type { KnownInvoice } from '../invoice.state.ts';

/** What a paid order may be added to with, and for how long. */
export interface OfferedAfterwards {
  readonly provider: string;
  readonly methodId: string;
  readonly offers: readonly PostPurchaseOffer[];
  readonly minutes: number;
}

/** Ends the time in which an order can be added to. Expired only once it is over; while something is added, never. */
export interface EndPostPurchase {
  readonly type: 'EndPostPurchase';
  readonly reason: 'skipped' | 'expired';
}

/** Notes what is about to be taken and charged. The key is the business key of a repeat. */
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

/** Nothing can be reserved for it: nothing was charged. */
export interface RefusePostPurchaseAdd {
  readonly type: 'RefusePostPurchaseAdd';
  readonly addId: string;
  readonly code: string;
}

/** Records the payment and the edit. */
export interface RecordPostPurchaseAdd {
  readonly type: 'RecordPostPurchaseAdd';
  readonly addId: string;
  readonly transactionId: string;
}

/** Nothing comes of it. */
export interface FailPostPurchaseAdd {
  readonly type: 'FailPostPurchaseAdd';
  readonly addId: string;
  readonly code: string;
  readonly message: string;
  /** What the provider has begun or taken. */
  readonly charge: { readonly transactionId: string; readonly isTaken: boolean } | null;
  /** Said by the first caller: it holds only while no other has asked. */
  readonly isOfFirstAsk?: boolean;
}

/** The provider has given back what it took, or never will. */
export interface NotePostPurchaseUndone {
  readonly type: 'NotePostPurchaseUndone';
  readonly addId: string;
  readonly how: 'refunded' | 'voided' | 'kept';
}

/** Nothing is left to do for it. */
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

/** What the customer wants on top of what they have bought. */
export interface WantedAddition {
  readonly productId: string;
  readonly quantity: number;
  readonly addons: readonly AddonChoice[];
}

/** What an addition makes of an invoice. */
export interface PlannedAddition {
  readonly edited: EditedInvoice;
  /** Those that are added: more than one where more than one warehouse sends them. */
  readonly lines: readonly OrderLine[];
  /** Why it cannot be had; the figures are those it would have. Null: it can. */
  readonly unavailable: Refusal | null;
}

export interface OrderAdditionsApi {
  /**
   * What an invoice would be with it, at the price of now and the invoice's own rate; nothing is changed. Errors:
   * Rejections `invalid-request`, `amount-too-large`.
   */
  planAddition(invoice: KnownInvoice, editId: string, wanted: WantedAddition): PlannedAddition;
}
