import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType as EventIn, Recorded } from '#kernel/event.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import type { Minor } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';

type EventOfType<Type extends InvoiceEvent['type']> = Recorded<EventIn<InvoiceEvent, Type>>;

/** Something that changes what a customer owes for a sale. Minor units of the store's currency. */
export interface AccountEntry {
  readonly at: string;
  readonly kind: 'sale' | 'edit' | 'cancellation' | 'payment' | 'refund' | 'failedRefund';
  /** As its provider calls a payment or a refund; null for the sale itself. */
  readonly transactionId: string | null;
  /** How it was paid. */
  readonly method: string | null;
  readonly debit: Minor;
  readonly credit: Minor;
}

/** A sale as the account of its customer has it. Minor units of the store's currency. */
export interface AccountSaleDocument extends Document {
  /** Null until the sale is confirmed: before that it is on no account. */
  readonly customerId: string | null;
  readonly invoiceNumber: string;
  /** The purchase order that it was sold on, whose terms win; its number is null once it is forgotten. */
  readonly purchaseOrder: { readonly number: string | null; readonly dueDate: string | null } | null;
  /** ISO instant; null without terms that name days. */
  readonly dueDate: string | null;
  readonly createdAt: string;
  readonly total: Minor;
  /** What refunds gave back beyond a credit: it is kept, as far as the balance goes. */
  readonly givenBack: Minor;
  /** All debits less all credits. */
  readonly balance: Minor;
  /** `open`: there is something left of it. */
  readonly state: 'open' | 'settled';
  readonly lastEntryAt: string;
  readonly entries: readonly AccountEntry[];
}

const blank = (key: string, invoiceNumber: string): AccountSaleDocument => ({
  _id: key,
  customerId: null,
  invoiceNumber,
  purchaseOrder: null,
  dueDate: null,
  createdAt: '',
  total: 0,
  givenBack: 0,
  balance: 0,
  state: 'settled',
  lastEntryAt: '',
  entries: [],
});

const withEntry = (document: AccountSaleDocument, entry: AccountEntry): AccountSaleDocument => {
  const balance = document.balance + entry.debit - entry.credit;
  const { lastEntryAt } = document;
  return {
    ...document,
    balance,
    state: balance === 0 ? 'settled' : 'open',
    lastEntryAt: entry.at > lastEntryAt ? entry.at : lastEntryAt,
    entries: [...document.entries, entry],
  };
};

const bySale = { transactionId: null, method: null } as const;

const sold = (
  document: AccountSaleDocument | null,
  { data: { invoiceNumber, content } }: EventOfType<'SaleConfirmed'>,
  key: string,
): AccountSaleDocument => {
  const before = document ?? blank(key, invoiceNumber);
  const { customerId, createdAt, amountsInStoreCurrency, accountTerms } = content;
  const { dueDate } = before.purchaseOrder ?? accountTerms ?? { dueDate: null };
  const { total } = amountsInStoreCurrency;
  const sale = { at: createdAt, kind: 'sale', ...bySale, debit: total, credit: 0 } as const;
  return withEntry({ ...before, customerId, createdAt, dueDate, total }, sale);
};

const paid = (
  document: AccountSaleDocument | null,
  { data }: EventOfType<'PaymentCaptured'>,
  key: string,
): AccountSaleDocument | null => {
  const { invoiceNumber, paidAt, method, transactionId, amountInStoreCurrency: credit } = data;
  if (credit === 0) return document;
  const payment = { at: paidAt, kind: 'payment', transactionId, method, debit: 0, credit } as const;
  return withEntry(document ?? blank(key, invoiceNumber), payment);
};

/** What goes beyond a credit leaves the balance as it is: as much is on the other side. */
const refunded = (
  document: AccountSaleDocument | null,
  { data }: EventOfType<'PaymentRefunded'>,
): AccountSaleDocument | null => {
  if (!document) return null;
  const {
    refundedAt: at,
    transactionId,
    amountInStoreCurrency: debit,
    givenBackInStoreCurrency: credit,
  } = data;
  const refund = { at, kind: 'refund', transactionId, method: null, debit, credit } as const;
  return withEntry({ ...document, givenBack: document.givenBack + credit }, refund);
};

const refundFailed = (
  document: AccountSaleDocument | null,
  { data }: EventOfType<'RefundFailed'>,
): AccountSaleDocument | null => {
  if (!document) return null;
  const {
    failedAt: at,
    transactionId,
    amountInStoreCurrency: credit,
    givenBackInStoreCurrency: debit,
  } = data;
  const failed = { at, kind: 'failedRefund', transactionId, method: null, debit, credit } as const;
  return withEntry({ ...document, givenBack: document.givenBack - debit }, failed);
};

/** What was given back is lowered first with the total (docs/rules/orders.md#balance). */
const withTotal = (
  document: AccountSaleDocument,
  { total, givenBack }: Pick<AccountSaleDocument, 'total' | 'givenBack'>,
  { at, kind }: Pick<AccountEntry, 'at' | 'kind'>,
): AccountSaleDocument => {
  const lowered = document.total - total;
  const debit = Math.max(0, -lowered) + document.givenBack - givenBack;
  const change = { at, kind, ...bySale, debit, credit: Math.max(0, lowered) };
  return withEntry({ ...document, total, givenBack }, change);
};

/** Confirmed sales as their customers' accounts have them (docs/rules/account-terms.md#statement). */
export const accountSalesProjection = projection<InvoiceEvent>()<AccountSaleDocument>({
  name: 'account-sales',
  version: 1,
  indexes: [
    { fields: ['customerId', 'lastEntryAt'], including: ['balance'] },
    { fields: ['customerId', 'state'] },
  ],
  keys: (event) => [idOf(event.stream)],
  on: {
    PurchaseOrderAccepted: (document, { data }, key) => {
      const { invoiceNumber, purchaseOrderNumber: number, dueDate } = data;
      return { ...(document ?? blank(key, invoiceNumber)), purchaseOrder: { number, dueDate } };
    },
    PurchaseOrderNumberChanged: (document, { data: { purchaseOrderNumber: number } }) =>
      document && { ...document, purchaseOrder: { number, dueDate: document.dueDate } },
    InvoiceForgotten: (document) =>
      document?.purchaseOrder
        ? { ...document, purchaseOrder: { ...document.purchaseOrder, number: null } }
        : document,
    SaleConfirmed: sold,
    PaymentCaptured: paid,
    PaymentRefunded: refunded,
    RefundFailed: refundFailed,
    // Of what is not sold yet the sale says what it came to.
    InvoiceEdited: (document, { data: { content, difference, editedAt: at } }) => {
      const { total } = content.amountsInStoreCurrency;
      const isAsItWas = total === document?.total && difference.returns === 0;
      if (!document?.customerId || isAsItWas) return document;
      const givenBack = document.givenBack + difference.returns;
      return withTotal(document, { total, givenBack }, { at, kind: 'edit' });
    },
    // What was never sold is on no account.
    InvoiceCancelled: (document, { data: { cancelledAt: at } }) => {
      if (!document?.customerId) return document && remove;
      const givenBack = Math.max(0, document.givenBack - document.total);
      return withTotal(document, { total: 0, givenBack }, { at, kind: 'cancellation' });
    },
    InvoiceDeleted: () => remove,
  },
});
