import { summaryOf, type ShopCheck } from '#command/engine/shop-check.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { formatMoney, type Minor } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';

/** Of a payment, what is owed back of it: it came when nothing was due, or a refund of it has failed. */
interface OwedPayment {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly provider: string;
  /** The amount for which no refund has been started. */
  readonly amount: Minor;
  readonly currency: string;
  /** Why it could not be refunded; null before the first try. */
  readonly problem: string | null;
  /** What refunds that are under way give back of it, by their ids. */
  readonly underWay: Readonly<Record<string, Minor>>;
}

/** Money that is owed back (docs/rules/refunds.md#money-that-is-owed-back). */
export interface Overpayments extends ReferencePart {
  /** What could not be refunded: only staff can end that. */
  stuck(): Iterable<readonly [paymentId: string, OwedPayment]>;
  countStuck(): number;
}

/** A refund is under way, or was done by hand: of what is owed it gives back so much. */
const begun = (payment: OwedPayment, refundId: string, refund: Minor): OwedPayment => {
  if (payment.underWay[refundId] !== undefined) return payment;
  const part = Math.min(payment.amount, refund);
  const underWay = { ...payment.underWay, [refundId]: part };
  return { ...payment, amount: payment.amount - part, underWay };
};

type Named = Pick<OwedPayment, 'invoiceNumber' | 'provider' | 'currency'>;

const nothingOwed = (invoiceId: string, { invoiceNumber, provider, currency }: Named): OwedPayment => ({
  ...{ invoiceId, invoiceNumber, provider, currency },
  amount: 0,
  problem: null,
  underWay: {},
});

export const createOverpayments = (): Overpayments => {
  const owed = new Map<string, OwedPayment>();
  const entries = new ChunkedEntries<OwedPayment>();
  const put = (paymentId: string, payment: OwedPayment): void => {
    owed.set(paymentId, payment);
    entries.set(paymentId, payment);
  };
  /** Forgotten once all of it is given back. */
  const change = (paymentId: string, changes: (payment: OwedPayment) => OwedPayment): void => {
    const known = owed.get(paymentId);
    if (!known) return;
    const changed = changes(known);
    if (changed.amount > 0 || Object.keys(changed.underWay).length > 0) return put(paymentId, changed);
    owed.delete(paymentId);
    entries.delete(paymentId);
  };
  const on: Partial<Fold<InvoiceEvent>> = {
    PaymentCaptured: ({ stream, data }) => {
      const { paymentId, invoiceNumber, provider, amount, currency } = data;
      if (!data.isLate && !data.isSurplus) return;
      const payment = { invoiceId: idOf(stream), invoiceNumber, provider, amount, currency };
      put(paymentId, { ...payment, problem: null, underWay: {} });
    },
    RefundAttempted: ({ data: { refundId, paymentId, amount } }) =>
      change(paymentId, (payment) => begun(payment, refundId, amount)),
    RefundDeclined: ({ stream, data: { wasPending, ...refund } }) => {
      const { refundId, paymentId, amount, message } = refund;
      if (wasPending && !owed.has(paymentId))
        put(paymentId, nothingOwed(idOf(stream), { ...refund, ...wasPending }));
      change(paymentId, (payment) => {
        const { [refundId]: begun = 0, ...underWay } = payment.underWay;
        // What was promised is owed, whether or not it was to make good what had failed before.
        const back = wasPending ? amount : begun;
        return { ...payment, amount: payment.amount + back, problem: message, underWay };
      });
    },
    PaymentRefunded: ({ data: { refundId, paymentId, amount } }) =>
      change(paymentId, (payment) => {
        const { [refundId]: _, ...underWay } = begun(payment, refundId, amount).underWay;
        return { ...begun(payment, refundId, amount), underWay };
      }),
    RefundFailed: ({ stream, data }) => {
      const { paymentId, amount, message } = data;
      if (!owed.has(paymentId)) put(paymentId, nothingOwed(idOf(stream), data));
      change(paymentId, (payment) => ({ ...payment, amount: payment.amount + amount, problem: message }));
    },
  };
  const stuck = () => owed.entries().filter(([, { problem, amount }]) => problem !== null && amount > 0);
  return {
    name: 'owed-back',
    isBookkeeping: true,
    version: 2,
    on,
    stuck,
    countStuck: () => stuck().reduce((sum) => sum + 1, 0),
    entries,
    restore: (kept) => {
      for (const [id, payment] of kept as readonly (readonly [string, OwedPayment])[]) put(id, payment);
    },
    clear: () => owed.clear(),
  };
};

/** Money that only staff can give back. */
export const overpaymentCheck = (overpayments: Pick<Overpayments, 'stuck'>): ShopCheck => ({
  alias: 'money-owed-back',
  name: 'Money that is owed back',
  description: 'Whether money that is owed back, or was promised, could be given back.',
  icon: 'icon-credit-card',
  sortOrder: 30,
  severity: 'error',
  summary: summaryOf(
    'payment is owed back and could not be refunded',
    'payments are owed back and could not be refunded',
    'No payment waits to be given back by hand.',
  ),
  *look() {
    for (const [
      id,
      { invoiceId, invoiceNumber, provider, amount, currency, problem },
    ] of overpayments.stuck())
      yield {
        id,
        name: invoiceNumber,
        description: `${formatMoney(amount, currency)} (${provider}): ${problem ?? ''}`,
        editPath: `/orders/${invoiceId}`,
        imageUrl: null,
      };
  },
});
