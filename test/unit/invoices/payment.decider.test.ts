import { expect } from 'chai';
import { attemptIdOf } from '#command/contexts/invoices/payments/asked-payment.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown, type KnownInvoice } from '#command/contexts/invoices/invoice.state.ts';
import type { AttemptPayment } from '#command/contexts/invoices/payments/payment.commands.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { given, inContext } from '#test/support/given.ts';
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
const rules = inContext(invoiceDecider, context);

const withCard = (token: string): AttemptPayment => ({
  ...cardOf('sandbox', token),
  askId: idNamed('first ask'),
});

const stateAfter = (...history: InvoiceEvent[]): KnownInvoice => {
  const state = given(rules, history).state();
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
    given(rules, [mugs.placed]).when(withCard('tok_1')).then([first]);
  });

  it('shares the attempt of a double click', () => {
    given(rules, [mugs.placed, first]).when(withCard('tok_1')).thenNothing();
  });

  it('lets nobody try another card while the outcome of one is unknown', () => {
    const open = given(rules, [mugs.placed, first]);
    open.when(withCard('tok_2')).thenRefused('payment-unknown');
    open.when(byHand).thenRefused('payment-unknown');
  });

  it('gives the same card a new attempt, and so the provider a new key, after a final no', () => {
    const again = attempted('tok_1', mugs.placed, first, declined);
    given(rules, [mugs.placed, first, declined]).when(withCard('tok_1')).then([again]);
    expect(again.data.attemptId).to.not.equal(attemptId);
  });

  it('records what was charged, once', () => {
    const capture = { type: 'CapturePayment', attemptId, transactionId: 'sandbox-1' } as const;
    const [captured] = given(rules, [mugs.placed, first]).when(capture).events();
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
    const after = given(rules, [mugs.placed, first, PaymentCaptured(captured.data)]);
    after.when(capture).thenNothing();
    const [noted] = after.when({ ...capture, transactionId: 'sandbox-2' }).events();
    if (noted?.type !== 'InvoiceNoted')
      expect.fail('a provider that has two names for a charge is not noted');
    expect(noted.data).to.include({ isVisibleToCustomer: false });
    expect(noted.data.text).to.match(/sandbox-1 and sandbox-2/);
    given(rules, [mugs.placed, first, PaymentCaptured(captured.data), noted])
      .when({ ...capture, transactionId: 'sandbox-2' })
      .thenNothing();
    after.when(withCard('tok_2')).thenRefused('invoice-already-paid');
  });

  it('records a no, and that a provider could not be reached, once', () => {
    const no = {
      type: 'DeclinePayment',
      attemptId,
      code: 'card_declined',
      message: declined.data.message,
    } as const;
    given(rules, [mugs.placed, first]).when(no).then([declined]);
    given(rules, [mugs.placed, first, declined]).when(no).thenNothing();
    const gone = PaymentNotAttempted({ ...ofFirst, reason: 'away', endedAt: context.now });
    const giveUp = {
      type: 'GiveUpAttempt',
      attemptId,
      askId: first.data.askId ?? null,
      reason: 'away',
    } as const;
    given(rules, [mugs.placed, first]).when(giveUp).then([gone]);
    given(rules, [mugs.placed, first, gone]).when(giveUp).thenNothing();
  });

  it('ends an attempt without a charge only on the word of the first who asked, and of nobody after another', () => {
    const giveUp = {
      type: 'GiveUpAttempt',
      attemptId,
      askId: first.data.askId ?? null,
      reason: 'away',
    } as const;
    const open = given(rules, [mugs.placed, first]);
    for (const askId of [null, idNamed('another ask')]) open.when({ ...giveUp, askId }).thenNothing();
    const again = PaymentAskedAgain(ofFirst);
    open.when({ type: 'AskAgain', attemptId }).then([again]);
    const asked = given(rules, [mugs.placed, first, again]);
    asked.when({ type: 'AskAgain', attemptId }).thenNothing();
    asked.when(giveUp).thenNothing();
    asked.when({ ...giveUp, askId: null }).thenNothing();
    given(rules, [mugs.placed, first, again, declined]).when({ type: 'AskAgain', attemptId }).thenNothing();
  });

  it('lets nobody end an attempt of the past, which does not say who asked first', () => {
    const { askId: _, ...data } = first.data;
    const giveUp = { type: 'GiveUpAttempt', attemptId, askId: null, reason: 'away' } as const;
    given(rules, [mugs.placed, PaymentAttempted(data)])
      .when(giveUp)
      .thenNothing();
  });

  it('takes the rest when a part has been paid', () => {
    const part = mugs.captured(640);
    const [next] = given(rules, [mugs.placed, part]).when(withCard('tok_1')).events();
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
    const [captured] = given(rules, [inYen.placed, asked]).when(capture).events();
    expect(captured?.data).to.include({ amount: 2640, amountInStoreCurrency: 1397 });
    const part = { type: 'RecordManualPayment', method: 'cash', description: null } as const;
    const first = given(rules, [inYen.placed])
      .when({ ...part, amount: 1000 })
      .events();
    expect(first[0]?.data).to.include({ amountInStoreCurrency: 529 });
    const [rest] = given(rules, [inYen.placed, ...first])
      .when({ ...part, amount: 1640 })
      .events();
    expect(rest?.data).to.include({ amountInStoreCurrency: 868 });
  });

  it('charges nothing once an invoice has expired, whether or not anybody has cancelled it', () => {
    const late = at('2026-03-01T10:00:00.000Z');
    for (const command of [withCard('tok_1'), byHand])
      given(rules, [mugs.placed])
        .now(inContext(invoiceDecider, late))
        .when(command)
        .thenRefused('invoice-cancelled');
    // Shared until then, and asked about no more after that.
    const nextDay = at('2026-03-02T09:05:00.000Z');
    given(rules, [mugs.placed, first])
      .now(inContext(invoiceDecider, at('2026-03-02T09:04:59.999Z')))
      .when(withCard('tok_1'))
      .thenNothing();
    given(rules, [mugs.placed, first])
      .now(inContext(invoiceDecider, nextDay))
      .when(withCard('tok_1'))
      .thenRefused('invoice-cancelled');
  });

  it('notes a payment on an invoice that expired meanwhile: owed back, and no sale', () => {
    const cancelled = InvoiceCancelled({
      ...mugs.invoiceName,
      reason: 'expired',
      cancelledAt: '2026-03-02T09:05:00.000Z',
      balance: closedBalance(2640, 0, 0),
    });
    const expired = given(rules, [mugs.placed, first, cancelled]);
    const capture = { type: 'CapturePayment', attemptId, transactionId: 'sandbox-1' } as const;
    const [captured] = expired.when(capture).events();
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
    expired.when(withCard('tok_2')).thenRefused('invoice-cancelled');
  });

  it('refuses invoices that are unknown, replaced or paid', () => {
    given(rules, []).when(withCard('tok_1')).thenRefused('invoice-not-found');
    const replaced = InvoiceSuperseded({ ...mugs.invoiceName, supersededBy: idNamed('newer') });
    given(rules, [mugs.placed, replaced]).when(withCard('tok_1')).thenRefused('invoice-cancelled');
    given(rules, [mugs.placed, mugs.captured()]).when(withCard('tok_1')).thenRefused('invoice-already-paid');
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
    const [captured] = given(rules, [mugs.placed]).when(byHand).events();
    expect(captured?.type).to.equal('PaymentCaptured');
    if (captured?.type !== 'PaymentCaptured') return;
    const { paymentId, transactionId, formData, amount } = captured.data;
    expect(transactionId).to.equal(`manual-${paymentId}`);
    expect(formData).to.deep.equal({ reference: 'cheque 7' });
    expect(amount).to.equal(2640);
  });

  it('is recorded once, however often it is sent', () => {
    given(rules, [mugs.placed, mugs.captured()]).when(byHand).thenNothing();
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
    given(rules, [mugs.placed]).when(transfer).then([promise]);
    const { balance, payments, heldUntil: until } = stateAfter(mugs.placed, promise);
    expect([balance.paymentStatus, payments.length, until]).to.deep.equal(['AwaitingPayment', 0, heldUntil]);
  });

  it('holds the goods no longer when it is made again', () => {
    const later = { ...transfer, holdMinutes: 9999 };
    given(rules, [mugs.placed, promise]).when(later).thenNothing();
  });

  it('bars no other payment, and waits for one whose outcome is unknown', () => {
    const [attempt] = given(rules, [mugs.placed, promise]).when(withCard('tok_1')).events();
    expect(attempt?.type).to.equal('PaymentAttempted');
    given(rules, [mugs.placed, first]).when(transfer).thenRefused('payment-unknown');
  });

  it('is kept when the money has arrived: all of it, a part, or more than was due', () => {
    for (const [amount, paymentStatus, balanceDue, creditDue] of [
      [2640, 'Paid', 0, 0],
      [640, 'PartiallyPaid', 2000, 0],
      [3000, 'Paid', 0, 360],
    ] as const) {
      const [captured] = given(rules, [mugs.placed, promise])
        .when({ ...arrived, amount })
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
    given(rules, [mugs.placed, promise, mugs.captured()]).when(arrived).thenRefused('invoice-already-paid');
    given(rules, [mugs.placed, promise, first]).when(arrived).thenRefused('payment-unknown');
  });
});
