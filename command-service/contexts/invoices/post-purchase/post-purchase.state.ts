import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import type { PostPurchaseOffer } from '#events/post-purchase.shapes.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Minor } from '#values/money.ts';
import { isKeptOnHold, type Dispute } from '../payments/disputes.state.ts';

type Told<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>;

/** What is being added to a paid order, from before anything is taken to the last thing that follows. */
export interface PostPurchaseAdd {
  readonly begun: Told<'PostPurchaseAddBegun'>['data'];
  /** Nobody may have asked the provider but whoever began it. */
  readonly isFirstAsk: boolean;
  /** `begun`: nobody knows yet what comes of it. */
  readonly stage: 'begun' | 'added' | 'failed';
  /** A charge that is still to be undone. */
  readonly toUndo: { readonly transactionId: string; readonly isTaken: boolean } | null;
}

/** What came of the add that took the offer up: whoever asks again under its key is told the same. */
export type PostPurchaseResult = { readonly key: string; readonly fingerprint: string } & (
  | {
      readonly kind: 'added';
      readonly transactionId: string;
      readonly amount: Minor;
      readonly lineId: string;
      readonly total: Minor;
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
);

/** The time after a payment in which an order can be added to (docs/rules/post-purchase.md#window). */
export interface PostPurchase {
  readonly isOpen: boolean;
  readonly provider: string;
  readonly methodId: string;
  readonly offers: readonly PostPurchaseOffer[];
  /** Orders that are on hold for it and for nothing else, and where each goes afterwards. */
  readonly heldOrders: Readonly<Record<string, OrderStatus>>;
  /** ISO instant. */
  readonly endsAt: string;
  /** What the invoice came to before anything was added; in its currency. */
  readonly total: Minor;
  /** Adds that were begun. */
  readonly tries: number;
  readonly add: PostPurchaseAdd | null;
  readonly result: PostPurchaseResult | null;
  /** Charges that were given back, or are to be: no payments, whoever tells of them. */
  readonly undone: readonly string[];
}

/** What an invoice knows of it; null where nothing was ever offered. */
export interface Offering {
  readonly postPurchase: PostPurchase | null;
}

export const nothingOffered: Offering = { postPurchase: null };

/** Whether it is not known yet what comes of an add: nobody else changes the invoice meanwhile. */
export const isBeingAddedTo = ({ postPurchase }: Offering): boolean => postPurchase?.add?.stage === 'begun';

/** Whether what was reserved for an add has still to join what the order holds: stock follows nothing before. */
export const isToJoinStock = ({ postPurchase }: Offering): boolean => postPurchase?.add?.stage === 'added';

/** Whether an order waits for nothing but the end of the offer. */
export const isHeldForOffer = ({ postPurchase }: Offering, orderId: string): boolean =>
  postPurchase?.isOpen === true && postPurchase.heldOrders[orderId] !== undefined;

interface Held extends Offering {
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
  readonly disputes: readonly Dispute[];
}

/** Where an order goes once the offer is over: what staff or a dispute hold stays as it is. */
export const releasedTo = (
  { postPurchase, disputes }: Held,
  orderId: string,
  from: OrderStatus,
): OrderStatus =>
  from === 'OnHold' && !isKeptOnHold(disputes, orderId) ? (postPurchase?.heldOrders[orderId] ?? from) : from;

const changed = <Invoice extends Offering>(
  invoice: Invoice,
  change: (before: PostPurchase) => Partial<PostPurchase>,
): Invoice => {
  const { postPurchase } = invoice;
  return postPurchase === null
    ? invoice
    : { ...invoice, postPurchase: { ...postPurchase, ...change(postPurchase) } };
};

const changedAdd = <Invoice extends Offering>(
  invoice: Invoice,
  addId: string,
  change: Partial<PostPurchaseAdd>,
): Invoice =>
  changed(invoice, ({ add }) => (add?.begun.addId === addId ? { add: { ...add, ...change } } : {}));

/** Somebody has moved it: it is none of the offer's any more. */
export const movedElsewhere = <Invoice extends Offering>(invoice: Invoice, orderId: string): Invoice =>
  isHeldForOffer(invoice, orderId)
    ? changed(invoice, ({ heldOrders: { [orderId]: _, ...heldOrders } }) => ({ heldOrders }))
    : invoice;

/** Nobody adds to what is cancelled. */
export const offerClosed = <Invoice extends Offering>(invoice: Invoice): Invoice =>
  changed(invoice, () => ({ isOpen: false }));

interface Opened extends Offering {
  readonly content: { readonly amounts: { readonly total: Minor } };
}

/** What its events make of an invoice. */
export const onPostPurchaseEvents = {
  PostPurchaseOpened: <Invoice extends Opened>(
    invoice: Invoice,
    { data }: Told<'PostPurchaseOpened'>,
  ): Invoice => {
    const { provider, methodId, offers, heldOrders, endsAt } = data;
    const { total } = invoice.content.amounts;
    const begins = { isOpen: true, tries: 0, add: null, result: null, undone: [] };
    return {
      ...invoice,
      postPurchase: { ...begins, provider, methodId, offers, heldOrders, endsAt, total },
    };
  },
  OrderHoldTakenOver: <Invoice extends Offering>(
    invoice: Invoice,
    { data: { orderId } }: Told<'OrderHoldTakenOver'>,
  ): Invoice => movedElsewhere(invoice, orderId),
  PostPurchaseEnded: <Invoice extends Offering>(
    invoice: Invoice,
    _event: Told<'PostPurchaseEnded'>,
  ): Invoice => changed(invoice, () => ({ isOpen: false })),
  PostPurchaseAddBegun: <Invoice extends Offering>(
    invoice: Invoice,
    { data: begun }: Told<'PostPurchaseAddBegun'>,
  ): Invoice =>
    changed(invoice, ({ tries }) => ({
      tries: tries + 1,
      add: { begun, isFirstAsk: true, stage: 'begun', toUndo: null },
    })),
  PostPurchaseAskedAgain: <Invoice extends Offering>(
    invoice: Invoice,
    { data: { addId } }: Told<'PostPurchaseAskedAgain'>,
  ): Invoice => changedAdd(invoice, addId, { isFirstAsk: false }),
  PostPurchaseAddRefused: <Invoice extends Offering>(
    invoice: Invoice,
    { data: { addId } }: Told<'PostPurchaseAddRefused'>,
  ): Invoice => changed(invoice, ({ add }) => (add?.begun.addId === addId ? { add: null } : {})),
  PostPurchaseAdded: <Invoice extends Offering>(
    invoice: Invoice,
    { data }: Told<'PostPurchaseAdded'>,
  ): Invoice => {
    const { addId, key, fingerprint, transactionId, amount, lineId, total } = data;
    const result = { kind: 'added' as const, key, fingerprint, transactionId, amount, lineId, total };
    return changedAdd(
      changed(invoice, () => ({ isOpen: false, result })),
      addId,
      { stage: 'added' },
    );
  },
  PostPurchaseAddFailed: <Invoice extends Offering>(
    invoice: Invoice,
    { data }: Told<'PostPurchaseAddFailed'>,
  ): Invoice => {
    const { addId, key, fingerprint, code, message, charge: toUndo = null } = data;
    const result = { kind: 'failed' as const, key, fingerprint, code, message };
    const taken = toUndo?.isTaken ? [toUndo.transactionId] : [];
    return changedAdd(
      changed(invoice, ({ undone }) => ({ isOpen: false, result, undone: [...undone, ...taken] })),
      addId,
      { stage: 'failed', toUndo },
    );
  },
  PostPurchaseChargeUndone: <Invoice extends Offering>(
    invoice: Invoice,
    { data: { addId, transactionId, how } }: Told<'PostPurchaseChargeUndone'>,
  ): Invoice =>
    changedAdd(
      changed(invoice, ({ undone }) => ({
        undone: [
          ...undone.filter((one) => one !== transactionId),
          // Also of one that had not come to an end before: it has been taken meanwhile, and given back.
          ...(how === 'refunded' ? [transactionId] : []),
        ],
      })),
      addId,
      { toUndo: null },
    ),
  PostPurchaseAddSettled: <Invoice extends Offering>(
    invoice: Invoice,
    { data: { addId } }: Told<'PostPurchaseAddSettled'>,
  ): Invoice => changed(invoice, ({ add }) => (add?.begun.addId === addId ? { add: null } : {})),
};
