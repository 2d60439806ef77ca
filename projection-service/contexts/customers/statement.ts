import type { StatementResponse } from '#contracts/account-terms.contract.ts';
import { aged, nothingAged, type Ageing } from '#values/ageing.ts';
import { businessDay } from '#values/business-day.ts';
import type { Minor } from '#values/money.ts';
import type { AccountEntry, AccountSaleDocument } from './account-sales.projection.ts';

/** The instants of a period; ISO, `to` is the first that is not in it any more. */
export interface Period {
  /** Null: from the beginning. */
  readonly from: string | null;
  readonly to: string;
  /** The day that ages are counted on. */
  readonly on: string;
  readonly timeZone: string;
}

/** What a customer's account says of a period. Minor units of the store's currency. */
export interface Statement {
  readonly openingBalance: Minor;
  readonly lines: readonly StatementLine[];
  readonly closingBalance: Minor;
  readonly ageing: Ageing;
}

export interface StatementLine extends Pick<AccountEntry, 'debit' | 'credit'> {
  readonly date: string;
  readonly type: StatementResponse['lines'][number]['type'];
  readonly reference: string;
  readonly description: string;
  readonly balance: Minor;
}

const types = {
  sale: 'Invoice',
  edit: 'Invoice',
  cancellation: 'Invoice',
  payment: 'Payment',
  refund: 'Refund',
  failedRefund: 'Refund',
} as const;

const describe = (
  { invoiceNumber, purchaseOrder }: AccountSaleDocument,
  { kind, method }: AccountEntry,
): string => {
  switch (kind) {
    case 'sale':
      return purchaseOrder?.number ? `Invoice, your order ${purchaseOrder.number}` : 'Invoice';
    case 'edit':
      return 'Invoice changed';
    case 'cancellation':
      return 'Invoice cancelled';
    case 'payment':
      return method === null ? `Payment of ${invoiceNumber}` : `Payment of ${invoiceNumber} (${method})`;
    case 'refund':
      return `Refund of ${invoiceNumber}`;
    case 'failedRefund':
      return `Refund of ${invoiceNumber} that failed`;
  }
};

type Listed = Omit<StatementLine, 'balance'>;

const linesOf = (sale: AccountSaleDocument, isListed: (entry: AccountEntry) => boolean): Listed[] =>
  sale.entries.filter(isListed).map((entry) => ({
    date: entry.at,
    type: types[entry.kind],
    reference: entry.transactionId ?? sale.invoiceNumber,
    description: describe(sale, entry),
    debit: entry.debit,
    credit: entry.credit,
  }));

const sumOf = (entries: readonly Pick<AccountEntry, 'debit' | 'credit'>[]): Minor =>
  entries.reduce((sum, { debit, credit }) => sum + debit - credit, 0);

/** Oldest first; of one instant as they come. */
const inOrder = (lines: readonly Listed[]): readonly Listed[] =>
  lines.toSorted((one, other) => (one.date < other.date ? -1 : one.date > other.date ? 1 : 0));

/**
 * The account of a customer over a period (docs/rules/account-terms.md#statement). `sales`: those with an entry in it
 * or later, and those before it that are still open; `before`: what all others come to.
 */
export const statementOf = (
  sales: readonly AccountSaleDocument[],
  before: Minor,
  { from, to, on, timeZone }: Period,
): Statement => {
  const isBefore = ({ at }: AccountEntry): boolean => from !== null && at < from;
  const isWithin = (entry: AccountEntry): boolean => !isBefore(entry) && entry.at < to;
  const openingBalance = sales.reduce((sum, { entries }) => sum + sumOf(entries.filter(isBefore)), before);
  let balance = openingBalance;
  const lines = inOrder(sales.flatMap((sale) => linesOf(sale, isWithin))).map((line) => {
    balance += line.debit - line.credit;
    return { ...line, balance };
  });
  let ageing = nothingAged;
  for (const { entries, dueDate, createdAt } of sales) {
    const owed = sumOf(entries.filter(({ at }) => at < to));
    const dayDue = businessDay(Date.parse(dueDate ?? createdAt), timeZone);
    // A credit pays for nothing else by itself.
    if (owed > 0) ageing = aged(ageing, owed, dayDue, on);
  }
  return { openingBalance, lines, closingBalance: balance, ageing };
};
