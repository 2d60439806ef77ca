import { summaryOf, type ShopCheck } from '#command/engine/shop-check.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { UnmatchedPaymentEvent } from '#events/unmatched-payment.events.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { formatMoney, type Minor } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';
import { unmatchedPaymentId } from './unmatched-payment.stream.ts';

/** Money that a provider has taken and that is neither on an invoice nor given back. */
export interface UnmatchedRow {
  readonly provider: string;
  readonly transactionId: string;
  readonly amount: Minor;
  readonly left: Minor;
  readonly currency: string;
  readonly namedInvoiceId: string | null;
  /** The invoice that staff have matched it with, until it stands there. */
  readonly invoiceId: string | null;
  readonly receivedAt: string;
  readonly status: 'Open' | 'Matched' | 'RefundPending';
  /** Why it could not be given back; null: it was not tried, or is being tried. */
  readonly problem: string | null;
}

export interface UnmatchedPayments extends ReferencePart {
  /** Oldest first. */
  list(): readonly (readonly [id: string, UnmatchedRow])[];
  count(): number;
}

const rowOf = ({
  provider,
  transactionId,
  amount,
  currency,
  namedInvoiceId,
  receivedAt,
}: Omit<UnmatchedRow, 'left' | 'status' | 'problem' | 'invoiceId'>): UnmatchedRow => ({
  ...{ provider, transactionId, amount, currency, namedInvoiceId, receivedAt },
  left: amount,
  invoiceId: null,
  status: 'Open',
  problem: null,
});

export const createUnmatchedPayments = (): UnmatchedPayments => {
  const rows = new Map<string, UnmatchedRow>();
  const entries = new ChunkedEntries<UnmatchedRow>();
  const put = (id: string, row: UnmatchedRow): void => {
    rows.set(id, row);
    entries.set(id, row);
  };
  const drop = (id: string): void => {
    if (!rows.delete(id)) return;
    entries.delete(id);
  };
  const change = (stream: string, changes: Partial<UnmatchedRow>): void => {
    const row = rows.get(idOf(stream));
    if (row) put(idOf(stream), { ...row, ...changes });
  };
  const on: Fold<UnmatchedPaymentEvent> & Pick<Fold<InvoiceEvent>, 'PaymentCaptured'> = {
    // Its order was placed after all.
    PaymentCaptured: ({ data: { provider, transactionId } }) => {
      if (rows.size > 0) drop(unmatchedPaymentId(provider, transactionId));
    },
    UnmatchedPaymentReceived: ({ stream, data }) => put(idOf(stream), rowOf(data)),
    UnmatchedPaymentMatched: ({ stream, data: { invoiceId } }) =>
      change(stream, { status: 'Matched', invoiceId }),
    UnmatchedPaymentPlaced: ({ stream }) => drop(idOf(stream)),
    UnmatchedRefundAttempted: ({ stream }) => change(stream, { status: 'RefundPending', problem: null }),
    UnmatchedRefundPending: ({ stream }) => change(stream, { status: 'RefundPending' }),
    UnmatchedPaymentRefunded: ({ stream, data: { left } }) =>
      left === 0 ? drop(idOf(stream)) : change(stream, { left, status: 'Open' }),
    UnmatchedRefundFailed: ({ stream, data: { left, message: problem, ...payment } }) =>
      put(idOf(stream), { ...rowOf(payment), left, problem }),
  };
  return {
    name: 'unmatched-payments',
    isBookkeeping: true,
    version: 1,
    on,
    list: () => [...rows].sort(([, one], [, other]) => one.receivedAt.localeCompare(other.receivedAt)),
    count: () => rows.size,
    entries,
    restore: (kept) => {
      for (const [id, row] of kept as readonly (readonly [string, UnmatchedRow])[]) put(id, row);
    },
    clear: () => rows.clear(),
  };
};

/** Money that only staff can place (docs/rules/unmatched-payments.md). */
export const unmatchedCheck = (unmatched: Pick<UnmatchedPayments, 'list'>): ShopCheck => ({
  alias: 'payments-unmatched',
  name: 'Money without an order',
  description: 'Whether providers have taken money that is neither on an invoice nor given back.',
  icon: 'icon-credit-card',
  sortOrder: 35,
  severity: 'error',
  summary: summaryOf(
    'payment has no order',
    'payments have no order',
    'Every payment that a provider has told of is on an invoice or was given back.',
  ),
  *look() {
    for (const [id, { provider, transactionId, left, currency, problem }] of unmatched.list())
      yield {
        id,
        name: transactionId,
        description: `${formatMoney(left, currency)} (${provider})${problem === null ? '' : `: ${problem}`}`,
        editPath: '/payments/unmatched',
        imageUrl: null,
      };
  },
});
