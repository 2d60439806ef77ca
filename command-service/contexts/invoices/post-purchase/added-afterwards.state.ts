import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import type { ShownUpsell } from '#events/upsell.shapes.ts';
import { derivedId } from '#kernel/ids.ts';
import { captured, type Money, type PaymentDetails } from '../payments/captured-payment.state.ts';
import { onceReleased } from '../confirm-sale.ts';
import { convertedBy } from '../conversions.state.ts';
import { editInvoice } from '../order-desk/edit-invoice.state.ts';
import type { Moment } from '../invoice.context.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import { moveOrders } from '../order-desk/order-moves.state.ts';
import { releasedTo, type PostPurchaseAdd } from './post-purchase.state.ts';
import { inOrder } from '../fulfilment/shipment-rules.ts';

const { PostPurchaseAdded } = invoiceEvents.create;

const BY = 'post-purchase';

/** Moves orders held for the offer to where they would be without it. */
export const releasedOrders = (
  invoice: KnownInvoice,
  { today: day }: Pick<Moment, 'today'>,
): InvoiceEvent[] => moveOrders(invoice, (orderId, from) => releasedTo(invoice, orderId, from), { day });

/** The add that a command names, while its outcome is unknown. */
export const openAdd = ({ postPurchase }: KnownInvoice, addId: string): PostPurchaseAdd | null =>
  postPurchase?.add?.begun.addId === addId && postPurchase.add.stage === 'begun' ? postPurchase.add : null;

export const paymentOf = (
  { begun }: PostPurchaseAdd,
  transactionId: string,
  details: PaymentDetails = {},
): Money => {
  const { addId, provider, method, amount } = begun;
  const paymentId = derivedId('payment', addId, transactionId);
  return { attemptId: null, paymentId, provider, method, transactionId, amount, formData: null, ...details };
};

interface Paid {
  readonly addId: string;
  readonly transactionId: string;
  /** Present if the provider reported the payment itself. */
  readonly details?: PaymentDetails;
}

/** The add is recorded under another transaction: this payment is a second one, and owed back. */
const paidTwice = (
  invoice: KnownInvoice,
  { addId, transactionId, details }: Paid,
  now: string,
): InvoiceEvent[] => {
  const { postPurchase, payments } = invoice;
  const add = postPurchase?.add;
  if (add?.begun.addId !== addId || add.stage !== 'added') return [];
  const isRecorded = payments.some(
    (made) => made.provider === add.begun.provider && made.transactionId === transactionId,
  );
  return isRecorded ? [] : captured(invoice, paymentOf(add, transactionId, details), now);
};

const addedLines = ({ begun: { content, lineIds } }: PostPurchaseAdd): readonly OrderLine[] =>
  content.orders.flatMap(({ lines }) => lines.filter(({ id }) => lineIds.includes(id)));

/** The add counts as shown by its rule, whether or not the page was viewed. */
const shownOf = (add: PostPurchaseAdd): ShownUpsell => ({
  upsellRuleId: add.begun.upsellRuleId,
  displayLocation: 'Confirmation',
  productRootIds: addedLines(add).flatMap(({ productRootId }) => productRootId ?? []),
});

/** Orders that an add opened are released like the others. */
const openedOrders = (
  invoice: KnownInvoice,
  { orderStatuses: before }: KnownInvoice,
  { today: day }: Moment,
): InvoiceEvent[] =>
  moveOrders(
    invoice,
    (orderId, from) => (before[orderId] === undefined ? onceReleased(invoice, orderId) : from),
    { day },
  );

/** Payment, edit, conversion and the end of the offer, in one append. */
export const recordAdd = (invoice: KnownInvoice, paid: Paid, moment: Moment): InvoiceEvent[] => {
  const { now } = moment;
  const { addId, transactionId, details } = paid;
  const add = openAdd(invoice, addId);
  if (!add) return paidTwice(invoice, paid, now);
  const { key, fingerprint, upsellRuleId, amount, lineIds } = add.begun;
  const { after, content, difference, stock, changedOrderIds } = add.begun;
  const edit = { editId: addId, after, content, difference, stock, changedOrderIds, emptiedOrderIds: [] };
  const { invoiceNumber } = invoice;
  return inOrder(
    invoice,
    () => [
      PostPurchaseAdded({
        ...{ addId, key, fingerprint, invoiceNumber, businessDay: invoice.content.businessDay },
        ...{ upsellRuleId, transactionId, amount },
        lineId: lineIds[0] ?? addId,
        total: content.amounts.total,
        addedAt: now,
      }),
    ],
    (before) =>
      editInvoice(
        before,
        { type: 'EditInvoice', ...edit, reason: 'Added after the purchase', by: BY },
        moment,
        { isPaidAtOnce: true },
      ),
    (before) => captured(before, paymentOf(add, transactionId, details), now),
    (before) => releasedOrders(before, moment),
    (before) => openedOrders(before, invoice, moment),
    (before) => convertedBy(before, [shownOf(add)], addedLines(add), moment),
  );
};

interface ToldPayment {
  readonly provider: string;
  readonly transactionId: string;
  readonly sessionId: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly details: PaymentDetails;
}

/**
 * Records a reported payment if an add waits for it (docs/rules/post-purchase.md#steps). Null: it belongs to no add.
 */
export const recordedPaymentOfAdd = (
  invoice: KnownInvoice,
  told: ToldPayment,
  moment: Moment,
): InvoiceEvent[] | null => {
  const { postPurchase } = invoice;
  // It was refunded, and does not count as a payment.
  if (postPurchase?.undone.includes(told.transactionId)) return [];
  const add = postPurchase?.add;
  // Some providers call everything a session: only one that the invoice opened counts.
  const isOfSession = invoice.sessions.some(({ sessionId }) => sessionId === told.sessionId);
  if (!add || add.stage !== 'begun' || isOfSession) return null;
  const { provider, amount, currency, addId } = add.begun;
  const isIts = told.provider === provider && told.amount === amount && told.currency === currency;
  const { transactionId, details } = told;
  return isIts ? recordAdd(invoice, { addId, transactionId, details }, moment) : null;
};
