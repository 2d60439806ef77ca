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

/** What an offer has kept on hold goes where it would have gone without it. */
export const releasedOrders = (
  invoice: KnownInvoice,
  { today: day }: Pick<Moment, 'today'>,
): InvoiceEvent[] => moveOrders(invoice, (orderId, from) => releasedTo(invoice, orderId, from), { day });

/** The add that a command is about, while its outcome is unknown. */
export const openAdd = ({ postPurchase }: KnownInvoice, addId: string): PostPurchaseAdd | null =>
  postPurchase?.add?.begun.addId === addId && postPurchase.add.stage === 'begun' ? postPurchase.add : null;

/** The payment of an add, by the name that its provider gives it. */
export const paymentOf = (
  { begun }: PostPurchaseAdd,
  transactionId: string,
  details: PaymentDetails = {},
): Money => {
  const { addId, provider, method, amount } = begun;
  const paymentId = derivedId('payment', addId, transactionId);
  return { attemptId: null, paymentId, provider, method, transactionId, amount, formData: null, ...details };
};

/** An add that was paid for. */
interface Paid {
  readonly addId: string;
  readonly transactionId: string;
  /** Where the provider tells of it by itself. */
  readonly details?: PaymentDetails;
}

/** It was recorded by another name of the payment: this one is paid twice, and owed back. */
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

/** By its rule it was offered, whether or not anybody has looked at the page. */
const shownOf = (add: PostPurchaseAdd): ShownUpsell => ({
  upsellRuleId: add.begun.upsellRuleId,
  displayLocation: 'Confirmation',
  productRootIds: addedLines(add).flatMap(({ productRootId }) => productRootId ?? []),
});

/** What an add has opened is sent like the rest. */
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

/** Payment, edit, conversion and the end of the offer in one append: none is ever seen alone. */
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
 * What a reported payment means for an add (docs/rules/post-purchase.md#steps): the one it waits for is recorded as
 * such; null: it belongs to none.
 */
export const recordedPaymentOfAdd = (
  invoice: KnownInvoice,
  told: ToldPayment,
  moment: Moment,
): InvoiceEvent[] | null => {
  const { postPurchase } = invoice;
  // It was given back, and is no payment.
  if (postPurchase?.undone.includes(told.transactionId)) return [];
  const add = postPurchase?.add;
  // Some providers call everything a session: one that the invoice has opened is meant.
  const isOfSession = invoice.sessions.some(({ sessionId }) => sessionId === told.sessionId);
  if (!add || add.stage !== 'begun' || isOfSession) return null;
  const { provider, amount, currency, addId } = add.begun;
  const isIts = told.provider === provider && told.amount === amount && told.currency === currency;
  const { transactionId, details } = told;
  return isIts ? recordAdd(invoice, { addId, transactionId, details }, moment) : null;
};
