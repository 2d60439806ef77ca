import type { OrderStatus } from '#events/invoice.fields.ts';
import type { PostPurchaseOffer } from '#events/post-purchase.shapes.ts';
import type { Minor } from '#values/money.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';
import { isKeptOnHold, type Dispute } from '../payments/disputes.state.ts';

/** An addition to a paid order, from before anything is reserved until nothing is left to do. */
export interface PostPurchaseAdd {
  readonly begun: InvoiceEventOf<'PostPurchaseAddBegun'>['data'];
  /** Only the caller that began it can have asked the provider. */
  readonly isFirstAsk: boolean;
  /** `begun`: the outcome is unknown. */
  readonly stage: 'begun' | 'added' | 'failed';
  readonly toUndo: { readonly transactionId: string; readonly isTaken: boolean } | null;
}

/** The result of the add that took the offer: a repeat under its key gets the same answer. */
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

/** The offer after a payment, while it can be taken (docs/rules/post-purchase.md#window). */
export interface PostPurchase {
  readonly isOpen: boolean;
  readonly provider: string;
  readonly methodId: string;
  readonly offers: readonly PostPurchaseOffer[];
  /** Orders held only for the offer, with the status that each gets afterwards. */
  readonly heldOrders: Readonly<Record<string, OrderStatus>>;
  /** ISO instant. */
  readonly endsAt: string;
  /** The invoice's total before anything was added, in its currency. */
  readonly total: Minor;
  readonly tries: number;
  readonly add: PostPurchaseAdd | null;
  readonly result: PostPurchaseResult | null;
  /** Charges that were or will be refunded: not payments, even if reported as such. */
  readonly undone: readonly string[];
}

/** Null if nothing was ever offered. */
export interface Offering {
  readonly postPurchase: PostPurchase | null;
}

export const nothingOffered: Offering = { postPurchase: null };

/** Whether an add is unresolved: the invoice must not change until it is. */
export const isBeingAddedTo = ({ postPurchase }: Offering): boolean => postPurchase?.add?.stage === 'begun';

/** Whether what was reserved for an add has yet to join the order's stock: no stock move comes first. */
export const isToJoinStock = ({ postPurchase }: Offering): boolean => postPurchase?.add?.stage === 'added';

/** Whether an order waits only for the offer to end. */
export const isHeldForOffer = ({ postPurchase }: Offering, orderId: string): boolean =>
  postPurchase?.isOpen === true && postPurchase.heldOrders[orderId] !== undefined;

interface Held extends Offering {
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
  readonly disputes: readonly Dispute[];
}

/** The order's status after the offer: holds of staff or a dispute stay. */
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

/** The offer no longer holds the order. */
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
        // Also a charge that was unfinished: it was taken since, and refunded.
        ...(how === 'refunded' ? [transactionId] : []),
      ],
    })),
} satisfies Part<Offering, Offered>;
