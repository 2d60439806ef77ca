import { customerEvents, type CustomerDetails, type CustomerEvent } from '#events/customer.events.ts';
import { dueDateOf } from '#values/account-terms.ts';
import { businessDay } from '#values/business-day.ts';
import {
  keepWithinCredit,
  withoutTerms,
  type ClaimCredit,
  type SetOutstanding,
} from './customer.commands.ts';
import {
  AT_LAST,
  outstandingOf,
  type CustomerState,
  type ForgottenCustomer,
  type KnownCustomer,
} from './customer.state.ts';

const { CustomerCreditClaimed, CustomerOutstandingChanged, CustomerTermsChanged } = customerEvents.create;

export interface CreditContext {
  /** ISO instant. */
  readonly at: string;
  /** Of the shop: on which day an invoice is due. */
  readonly timeZone: string;
}

const dueDayOf = (dueDate: string | null, timeZone: string): string | null =>
  dueDate === null ? null : businessDay(Date.parse(dueDate), timeZone);

const termsOf = ({ hasAccountTerms, creditLimit }: CustomerDetails) => ({ hasAccountTerms, creditLimit });

/** The one place where credit is granted: two at once are decided in turn (docs/rules/purchase-orders.md#credit). */
export const claimCredit = (
  state: CustomerState,
  { invoiceId, amount, soldAt }: ClaimCredit,
  { at, timeZone }: CreditContext,
): CustomerEvent[] => {
  if (state.status !== 'known' || !state.fields.hasAccountTerms) throw withoutTerms();
  const { owed, fields } = state;
  if (invoiceId in owed) return [];
  const outstanding = outstandingOf(state);
  keepWithinCredit({ creditLimit: fields.creditLimit, outstanding }, amount);
  return [
    CustomerCreditClaimed({
      invoiceId,
      amount,
      outstanding: outstanding + amount,
      openInvoices: Object.keys(owed).length + 1,
      dueDay: dueDayOf(dueDateOf(soldAt, fields.paymentTermsDays), timeZone),
      ...termsOf(fields),
      at,
    }),
  ];
};

/** Of an invoice that was never told of, too: a manual order, or one that came to cost more after it was paid. */
export const setOutstanding = (
  state: KnownCustomer | ForgottenCustomer,
  { invoiceId, amount, asOf, dueDate }: Omit<SetOutstanding, 'type'>,
  { at, timeZone }: CreditContext,
): CustomerEvent[] => {
  const { owed, settled, fields } = state;
  const before = owed[invoiceId];
  if ((before?.asOf ?? settled[invoiceId] ?? -1) >= asOf || before?.amount === amount) return [];
  const amountBefore = before?.amount ?? 0;
  const others = Object.keys(owed).length - (before ? 1 : 0);
  return [
    CustomerOutstandingChanged({
      invoiceId,
      amount,
      amountBefore,
      outstanding: outstandingOf(state) - amountBefore + amount,
      openInvoices: others + (amount > 0 ? 1 : 0),
      dueDay: before ? before.dueDay : dueDayOf(dueDate, timeZone),
      ...termsOf(fields),
      asOf,
      at,
    }),
  ];
};

/** Credit that was claimed for a sale that did not come to be; nothing where none was. */
export const releaseCredit = (
  state: KnownCustomer | ForgottenCustomer,
  invoiceId: string,
  context: CreditContext,
): CustomerEvent[] =>
  invoiceId in state.owed
    ? setOutstanding(state, { invoiceId, amount: 0, asOf: AT_LAST, dueDate: null }, context)
    : [];

/** Invoices that one event names: it has to fit into a batch of the log. */
const NAMED_TOGETHER = 500;

/** Given or taken, terms hold for what is owed already. */
export const changedTerms = (
  { fields, owed }: KnownCustomer,
  { hasAccountTerms }: CustomerDetails,
): CustomerEvent[] => {
  if (fields.hasAccountTerms === hasAccountTerms) return [];
  const ids = Object.keys(owed);
  const batches = Math.ceil(ids.length / NAMED_TOGETHER);
  return Array.from({ length: batches }, (_, index) =>
    CustomerTermsChanged({
      hasAccountTerms,
      invoiceIds: ids.slice(index * NAMED_TOGETHER, (index + 1) * NAMED_TOGETHER),
    }),
  );
};
