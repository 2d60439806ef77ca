import { expect } from 'chai';
import type { InvoiceCommand } from '#command/contexts/invoices/invoice.commands.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { dueInStoreCurrency } from '#command/contexts/invoices/payments/owed.state.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import { accountSalesProjection } from '#projection/contexts/customers/account-sales.projection.ts';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice, twoMugs } from '#test/support/builders/invoice.ts';
import { given, givenStream, inContext } from '#test/support/given.ts';

/** Two mugs that are sold; its amounts are those of `content`. */
const mugs = (content: Partial<InvoiceContent> = {}) => invoice('mugs', { content });
const placed = (content?: Partial<InvoiceContent>) =>
  given(inContext(invoiceDecider, decidedAt('2026-03-01T09:05:00.000Z')), [mugs(content).placed]);
type Sale = ReturnType<typeof placed>;
const confirmed = mugs().confirmed();

const pays = (amount: number): InvoiceCommand => ({
  type: 'RecordManualPayment',
  method: 'Cheque',
  amount,
  description: null,
});

/** To these totals. */
const edited = (sale: Sale, total: number, inStore = total): Sale => {
  const { content: before, edits } = sale.state(isKnown);
  const { amounts, amountsInStoreCurrency } = before;
  const zero = { subTotal: 0, discount: 0, shipping: 0, tax: 0 };
  return sale.after({
    type: 'EditInvoice',
    editId: idNamed(`edit ${edits}`),
    after: edits,
    content: {
      ...before,
      amounts: { ...amounts, total },
      amountsInStoreCurrency: { ...amountsInStoreCurrency, total: inStore },
    },
    difference: {
      amounts: { ...zero, total: inStore - amountsInStoreCurrency.total },
      ...{ cost: 0, items: 0, discounts: [] },
    },
    ...{ stock: [], changedOrderIds: [], emptiedOrderIds: [], reason: null, by: 'mary' },
  });
};

/** Part of the last payment is refunded, out of goodwill. */
const refunded = (sale: Sale, amount: number): Sale => {
  const refundId = idNamed('refund');
  const paymentId = sale.state(isKnown).payments.at(-1)?.paymentId ?? '';
  const wanted = { refundId, paymentId, amount, reason: 'Scratched', by: 'mary', askId: idNamed('ask') };
  const can = { refunds: true, partialRefunds: true };
  return sale.after(
    { type: 'StartRefund', ...wanted, how: 'provider', can },
    { type: 'CompleteRefund', refundId, transactionId: 'R1' },
  );
};

/** The refund fails, as its provider says later. */
const refundFailed = (sale: Sale): Sale => {
  const [payment = expect.fail('not paid')] = sale.state(isKnown).payments;
  const { provider, transactionId: chargeTransactionId } = payment;
  const failed = { provider, chargeTransactionId, refundId: 'R1', message: 'The account is closed.' };
  return sale.after({ type: 'FailProviderRefund', ...failed });
};

const owedBy = (sale: Sale): number => {
  const { balanceDue, creditDue } = sale.state(isKnown).balance;
  return balanceDue - creditDue;
};
const read = (sale: Sale) => givenStream(mugs().stream, ...sale.history);
const account = (sale: Sale) => read(sale).project(accountSalesProjection).document;

describe('the account of a customer', () => {
  const bought = placed().after(pays(2640)).happened(confirmed);

  it('agrees with the invoice when a refund fails after an edit has used part of it', () => {
    const settled = edited(refunded(bought, 500), 2440);
    expect([owedBy(settled), account(settled)?.balance]).to.deep.equal([0, 0]);
    const failed = refundFailed(settled);
    expect([owedBy(failed), account(failed)?.balance, account(failed)?.givenBack]).to.deep.equal([
      -200, -200, 0,
    ]);
    expect(failed.state(isKnown).returns).to.equal(0);
  });

  it('agrees with the invoice when a refund fails after the invoice was cancelled', () => {
    const cancelled = refunded(bought, 500).after({ type: 'CancelInvoice', reason: 'by phone', by: 'mary' });
    expect([owedBy(cancelled), account(cancelled)?.balance]).to.deep.equal([-2140, -2140]);
    const failed = refundFailed(cancelled);
    expect([owedBy(failed), account(failed)?.balance, account(failed)?.givenBack]).to.deep.equal([
      -2640, -2640, 0,
    ]);
  });

  it('is settled once a sale in another currency is paid, despite rounding by an edit', () => {
    const { amounts } = twoMugs();
    const abroad = { currency: 'EUR', rate: '0.85', amountsInStoreCurrency: { ...amounts, total: 2244 } };
    const sale = edited(placed(abroad).after(pays(1000)).happened(mugs(abroad).confirmed()), 3001, 2555);
    const due = account(sale)?.balance;
    const { document: row } = read(sale).project(orderListProjection);
    expect([dueInStoreCurrency(sale.state(isKnown)), row?.outstandingInStoreCurrency]).to.deep.equal([
      due,
      due,
    ]);
    const paid = sale.after(pays(2001));
    expect([owedBy(paid), account(paid)?.balance]).to.deep.equal([0, 0]);
  });
});
