import { customerEvents, type CustomerDetails } from '#events/customer.events.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { streamOf } from '#values/stream-name.ts';
import { inStream, type GivenEvent } from '../given.ts';
import { idNamed } from './basket.ts';
import { registered } from './customer.ts';
import { invoice, type InvoiceWith } from './invoice.ts';

const { CustomerOutstandingChanged, CustomerTermsChanged } = customerEvents.create;

/** A customer by name, and what they buy on account: each invoice is two mugs, 26.40, unless told otherwise. */
export const customerWhoOwes = (name: string, details: Partial<CustomerDetails> = {}) => {
  const customerId = idNamed(name);
  const stream = streamOf.customer(customerId);
  const { hasAccountTerms = true, creditLimit = null } = details;
  const owed = new Map<string, { readonly amount: number; readonly dueDay: string | null }>();
  let asOf = 0;

  /** What their own stream is told of an invoice. */
  const told = (invoiceId: string, amount: number, dueDay: string | null): readonly GivenEvent[] => {
    const { amount: amountBefore = 0 } = owed.get(invoiceId) ?? {};
    owed.delete(invoiceId);
    if (amount > 0) owed.set(invoiceId, { amount, dueDay });
    return inStream(
      stream,
      CustomerOutstandingChanged({
        ...{ invoiceId, amount, amountBefore, dueDay, hasAccountTerms, creditLimit, asOf: ++asOf },
        outstanding: [...owed.values()].reduce((sum, one) => sum + one.amount, 0),
        openInvoices: owed.size,
        at: '2026-03-01T09:00:00.000Z',
      }),
    );
  };

  return {
    customerId,
    registered: inStream(stream, registered({ ...details, hasAccountTerms })),
    told,
    termsChanged: (has: boolean, ...invoices: readonly string[]): readonly GivenEvent[] =>
      inStream(
        stream,
        CustomerTermsChanged({ hasAccountTerms: has, invoiceIds: invoices.map((one) => idNamed(one)) }),
      ),
    /** A sale that is not paid, or in part only. */
    owes: (
      invoiceName: string,
      { dueDate, paid = 0, ...given }: InvoiceWith & { dueDate: string | null; paid?: number },
    ): readonly GivenEvent[] => {
      const terms = hasAccountTerms ? { accountTerms: { dueDate } } : {};
      const {
        id,
        stream: of,
        ...sale
      } = invoice(invoiceName, {
        customer: name,
        email: `${name.toLowerCase()}@example.com`,
        ...given,
        content: { customerId, ...terms, ...given.content },
      });
      const { total } = sale.placed.data.content.amounts;
      return [
        ...inStream(of, sale.placed, sale.confirmed(invoiceBalance(total, 0, 0))),
        ...(paid > 0 ? inStream(of, sale.captured(paid)) : []),
        ...told(id, total - paid, dueDate?.slice(0, 10) ?? null),
      ];
    },
  };
};
