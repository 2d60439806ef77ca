import { expect } from 'chai';
import { attemptIdOf } from '#command/contexts/invoices/payments/asked-payment.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown, type KnownInvoice } from '#command/contexts/invoices/invoice.state.ts';
import type { AttemptPayment } from '#command/contexts/invoices/payments/payment.commands.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { given } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { byHand, cardOf } from '#test/support/builders/payment.ts';

const {
  InvoiceCancelled,
  InvoiceSuperseded,
  PaymentAskedAgain,
  PaymentAttempted,
  PaymentCaptured,
  PaymentDeclined,
  PaymentNotAttempted,
  PaymentPromised,
} = invoiceEvents.create;

const mugs = invoice('mugs');
const at = (now: string) => decidedAt(now, { invoiceId: mugs.id });
const context = at('2026-03-01T09:05:00.000Z');

const withCard = (token: string): AttemptPayment => ({
  ...cardOf('sandbox', token),
  askId: idNamed('first ask'),
});

const stateAfter = (...history: InvoiceEvent[]): KnownInvoice => {
  const state = given(invoiceDecider, history).state();
  return isKnown(state) ? state : expect.fail('the invoice is not known');
};

/** The attempt that a card would make of an invoice with this history. */
const attempted = (token: string, ...history: InvoiceEvent[]) => {
  const { type: _, ...card } = withCard(token);
  const attemptId = attemptIdOf(mugs.id, stateAfter(...history), withCard(token));
  return PaymentAttempted({ ...card, attemptId, amount: 2640, currency: 'GBP', attemptedAt: context.now });
};

const first = attempted('tok_1', mugs.placed);
const { attemptId } = first.data;
const ofFirst = { attemptId, provider: 'sandbox', method: 'card' };
const declined = PaymentDeclined({
  ...ofFirst,
  code: 'card_declined',
  message: 'The card was declined.',
  endedAt: context.now,
});

describe('paying an invoice', () => {
  it('records the attempt, for the whole balance, before anybody is asked to charge', () => {
    given(invoiceDecider, [mugs.placed]).when(withCard('tok_1'), context).then([first]);
  });

  it('shares the attempt of a double click', () => {
    given(invoiceDecider, [mugs.placed, first]).when(withCard('tok_1'), context).thenNothing();
  });

  it('lets nobody try another card while the outcome of one is unknown', () => {
    const open = given(invoiceDecider, [mugs.placed, first]);
    open.when(withCard('tok_2'), context).thenRefused('payment-unknown');
    open.when(byHand, context).thenRefused('payment-unknown');
  });

  it('gives the same card a new attempt, and so the provider a new key, after a final no', () => {
    const again = attempted('tok_1', mugs.placed, first, declined);
    given(invoiceDecider, [mugs.placed, first, declined]).when(withCard('tok_1'), context).then([again]);
    expect(again.data.attemptId).to.not.equal(attemptId);
  });

  it('records what was charged, once', () => {
    const capture = { type: 'CapturePayment', attemptId, transactionId: 'sandbox-1' } as const;
    const [captured] = given(invoiceDecider, [mugs.placed, first]).when(capture, context).events();
    expect(captured?.data).to.deep.include({
      invoiceNumber: 'INV-0001',
      businessDay: '2026-03-01',
      attemptId,
      transactionId: 'sandbox-1',
      amount: 2640,
      amountInStoreCurrency: 2640,
      paidAt: context.now,
      balance: {
        amountPaid: 2640,
        amountRefunded: 0,
        balanceDue: 0,
        creditDue: 0,
        givenBack: 0,
        paymentStatus: 'Paid',
      },
    });
    if (captured?.type !== 'PaymentCaptured') expect.fail('nothing was captured');
    const after = given(invoiceDecider, [mugs.placed, first, PaymentCaptured(captured.data)]);
    after.when(capture, context).thenNothing();
    const [noted] = after.when({ ...capture, transactionId: 'sandbox-2' }, context).events();
    if (noted?.type !== 'InvoiceNoted')
      expect.fail('a provider that has two names for a charge is not noted');
    expect(noted.data).to.include({ isVisibleToCustomer: false });
    expect(noted.data.text).to.match(/sandbox-1 and sandbox-2/);
    given(invoiceDecider, [mugs.placed, first, PaymentCaptured(captured.data), noted])
      .when({ ...capture, transactionId: 'sandbox-2' }, context)
      .thenNothing();
    after.when(withCard('tok_2'), context).thenRefused('invoice-already-paid');
  });

  it('records a no, and that a provider could not be reached, once', () => {
    const no = {
      type: 'DeclinePayment',
      attemptId,
      code: 'card_declined',
      message: declined.data.message,
    } as const;
    given(invoiceDecider, [mugs.placed, first]).when(no, context).then([declined]);
    given(invoiceDecider, [mugs.placed, first, declined]).when(no, context).thenNothing();
    const gone = PaymentNotAttempted({ ...ofFirst, reason: 'away', endedAt: context.now });
    const giveUp = {
      type: 'GiveUpAttempt',
      attemptId,
      askId: first.data.askId ?? null,
      reason: 'away',
    } as const;
    given(invoiceDecider, [mugs.placed, first]).when(giveUp, context).then([gone]);
    given(invoiceDecider, [mugs.placed, first, gone]).when(giveUp, context).thenNothing();
  });

  it('ends an attempt without a charge only on the word of the first who asked, and of nobody after another', () => {
    const giveUp = {
      type: 'GiveUpAttempt',
      attemptId,
      askId: first.data.askId ?? null,
      reason: 'away',
    } as const;
    const open = given(invoiceDecider, [mugs.placed, first]);
    for (const askId of [null, idNamed('another ask')])
      open.when({ ...giveUp, askId }, context).thenNothing();
    const again = PaymentAskedAgain(ofFirst);
    open.when({ type: 'AskAgain', attemptId }, context).then([again]);
    const asked = given(invoiceDecider, [mugs.placed, first, again]);
    asked.when({ type: 'AskAgain', attemptId }, context).thenNothing();
    asked.when(giveUp, context).thenNothing();
    asked.when({ ...giveUp, askId: null }, context).thenNothing();
    given(invoiceDecider, [mugs.placed, first, again, declined])
      .when({ type: 'AskAgain', attemptId }, context)
      .thenNothing();
  });

  it('lets nobody end an attempt of the past, which does not say who asked first', () => {
    const { askId: _, ...data } = first.data;
    const giveUp = { type: 'GiveUpAttempt', attemptId, askId: null, reason: 'away' } as const;
    given(invoiceDecider, [mugs.placed, PaymentAttempted(data)])
      .when(giveUp, context)
      .thenNothing();
  });

  it('takes the rest when a part has been paid', () => {
    const part = mugs.captured(640);
    const [next] = given(invoiceDecider, [mugs.placed, part]).when(withCard('tok_1'), context).events();
    expect(next?.data).to.include({ amount: 2000 });
  });

  it('gives the store its own currency: the whole of the sale when it is paid whole, however often in parts', () => {
    const inStore = { subTotal: 0, discount: 0, shipping: 0, tax: 0, total: 1397 };
    const inYen = invoice('yen', {
      content: { currency: 'JPY', rate: '0.0053', amountsInStoreCurrency: inStore },
    });
    const { type: _, ...card } = withCard('tok_1');
    const asked = PaymentAttempted({ ...card, attemptId, amount: 2640, currency: 'JPY' });
    const capture = { type: 'CapturePayment', attemptId, transactionId: 'x' } as const;
    const [captured] = given(invoiceDecider, [inYen.placed, asked]).when(capture, context).events();
    expect(captured?.data).to.include({ amount: 2640, amountInStoreCurrency: 1397 });
    const part = { type: 'RecordManualPayment', method: 'cash', description: null } as const;
    const first = given(invoiceDecider, [inYen.placed])
      .when({ ...part, amount: 1000 }, context)
      .events();
    expect(first[0]?.data).to.include({ amountInStoreCurrency: 529 });
    const [rest] = given(invoiceDecider, [inYen.placed, ...first])
      .when({ ...part, amount: 1640 }, context)
      .events();
    expect(rest?.data).to.include({ amountInStoreCurrency: 868 });
  });

  it('charges nothing once an invoice has expired, whether or not anybody has cancelled it', () => {
    const late = at('2026-03-01T10:00:00.000Z');
    for (const command of [withCard('tok_1'), byHand])
      given(invoiceDecider, [mugs.placed]).when(command, late).thenRefused('invoice-cancelled');
    // Shared until then, and asked about no more after that.
    const nextDay = at('2026-03-02T09:05:00.000Z');
    given(invoiceDecider, [mugs.placed, first])
      .when(withCard('tok_1'), at('2026-03-02T09:04:59.999Z'))
      .thenNothing();
    given(invoiceDecider, [mugs.placed, first])
      .when(withCard('tok_1'), nextDay)
      .thenRefused('invoice-cancelled');
  });

  it('notes a payment on an invoice that expired meanwhile: owed back, and no sale', () => {
    const cancelled = InvoiceCancelled({
      ...mugs.invoiceName,
      reason: 'expired',
      cancelledAt: '2026-03-02T09:05:00.000Z',
      balance: closedBalance(2640, 0, 0),
    });
    const expired = given(invoiceDecider, [mugs.placed, first, cancelled]);
    const capture = { type: 'CapturePayment', attemptId, transactionId: 'sandbox-1' } as const;
    const [captured] = expired.when(capture, context).events();
    expect(captured?.data).to.deep.include({
      amount: 2640,
      isLate: true,
      balance: {
        amountPaid: 2640,
        amountRefunded: 0,
        balanceDue: 0,
        creditDue: 2640,
        givenBack: 0,
        paymentStatus: 'Paid',
      },
    });
    expired.when(withCard('tok_2'), context).thenRefused('invoice-cancelled');
  });

  it('refuses invoices that are unknown, replaced or paid', () => {
    given(invoiceDecider, []).when(withCard('tok_1'), context).thenRefused('invoice-not-found');
    const replaced = InvoiceSuperseded({ ...mugs.invoiceName, supersededBy: idNamed('newer') });
    given(invoiceDecider, [mugs.placed, replaced])
      .when(withCard('tok_1'), context)
      .thenRefused('invoice-cancelled');
    given(invoiceDecider, [mugs.placed, mugs.captured()])
      .when(withCard('tok_1'), context)
      .thenRefused('invoice-already-paid');
  });
});

describe('a payment by hand', () => {
  const byHand = {
    type: 'RecordDirectPayment',
    provider: 'manual',
    method: 'manual',
    formData: { reference: 'cheque 7' },
    holdMinutes: null,
  } as const;

  it('pays everything at once, and names itself', () => {
    const [captured] = given(invoiceDecider, [mugs.placed]).when(byHand, context).events();
    expect(captured?.type).to.equal('PaymentCaptured');
    if (captured?.type !== 'PaymentCaptured') return;
    const { paymentId, transactionId, formData, amount } = captured.data;
    expect(transactionId).to.equal(`manual-${paymentId}`);
    expect(formData).to.deep.equal({ reference: 'cheque 7' });
    expect(amount).to.equal(2640);
  });

  it('is recorded once, however often it is sent', () => {
    given(invoiceDecider, [mugs.placed, mugs.captured()]).when(byHand, context).thenNothing();
  });
});

describe('a payment that is promised', () => {
  const heldUntil = '2026-03-01T11:05:00.000Z';
  const transfer = {
    type: 'RecordDirectPayment',
    provider: 'manual',
    method: 'manual',
    formData: { reference: 'transfer' },
    holdMinutes: 120,
  } as const;
  const promise = PaymentPromised({
    ...mugs.invoiceName,
    provider: 'manual',
    method: 'manual',
    amount: 2640,
    currency: 'GBP',
    formData: { reference: 'transfer' },
    promisedAt: context.now,
    heldUntil,
    balance: {
      amountPaid: 0,
      amountRefunded: 0,
      balanceDue: 2640,
      creditDue: 0,
      givenBack: 0,
      paymentStatus: 'AwaitingPayment',
    },
  });
  const arrived = {
    type: 'RecordManualPayment',
    method: 'Bank transfer',
    amount: 2640,
    description: 'statement 12',
  } as const;

  it('is no payment: the invoice awaits one, and says how long goods are held for it', () => {
    given(invoiceDecider, [mugs.placed]).when(transfer, context).then([promise]);
    const { balance, payments, heldUntil: until } = stateAfter(mugs.placed, promise);
    expect([balance.paymentStatus, payments.length, until]).to.deep.equal(['AwaitingPayment', 0, heldUntil]);
  });

  it('holds the goods no longer when it is made again', () => {
    const later = { ...transfer, holdMinutes: 9999 };
    given(invoiceDecider, [mugs.placed, promise]).when(later, context).thenNothing();
  });

  it('bars no other payment, and waits for one whose outcome is unknown', () => {
    const [attempt] = given(invoiceDecider, [mugs.placed, promise]).when(withCard('tok_1'), context).events();
    expect(attempt?.type).to.equal('PaymentAttempted');
    given(invoiceDecider, [mugs.placed, first]).when(transfer, context).thenRefused('payment-unknown');
  });

  it('is kept when the money has arrived: all of it, a part, or more than was due', () => {
    for (const [amount, paymentStatus, balanceDue, creditDue] of [
      [2640, 'Paid', 0, 0],
      [640, 'PartiallyPaid', 2000, 0],
      [3000, 'Paid', 0, 360],
    ] as const) {
      const [captured] = given(invoiceDecider, [mugs.placed, promise])
        .when({ ...arrived, amount }, context)
        .events();
      if (captured?.type !== 'PaymentCaptured') expect.fail('nothing was recorded');
      expect(captured.data).to.deep.include({
        provider: 'manual',
        method: 'Bank transfer',
        formData: { description: 'statement 12' },
        amount,
      });
      expect(captured.data.balance).to.include({ paymentStatus, balanceDue, creditDue });
    }
  });

  it('cannot be kept twice, or while a card may be charged', () => {
    given(invoiceDecider, [mugs.placed, promise, mugs.captured()])
      .when(arrived, context)
      .thenRefused('invoice-already-paid');
    given(invoiceDecider, [mugs.placed, promise, first])
      .when(arrived, context)
      .thenRefused('payment-unknown');
  });
});
