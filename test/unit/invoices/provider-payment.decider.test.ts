import { expect } from 'chai';
import { isKnown, type KnownInvoice } from '#command/contexts/invoices/invoice.state.ts';
import type { InvoiceCommand } from '#command/contexts/invoices/invoice.commands.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import {
  foundOutcome,
  outcomeOf,
  sessionOutcome,
} from '#command/contexts/payments/charging/payment-outcome.ts';
import {
  refuseAnotherSession,
  sessionKeyOf,
} from '#command/contexts/invoices/payments/asked-payment.state.ts';
import type {
  OpenPaymentSession,
  PaymentCommand,
  RecordProviderPayment,
} from '#command/contexts/invoices/payments/payment.commands.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { derivedId } from '#kernel/ids.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { byHand, cardOf } from '#test/support/builders/payment.ts';
import { given } from '#test/support/given.ts';

const { InvoiceCancelled, InvoiceSuperseded, PaymentAttempted } = invoiceEvents.create;

const mugs = invoice('mugs');
const at = (now: string) => decidedAt(now, { invoiceId: mugs.id });
const context = at('2026-03-01T09:05:00.000Z');

const session = (sessionId = 'ses_1', changes: Partial<OpenPaymentSession> = {}): OpenPaymentSession => ({
  type: 'OpenPaymentSession',
  sessionId,
  provider: 'sandbox',
  method: 'redirect',
  kind: 'redirect',
  amount: 2640,
  returnUrl: '/thanks',
  cancelUrl: '/basket',
  ...changes,
});
const paidBy = (
  transactionId: string,
  changes: Partial<RecordProviderPayment> = {},
): RecordProviderPayment => ({
  type: 'RecordProviderPayment',
  provider: 'sandbox',
  method: null,
  transactionId,
  sessionId: null,
  amount: 2640,
  currency: 'GBP',
  webhookEventId: null,
  risk: null,
  settlement: null,
  ...changes,
});
const declinedBy = (transactionId: string, isCancelled = false) =>
  ({
    type: 'DeclineProviderPayment',
    provider: 'sandbox',
    transactionId,
    sessionId: null,
    reason: 'The bank said no.',
    isCancelled,
  }) as const;
const owedBy = (transactionId: string, sessionId: string | null = null) =>
  ({ type: 'AwaitProviderPayment', provider: 'sandbox', method: null, transactionId, sessionId }) as const;

type Steps = readonly (InvoiceEvent | PaymentCommand)[];

/** What these commands, one after another, make of an invoice. */
const history = (...steps: Steps) => {
  const events: InvoiceEvent[] = [mugs.placed];
  for (const step of steps) {
    if ('data' in step) events.push(step);
    else events.push(...given(invoiceDecider, events).when(step, context).events());
  }
  return events;
};
const stateAfter = (...steps: Steps): KnownInvoice => {
  const state = given(invoiceDecider, history(...steps)).state();
  return isKnown(state) ? state : expect.fail('the invoice is not known');
};
const typesAfter = (...steps: Steps) => history(...steps).map(({ type }) => type);

const card = (token: string) => ({ ...cardOf('sandbox', token), askId: idNamed('ask') });
const attempted = (token: string, ...before: Steps) => {
  const event = history(...before, card(token)).at(-1);
  return event?.type === 'PaymentAttempted' ? event : expect.fail('nothing was attempted');
};
const cancelled = InvoiceCancelled({
  ...mugs.invoiceName,
  reason: 'expired',
  cancelledAt: context.now,
  balance: closedBalance(2640, 0, 0, 0),
});

describe('a session at a provider', () => {
  it('is opened once, bars no other payment, and makes the invoice wait for money', () => {
    expect(typesAfter(session(), session())).to.deep.equal(['InvoiceCreated', 'PaymentSessionOpened']);
    expect(stateAfter(session()).balance).to.include({ paymentStatus: 'AwaitingPayment', balanceDue: 2640 });
    expect(typesAfter(session(), card('tok_1')).at(-1)).to.equal('PaymentAttempted');
    expect(stateAfter(session('ses_1', { kind: 'intent' })).balance.paymentStatus).to.equal('Unpaid');
  });

  it('is not opened while the outcome of another payment is not known, nor for an invoice that is paid', () => {
    given(invoiceDecider, history(card('tok_1')))
      .when(session(), context)
      .thenRefused('payment-unknown');
    given(invoiceDecider, history(owedBy('tx_1')))
      .when(session(), context)
      .thenRefused('payment-unknown');
    given(invoiceDecider, history(byHand)).when(session(), context).thenRefused('invoice-already-paid');
  });

  it('pays the invoice once, and every other session is closed with it', () => {
    const types = typesAfter(session('ses_1'), session('ses_2'), paidBy('ses_2'), paidBy('ses_2'));
    expect(types.slice(3)).to.deep.equal(['PaymentCaptured', 'PaymentSessionClosed', 'PaymentSessionClosed']);
    const paid = stateAfter(session('ses_1'), session('ses_2'), paidBy('ses_2'));
    expect(paid.sessions.map(({ status }) => status)).to.deep.equal(['voided', 'paid']);
    expect(paid.sessionsToVoid).to.deep.equal([{ sessionId: 'ses_1', provider: 'sandbox' }]);
    expect(paid.payments).to.have.length(1);
    expect(paid.payments[0]).to.include({ method: 'redirect', sessionId: 'ses_2', isOverpayment: false });
  });

  it('is found by its own name where the provider names the payment otherwise', () => {
    const paid = stateAfter(session('cs_1'), paidBy('pi_1', { sessionId: 'cs_1' }));
    const [opened] = paid.sessions;
    if (!opened) expect.fail('there is no session');
    expect(sessionOutcome(paid, opened)).to.deep.include({ kind: 'completed' });
  });

  it('that came to nothing leaves the invoice payable, and the next one gets a key of its own', () => {
    const asked = { provider: 'sandbox', method: 'redirect', returnUrl: '/thanks', cancelUrl: '/basket' };
    const keyAfter = (...steps: Steps) => sessionKeyOf(mugs.id, stateAfter(...steps), asked);
    expect(keyAfter(session())).to.equal(keyAfter());
    expect(keyAfter(session(), declinedBy('ses_1'))).to.not.equal(keyAfter());
    const given = stateAfter(session(), declinedBy('ses_1', true), declinedBy('ses_1'));
    expect(given.sessions[0]).to.include({ status: 'cancelled', message: 'The bank said no.' });
    expect(typesAfter(session(), declinedBy('ses_1'), card('tok_1')).at(-1)).to.equal('PaymentAttempted');
  });

  it('is closed with its invoice', () => {
    const opened = history(session());
    const later = decidedAt('2026-03-01T12:00:00.000Z');
    const types = (command: InvoiceCommand) =>
      given(invoiceDecider, opened)
        .when(command, later)
        .events()
        .map(({ type }) => type);
    expect(types({ type: 'ExpireInvoice' })).to.include('PaymentSessionClosed');
    expect(types({ type: 'SupersedeInvoice', placementId: idNamed('next') })).to.include(
      'PaymentSessionClosed',
    );
  });

  it('are a hundred at most: another way is refused, the same is not asked for anew', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => session(`ses_${index}`));
    const another = session('ses_100', { returnUrl: '/elsewhere' });
    const full = history(...hundred);
    for (const refused of [another, session('ses_100')])
      given(invoiceDecider, full).when(refused, context).thenRefused('too-many-payment-sessions');
    given(invoiceDecider, full).when(session('ses_99'), context).thenNothing();
    const state = stateAfter(...hundred);
    expect(() => refuseAnotherSession(state, session())).to.not.throw();
    expect(() => refuseAnotherSession(state, another)).to.throw('Finish one that is still open');
    expect(() => refuseAnotherSession(stateAfter(...hundred.slice(1)), another)).to.not.throw();
  });

  it('makes room for the twenty-first by closing the oldest', () => {
    const twenty = Array.from({ length: 21 }, (_, index) => session(`ses_${index}`));
    const { sessions, sessionsToVoid } = stateAfter(...twenty);
    expect(sessions).to.have.length(20);
    expect(sessionsToVoid).to.deep.equal([{ sessionId: 'ses_0', provider: 'sandbox' }]);
  });

  it('is forgotten as something to void once its provider knows', () => {
    const both = [session('ses_1'), session('ses_2'), byHand] as const;
    const noted = (...sessionIds: string[]) => ({ type: 'NoteVoidedSessions', sessionIds }) as const;
    expect(history(...both, noted('ses_1')).at(-1)?.data).to.deep.equal({
      sessionIds: ['ses_1'],
      isLast: false,
    });
    const last = history(...both, noted('ses_1'), noted('ses_1', 'ses_2')).at(-1);
    expect(last?.data).to.deep.equal({ sessionIds: ['ses_2'], isLast: true });
  });
});

describe('a payer who is back after the callback', () => {
  it('has paid, also where the callback names the transaction and not the session', () => {
    const paid = stateAfter(session('page_1'), paidBy('tx_1'));
    const page = { provider: 'sandbox', reference: 'page_1' };
    expect(foundOutcome(paid, page, 'tx_1')?.kind).to.equal('completed');
    expect(foundOutcome(paid, page, 'page_1')?.kind).to.equal('cancelled');
  });
});

describe('an outcome that a provider owes', () => {
  it('bars every other payment, and the invoice from being replaced, until it is there', () => {
    const owed = history(session(), owedBy('tx_1', 'ses_1'));
    const open = given(invoiceDecider, owed);
    open.when(card('tok_1'), context).thenRefused('payment-unknown');
    open.when(byHand, context).thenRefused('payment-unknown');
    open.when(owedBy('tx_1', 'ses_1'), context).thenNothing();
    const replace = { type: 'SupersedeInvoice', placementId: idNamed('next') } as const;
    given(invoiceDecider, owed).when(replace, decidedAt(context.now)).thenRefused('payment-unknown');
    expect(
      stateAfter(session(), owedBy('tx_1', 'ses_1'), paidBy('tx_2', { sessionId: 'ses_1' })).pending,
    ).to.equal(null);
    expect(stateAfter(session(), owedBy('tx_1', 'ses_1'), declinedBy('ses_1')).pending).to.equal(null);
  });

  it('of a charge is not asked for again by its key, and its double click shares it', () => {
    const { attemptId } = attempted('tok_pending').data;
    const awaits = { type: 'AwaitOutcome', attemptId, transactionId: 'tx_1' } as const;
    const owed = stateAfter(card('tok_pending'), awaits);
    expect(owed.openAttempt).to.equal(null);
    expect(outcomeOf(owed, attemptId)).to.deep.equal({ kind: 'pending', transactionId: 'tx_1' });
    given(invoiceDecider, history(card('tok_pending'), awaits))
      .when(card('tok_pending'), context)
      .thenNothing();
    const paid = stateAfter(card('tok_pending'), awaits, paidBy('tx_1'));
    expect(outcomeOf(paid, attemptId).kind).to.equal('completed');
    const no = stateAfter(card('tok_pending'), awaits, declinedBy('tx_1'));
    expect(outcomeOf(no, attemptId)).to.include({ kind: 'declined', message: 'The bank said no.' });
    expect(
      attempted('tok_pending', card('tok_pending'), awaits, declinedBy('tx_1')).data.attemptId,
    ).to.not.equal(attemptId);
  });

  it('ends with a no, also where the shop started nothing of it, or had closed its session before', () => {
    const untold = [owedBy('tx_1'), declinedBy('tx_1')];
    expect(typesAfter(...untold, card('tok_1')).at(-1)).to.equal('PaymentAttempted');
    const givenUp = [session(), declinedBy('ses_1', true), owedBy('tx_1', 'ses_1'), declinedBy('tx_1')];
    expect(typesAfter(...givenUp, card('tok_1')).at(-1)).to.equal('PaymentAttempted');
    const stillOwed = stateAfter(session(), declinedBy('ses_1', true), owedBy('tx_1', 'ses_1'));
    expect(sessionOutcome(stillOwed, stillOwed.sessions[0] ?? expect.fail('no session')).kind).to.equal(
      'pending',
    );
    const again = [...untold, owedBy('tx_1'), declinedBy('tx_1')];
    expect(stateAfter(...again).pending).to.equal(null);
  });

  it('keeps the invoice for a day, and for an hour once it has come to nothing', () => {
    const hours = (count: number) => at(`2026-03-01T${String(9 + count).padStart(2, '0')}:10:00.000Z`);
    const owed = history(session(), owedBy('tx_1', 'ses_1'));
    given(invoiceDecider, owed).when(card('tok_1'), hours(5)).thenRefused('payment-unknown');
    given(invoiceDecider, history(session())).when(card('tok_1'), hours(5)).thenRefused('invoice-cancelled');
    given(invoiceDecider, history(session(), owedBy('tx_1', 'ses_1'), declinedBy('ses_1')))
      .when(card('tok_1'), hours(5))
      .thenRefused('invoice-cancelled');
  });
});

describe("a charge for which the payer's bank wants to see them", () => {
  const { attemptId } = attempted('tok_3ds').data;
  const sendOn = { type: 'SendPayerOn', attemptId, sessionId: 'ses_3d', redirectUrl: '/bank' } as const;

  it('becomes a session, which the same card shares and another card may pass by', () => {
    const sent = stateAfter(card('tok_3ds'), sendOn);
    expect(sent.openAttempt).to.equal(null);
    expect(outcomeOf(sent, attemptId)).to.have.nested.property('session.redirectUrl', '/bank');
    given(invoiceDecider, history(card('tok_3ds'), sendOn))
      .when(card('tok_3ds'), context)
      .thenNothing();
    expect(typesAfter(card('tok_3ds'), sendOn, card('tok_1')).at(-1)).to.equal('PaymentAttempted');
  });

  it('ends with the session', () => {
    const paid = stateAfter(card('tok_3ds'), sendOn, paidBy('ses_3d'));
    expect(outcomeOf(paid, attemptId).kind).to.equal('completed');
    const declined = stateAfter(card('tok_3ds'), sendOn, declinedBy('ses_3d'));
    expect(outcomeOf(declined, attemptId)).to.include({ kind: 'declined' });
    const next = attempted('tok_3ds', card('tok_3ds'), sendOn, declinedBy('ses_3d'));
    expect(next.data.attemptId).to.not.equal(attemptId);
  });
});

describe("a charge that goes on at the payer's bank too late", () => {
  const { attemptId } = attempted('tok_3ds').data;
  const sendOn = { type: 'SendPayerOn', attemptId, sessionId: 'ses_3d', redirectUrl: '/bank' } as const;

  it('is voided where the invoice was paid or closed meanwhile', () => {
    const toVoid = [{ sessionId: 'ses_3d', provider: 'sandbox' }];
    const paid = stateAfter(session(), card('tok_3ds'), paidBy('tx_1', { sessionId: 'ses_1' }), sendOn);
    expect(paid.sessionsToVoid).to.deep.equal(toVoid);
    expect(stateAfter(card('tok_3ds'), cancelled, sendOn).sessionsToVoid).to.deep.equal(toVoid);
  });

  it('makes room among the sessions that the invoice remembers', () => {
    const twenty = Array.from({ length: 20 }, (_, index) => session(`ses_${index}`));
    const attempt = attempted('tok_3ds', ...twenty);
    const { sessionsToVoid } = stateAfter(...twenty, attempt, {
      ...sendOn,
      attemptId: attempt.data.attemptId,
    });
    expect(sessionsToVoid).to.deep.equal([{ sessionId: 'ses_0', provider: 'sandbox' }]);
  });
});

describe('a payment that a provider tells of', () => {
  const lastOf = (...steps: Steps) => history(...steps).at(-1);

  it('too late is on record, owed back, and sells nothing', () => {
    const late = lastOf(cancelled, paidBy('tx_1'));
    expect(late?.data).to.deep.include({ isLate: true, amount: 2640 });
    const replaced = InvoiceSuperseded({ ...mugs.invoiceName, supersededBy: idNamed('newer') });
    expect(stateAfter(replaced, paidBy('tx_1')).payments[0]).to.include({ isOverpayment: true });
  });

  it('a second time is on record, and owed back', () => {
    expect(lastOf(byHand, paidBy('tx_1'))?.data).to.deep.include({ isSurplus: true });
    expect(lastOf(paidBy('tx_1', { amount: 640 }), paidBy('tx_2'))?.data).to.not.have.property('isSurplus');
  });

  it('in another currency is not recorded', () => {
    given(invoiceDecider, history())
      .when(paidBy('tx_1', { currency: 'EUR' }), context)
      .thenRefused('other-currency');
  });

  it('is recorded before an attempt has its answer: that one ends without money of its own', () => {
    const { attemptId } = attempted('tok_1').data;
    const capture = { type: 'CapturePayment', attemptId, transactionId: 'tx_1' } as const;
    const paid = stateAfter(card('tok_1'), paidBy('tx_1'));
    expect(paid.openAttempt).to.not.equal(null);
    expect(lastOf(card('tok_1'), paidBy('tx_1'), capture)?.type).to.equal('PaymentAttemptMatched');
    const ended = stateAfter(card('tok_1'), paidBy('tx_1'), capture);
    expect(ended).to.deep.include({ openAttempt: null });
    expect(ended.payments).to.have.length(1);
  });

  it('as failed is noted once, and says nothing against one that is complete', () => {
    const types = typesAfter(declinedBy('tx_1'), declinedBy('tx_1'), paidBy('tx_1'), declinedBy('tx_1'));
    expect(types.slice(1)).to.deep.equal(['PaymentDeclined', 'PaymentCaptured']);
    // An attempt of somebody else goes on.
    expect(stateAfter(card('tok_1'), declinedBy('tx_1')).openAttempt).to.not.equal(null);
  });

  it('as failed is listed under an id of its own, unless an attempt of the shop stands for it', () => {
    const failed = (amount: number, name: string) => ({
      paymentId: derivedId('failed-payment', mugs.id, 'sandbox', name),
      amount,
      currency: 'GBP',
    });
    const none = lastOf({ ...declinedBy('tx_1'), amount: 500 })?.data;
    expect(none).to.deep.include({ failed: failed(500, 'tx_1') });
    expect(lastOf(declinedBy('tx_1'))?.data).to.deep.include({ failed: failed(2640, 'tx_1') });
    const page = lastOf(session('ses_1', { amount: 700 }), declinedBy('ses_1'))?.data;
    expect(page).to.deep.include({ failed: failed(700, 'ses_1') });
    expect(lastOf(session(), declinedBy('ses_1', true))?.data).to.not.have.property('failed');
    const { attemptId } = attempted('tok_3ds').data;
    const sendOn = { type: 'SendPayerOn', attemptId, sessionId: 'ses_3d', redirectUrl: '/bank' } as const;
    const bank = lastOf(card('tok_3ds'), sendOn, declinedBy('ses_3d'))?.data;
    expect(bank).to.include({ attemptId }).and.not.have.property('failed');
  });

  it('keeps what the provider said of it', () => {
    const told = {
      webhookEventId: 'evt_1',
      risk: { score: 12, source: 'radar' },
      settlement: { currency: 'USD', amountMinor: 3000, exchangeRate: '1.136' },
    };
    expect(lastOf(paidBy('tx_1', told))?.data).to.deep.include(told);
  });

  it('is refused for an invoice that nobody knows', () => {
    given(invoiceDecider, []).when(paidBy('tx_1'), context).thenRefused('invoice-not-found');
    given(invoiceDecider, []).when(declinedBy('tx_1'), context).thenRefused('invoice-not-found');
  });

  it('leaves an attempt of the past as it was', () => {
    const { askId: _, ...data } = attempted('tok_1').data;
    expect(stateAfter(PaymentAttempted(data), paidBy('tx_9')).openAttempt?.attemptId).to.equal(
      data.attemptId,
    );
  });
});
