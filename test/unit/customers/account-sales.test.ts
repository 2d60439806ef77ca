import { expect } from 'chai';
import type { InvoiceCommand } from '#command/contexts/invoices/invoice.commands.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { dueInStoreCurrency } from '#command/contexts/invoices/payments/owed.state.ts';
import type { PaymentCommand } from '#command/contexts/invoices/payments/payment.commands.ts';
import type { RefundCommand } from '#command/contexts/invoices/refunds/refund.commands.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import {
  accountSalesProjection,
  type AccountSaleDocument,
} from '#projection/contexts/customers/account-sales.projection.ts';
import type { OrderDocument } from '#projection/contexts/orders/order.document.ts';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice, twoMugs } from '#test/support/builders/invoice.ts';
import { given, givenEvents, inStream } from '#test/support/given.ts';

const now = '2026-03-01T09:05:00.000Z';
const moment = decidedAt(now);

/** What happens to an invoice, one thing after another. */
const story = (content: Partial<InvoiceContent> = {}) => {
  const mugs = invoice('mugs', { content });
  const events: InvoiceEvent[] = [mugs.placed];
  const state = () => {
    const known = given(invoiceDecider, [...events]).state();
    return isKnown(known) ? known : expect.fail('there is no invoice');
  };
  const told = {
    invoice: (command: InvoiceCommand) => {
      events.push(
        ...given(invoiceDecider, [...events])
          .when(command, moment)
          .events(),
      );
      return told;
    },
    paid: (amount: number) => {
      const command: PaymentCommand = {
        type: 'RecordManualPayment',
        method: 'Cheque',
        amount,
        description: null,
      };
      const context = { ...moment, invoiceId: mugs.id };
      events.push(
        ...given(invoiceDecider, [...events])
          .when(command, context)
          .events(),
      );
      return told;
    },
    refund: (...commands: readonly RefundCommand[]) => {
      for (const command of commands)
        events.push(
          ...given(invoiceDecider, [...events])
            .when(command, moment)
            .events(),
        );
      return told;
    },
    confirmed: () => {
      events.push(mugs.confirmed());
      return told;
    },
    /** To these totals. */
    edited: (total: number, inStore = total) => {
      const { content: before, edits } = state();
      const { amounts, amountsInStoreCurrency } = before;
      const zero = { subTotal: 0, discount: 0, shipping: 0, tax: 0 };
      return told.invoice({
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
    },
    paymentId: () => state().payments.at(-1)?.paymentId ?? '',
    state,
    account: () =>
      givenEvents(...inStream(mugs.stream, ...events)).project(accountSalesProjection, mugs.id)
        .document as AccountSaleDocument | null,
    row: () =>
      givenEvents(...inStream(mugs.stream, ...events)).project(orderListProjection, mugs.id)
        .document as OrderDocument | null,
  };
  return told;
};

type Story = ReturnType<typeof story>;

/** So much is given back, out of goodwill. */
const givenBack = (told: Story, amount: number): Story => {
  const refundId = idNamed('refund');
  const [by, reason] = ['mary', 'Scratched'];
  const wanted = { refundId, paymentId: told.paymentId(), amount, reason, by, askId: idNamed('ask') };
  const can = { refunds: true, partialRefunds: true };
  return told.refund(
    { type: 'StartRefund', ...wanted, how: 'provider', can },
    { type: 'CompleteRefund', refundId, transactionId: 'R1' },
  );
};

/** And could not be, as its provider says later. */
const notGivenBack = (told: Story): Story => {
  const { provider, transactionId: chargeTransactionId } =
    told.state().payments[0] ?? expect.fail('not paid');
  const failed = { provider, chargeTransactionId, refundId: 'R1', message: 'The account is closed.' };
  return told.refund({ type: 'FailProviderRefund', ...failed });
};

const owedBy = (told: Story): number => {
  const { balanceDue, creditDue } = told.state().balance;
  return balanceDue - creditDue;
};

describe('the account of a customer', () => {
  it('says what the invoice says when a refund fails whose part an edit has taken already', () => {
    const told = givenBack(story().paid(2640).confirmed(), 500).edited(2440);
    expect([owedBy(told), told.account()?.balance]).to.deep.equal([0, 0]);
    notGivenBack(told);
    expect([owedBy(told), told.account()?.balance, told.account()?.givenBack]).to.deep.equal([-200, -200, 0]);
    expect(told.state().returns).to.equal(0);
  });

  it('says what the invoice says when a refund fails once the invoice is cancelled', () => {
    const told = givenBack(story().paid(2640).confirmed(), 500);
    told.invoice({ type: 'CancelInvoice', reason: 'by phone', by: 'mary' });
    expect([owedBy(told), told.account()?.balance]).to.deep.equal([-2140, -2140]);
    notGivenBack(told);
    expect([owedBy(told), told.account()?.balance, told.account()?.givenBack]).to.deep.equal([
      -2640, -2640, 0,
    ]);
  });

  it('of a sale in another currency is settled once it is paid, whatever an edit has rounded', () => {
    const { amounts } = twoMugs();
    const abroad = { currency: 'EUR', rate: '0.85', amountsInStoreCurrency: { ...amounts, total: 2244 } };
    const told = story(abroad).paid(1000).confirmed().edited(3001, 2555);
    const due = told.account()?.balance;
    expect([dueInStoreCurrency(told.state()), told.row()?.outstandingInStoreCurrency]).to.deep.equal([
      due,
      due,
    ]);
    told.paid(2001);
    expect([owedBy(told), told.account()?.balance]).to.deep.equal([0, 0]);
  });
});
