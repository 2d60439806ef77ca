import { summaryOf, type ShopCheck } from '#command/engine/shop-check.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { SlicedEntries } from '#reference/sliced-entries.ts';
import { formatMoney, type Minor } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';

/** A payment that came when nothing was due, and is not given back yet. */
interface OwedPayment {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly provider: string;
  /** What of it is still to be given back. */
  readonly amount: Minor;
  readonly currency: string;
  /** Why it could not be; null while a provider is asked. */
  readonly problem: string | null;
}

/** Money that is owed back (docs/rules/refunds.md#money-that-is-owed-back). */
export interface OwedBack extends ReferencePart {
  /** What could not be refunded: only staff can end that. */
  stuck(): Iterable<readonly [paymentId: string, OwedPayment]>;
  countStuck(): number;
}

export const createOwedBack = (): OwedBack => {
  const owed = new Map<string, OwedPayment>();
  const entries = new SlicedEntries<OwedPayment>();
  const put = (paymentId: string, payment: OwedPayment): void => {
    owed.set(paymentId, payment);
    entries.set(paymentId, payment);
  };
  const change = (paymentId: string, changes: (payment: OwedPayment) => Partial<OwedPayment>): void => {
    const known = owed.get(paymentId);
    if (known) put(paymentId, { ...known, ...changes(known) });
  };
  const on: Partial<Fold<InvoiceEvent>> = {
    PaymentCaptured: ({ stream, data }) => {
      const { paymentId, invoiceNumber, provider, amount, currency } = data;
      if (!data.isLate && !data.isSurplus) return;
      put(paymentId, { invoiceId: idOf(stream), invoiceNumber, provider, amount, currency, problem: null });
    },
    RefundDeclined: ({ data: { paymentId, message } }) => change(paymentId, () => ({ problem: message })),
    PaymentRefunded: ({ data: { paymentId, amount } }) => {
      change(paymentId, (payment) => ({ amount: payment.amount - amount }));
      if ((owed.get(paymentId)?.amount ?? 0) > 0) return;
      owed.delete(paymentId);
      entries.delete(paymentId);
    },
  };
  const stuck = () => owed.entries().filter(([, { problem }]) => problem !== null);
  return {
    name: 'owed-back',
    isBookkeeping: true,
    version: 1,
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
export const owedBackCheck = (owedBack: Pick<OwedBack, 'stuck'>): ShopCheck => ({
  alias: 'money-owed-back',
  name: 'Money that is owed back',
  description: 'Whether payments that came when nothing was due could be refunded.',
  icon: 'icon-credit-card',
  sortOrder: 30,
  severity: 'error',
  summary: summaryOf(
    'payment is owed back and could not be refunded',
    'payments are owed back and could not be refunded',
    'No payment waits to be given back by hand.',
  ),
  *look() {
    for (const [id, { invoiceId, invoiceNumber, provider, amount, currency, problem }] of owedBack.stuck())
      yield {
        id,
        name: invoiceNumber,
        description: `${formatMoney(amount, currency)} (${provider}): ${problem ?? ''}`,
        editPath: `/orders/${invoiceId}`,
        imageUrl: null,
      };
  },
});
