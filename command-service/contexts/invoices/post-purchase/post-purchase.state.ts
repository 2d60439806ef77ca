import type { OrderStatus } from '#events/invoice.fields.ts';
import type { PostPurchaseOffer } from '#events/post-purchase.shapes.ts';
import type { Minor } from '#values/money.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';
import { isKeptOnHold, type Dispute } from '../payments/disputes.state.ts';

/** What is being added to a paid order, from before anything is taken to the last thing that follows. */
export interface PostPurchaseAdd {
  readonly begun: InvoiceEventOf<'PostPurchaseAddBegun'>['data'];
  /** Only the caller that began it may have asked the provider. */
  readonly isFirstAsk: boolean;
  /** `begun`: the outcome is not known yet. */
  readonly stage: 'begun' | 'added' | 'failed';
  /** A charge that is still to be undone. */
  readonly toUndo: { readonly transactionId: string; readonly isTaken: boolean } | null;
}

/** The result of the add that used the offer: a repeat under its key gets the same answer. */
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
  /** Charges that were refunded, or will be: not payments, even when reported. */
  readonly undone: readonly string[];
}

/** What an invoice knows of it; null where nothing was ever offered. */
export interface Offering {
  readonly postPurchase: PostPurchase | null;
}

export const nothingOffered: Offering = { postPurchase: null };

/** Whether an add is unresolved: the invoice must not change meanwhile. */
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

const changed = (
  { postPurchase }: Offering,
  change: (before: PostPurchase) => Partial<PostPurchase>,
): Partial<Offering> =>
  postPurchase === null ? {} : { postPurchase: { ...postPurchase, ...change(postPurchase) } };

/** What becomes of an add, and of the offer that it took up. */
const changedAdd = (
  invoice: Offering,
  addId: string,
  change: Partial<PostPurchaseAdd> | null,
  ofOffer: (before: PostPurchase) => Partial<PostPurchase> = () => ({}),
): Partial<Offering> =>
  changed(invoice, (before) => {
    const { add } = before;
    const after = add?.begun.addId === addId ? { add: change && { ...add, ...change } } : {};
    return { ...ofOffer(before), ...after };
  });

const closed = (invoice: Offering): Partial<Offering> => changed(invoice, () => ({ isOpen: false }));

/** It is none of the offer's any more. */
const movedElsewhere = (
  invoice: Offering,
  { data: { orderId } }: { readonly data: { readonly orderId: string } },
): Partial<Offering> =>
  isHeldForOffer(invoice, orderId)
    ? changed(invoice, ({ heldOrders: { [orderId]: _, ...heldOrders } }) => ({ heldOrders }))
    : {};

interface Offered extends Offering {
  readonly content: { readonly amounts: { readonly total: Minor } };
}

export const onPostPurchaseEvents = {
  PostPurchaseOpened: ({ content }, { data }) => {
    const { provider, methodId, offers, heldOrders, endsAt } = data;
    const { total } = content.amounts;
    const begins = { isOpen: true, tries: 0, add: null, result: null, undone: [] };
    return { postPurchase: { ...begins, provider, methodId, offers, heldOrders, endsAt, total } };
  },
  OrderStatusChanged: movedElsewhere,
  OrderHoldTakenOver: movedElsewhere,
  PostPurchaseEnded: closed,
  InvoiceCancelled: closed,
  InvoiceDeleted: closed,
  PostPurchaseAddBegun: (invoice, { data: begun }) =>
    changed(invoice, ({ tries }) => ({
      tries: tries + 1,
      add: { begun, isFirstAsk: true, stage: 'begun', toUndo: null },
    })),
  PostPurchaseAskedAgain: (invoice, { data: { addId } }) => changedAdd(invoice, addId, { isFirstAsk: false }),
  PostPurchaseAddRefused: (invoice, { data: { addId } }) => changedAdd(invoice, addId, null),
  PostPurchaseAddSettled: (invoice, { data: { addId } }) => changedAdd(invoice, addId, null),
  PostPurchaseAdded: (invoice, { data }) => {
    const { addId, key, fingerprint, transactionId, amount, lineId, total } = data;
    const result = { kind: 'added' as const, key, fingerprint, transactionId, amount, lineId, total };
    return changedAdd(invoice, addId, { stage: 'added' }, () => ({ isOpen: false, result }));
  },
  PostPurchaseAddFailed: (invoice, { data }) => {
    const { addId, key, fingerprint, code, message, charge: toUndo = null } = data;
    const result = { kind: 'failed' as const, key, fingerprint, code, message };
    const taken = toUndo?.isTaken ? [toUndo.transactionId] : [];
    return changedAdd(invoice, addId, { stage: 'failed', toUndo }, ({ undone }) => ({
      isOpen: false,
      result,
      undone: [...undone, ...taken],
    }));
  },
  PostPurchaseChargeUndone: (invoice, { data: { addId, transactionId, how } }) =>
    changedAdd(invoice, addId, { toUndo: null }, ({ undone }) => ({
      undone: [
        ...undone.filter((one) => one !== transactionId),
        // Also of one that had not come to an end before: it has been taken meanwhile, and given back.
        ...(how === 'refunded' ? [transactionId] : []),
      ],
    })),
} satisfies Part<Offering, Offered>;
