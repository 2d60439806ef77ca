import { expect } from 'chai';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
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
import { invoiceEvents } from '#events/invoice.events.ts';
import { derivedId } from '#kernel/ids.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import {
  byHand,
  cardOf,
  pageOf as session,
  reportedPayment as paidBy,
} from '#test/support/builders/payment.ts';
import { given, inContext } from '#test/support/given.ts';

const { InvoiceCancelled, InvoiceSuperseded, PaymentAttempted } = invoiceEvents.create;

const mugs = invoice('mugs');
const now = '2026-03-01T09:05:00.000Z';
const at = (instant: string) => inContext(invoiceDecider, decidedAt(instant, { invoiceId: mugs.id }));
const placed = given(at(now), [mugs.placed]);

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

const card = (token: string) => ({ ...cardOf('sandbox', token), askId: idNamed('ask') });
const attempted = (token: string, before = placed) => {
  const [event] = before.when(card(token)).events();
  return event?.type === 'PaymentAttempted' ? event : expect.fail('nothing was attempted');
};
const cancelled = InvoiceCancelled({
  ...mugs.invoiceName,
  reason: 'expired',
  cancelledAt: now,
  balance: closedBalance(2640, 0, 0, 0),
});

describe('a session at a provider', () => {
  it('is opened once, bars no other payment, and makes the invoice wait for money', () => {
    const opened = placed.after(session());
    placed.when(session()).thenLike(['PaymentSessionOpened']);
    opened.when(session()).thenNothing();
    expect(opened.state(isKnown).balance).to.include({ paymentStatus: 'AwaitingPayment', balanceDue: 2640 });
    opened.when(card('tok_1')).thenLike(['PaymentAttempted']);
    const intent = placed.after(session('ses_1', { kind: 'intent' }));
    expect(intent.state(isKnown).balance.paymentStatus).to.equal('Unpaid');
  });

  it('is not opened while the outcome of another payment is not known, nor for an invoice that is paid', () => {
    placed.after(card('tok_1')).when(session()).thenRefused('payment-unknown');
    placed.after(owedBy('tx_1')).when(session()).thenRefused('payment-unknown');
    placed.after(byHand).when(session()).thenRefused('invoice-already-paid');
  });

  it('pays the invoice once, and every other session is closed with it', () => {
    const both = placed.after(session('ses_1'), session('ses_2'));
    both
      .when(paidBy('ses_2'))
      .thenLike(['PaymentCaptured'], ['PaymentSessionClosed'], ['PaymentSessionClosed']);
    both.after(paidBy('ses_2')).when(paidBy('ses_2')).thenNothing();
    const paid = both.after(paidBy('ses_2')).state(isKnown);
    expect(paid.sessions.map(({ status }) => status)).to.deep.equal(['voided', 'paid']);
    expect(paid.sessionsToVoid).to.deep.equal([{ sessionId: 'ses_1', provider: 'sandbox' }]);
    expect(paid.payments).to.have.length(1);
    expect(paid.payments[0]).to.include({ method: 'redirect', sessionId: 'ses_2', isOverpayment: false });
  });

  it('is found by its own name where the provider names the payment otherwise', () => {
    const paid = placed.after(session('cs_1'), paidBy('pi_1', { sessionId: 'cs_1' })).state(isKnown);
    const [opened] = paid.sessions;
    if (!opened) expect.fail('there is no session');
    expect(sessionOutcome(paid, opened)).to.deep.include({ kind: 'completed' });
  });

  it('that came to nothing leaves the invoice payable, and the next one gets a key of its own', () => {
    const asked = { provider: 'sandbox', method: 'redirect', returnUrl: '/thanks', cancelUrl: '/basket' };
    const keyOf = (invoiceNow: typeof placed) => sessionKeyOf(mugs.id, invoiceNow.state(isKnown), asked);
    const opened = placed.after(session());
    expect(keyOf(opened)).to.equal(keyOf(placed));
    expect(keyOf(opened.after(declinedBy('ses_1')))).to.not.equal(keyOf(placed));
    const [givenUp] = opened.after(declinedBy('ses_1', true), declinedBy('ses_1')).state(isKnown).sessions;
    expect(givenUp).to.include({ status: 'cancelled', message: 'The bank said no.' });
    opened.after(declinedBy('ses_1')).when(card('tok_1')).thenLike(['PaymentAttempted']);
  });

  it('is closed with its invoice', () => {
    const opened = placed
      .after(session())
      .now(inContext(invoiceDecider, decidedAt('2026-03-01T12:00:00.000Z')));
    for (const command of [
      { type: 'ExpireInvoice' },
      { type: 'GiveUpInvoice' },
      { type: 'SupersedeInvoice', placementId: idNamed('next') },
    ] as const) {
      const types = opened
        .when(command)
        .events()
        .map(({ type }) => type);
      expect(types, command.type).to.include('PaymentSessionClosed');
    }
  });

  it('brings money to give back, and no sale, once its invoice was given up', () => {
    const late = placed.after(session(), { type: 'GiveUpInvoice' }, paidBy('ses_1')).state(isKnown);
    expect([late.status, late.sessionsToVoid.length]).to.deep.equal(['cancelled', 1]);
    expect(late.payments).to.have.length(1);
    expect(late.payments[0]).to.include({ isOverpayment: true });
  });

  it('are a hundred at most: another way is refused, the same is not asked for anew', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => session(`ses_${index}`));
    const another = session('ses_100', { returnUrl: '/elsewhere' });
    const full = placed.after(...hundred);
    for (const refused of [another, session('ses_100')])
      full.when(refused).thenRefused('too-many-payment-sessions');
    full.when(session('ses_99')).thenNothing();
    expect(() => refuseAnotherSession(full.state(isKnown), session())).to.not.throw();
    expect(() => refuseAnotherSession(full.state(isKnown), another)).to.throw(
      'Finish one that is still open',
    );
    const oneLess = placed.after(...hundred.slice(1)).state(isKnown);
    expect(() => refuseAnotherSession(oneLess, another)).to.not.throw();
  });

  it('makes room for the twenty-first by closing the oldest', () => {
    const twenty = Array.from({ length: 21 }, (_, index) => session(`ses_${index}`));
    const { sessions, sessionsToVoid } = placed.after(...twenty).state(isKnown);
    expect(sessions).to.have.length(20);
    expect(sessionsToVoid).to.deep.equal([{ sessionId: 'ses_0', provider: 'sandbox' }]);
  });

  it('is forgotten as something to void once its provider knows', () => {
    const both = placed.after(session('ses_1'), session('ses_2'), byHand);
    const noted = (...sessionIds: string[]) => ({ type: 'NoteVoidedSessions', sessionIds }) as const;
    both.when(noted('ses_1')).thenLike(['PaymentSessionsVoided', { sessionIds: ['ses_1'], isLast: false }]);
    both
      .after(noted('ses_1'))
      .when(noted('ses_1', 'ses_2'))
      .thenLike(['PaymentSessionsVoided', { sessionIds: ['ses_2'], isLast: true }]);
  });
});

describe('a payer who is back after the callback', () => {
  it('has paid, also where the callback names the transaction and not the session', () => {
    const paid = placed.after(session('page_1'), paidBy('tx_1')).state(isKnown);
    const page = { provider: 'sandbox', reference: 'page_1' };
    expect(foundOutcome(paid, page, 'tx_1')?.kind).to.equal('completed');
    expect(foundOutcome(paid, page, 'page_1')?.kind).to.equal('cancelled');
  });
});

describe('an outcome that a provider owes', () => {
  it('bars every other payment, and the invoice from being replaced, until it is there', () => {
    const owed = placed.after(session(), owedBy('tx_1', 'ses_1'));
    owed.when(card('tok_1')).thenRefused('payment-unknown');
    owed.when(byHand).thenRefused('payment-unknown');
    owed.when(owedBy('tx_1', 'ses_1')).thenNothing();
    owed.when({ type: 'SupersedeInvoice', placementId: idNamed('next') }).thenRefused('payment-unknown');
    for (const outcome of [paidBy('tx_2', { sessionId: 'ses_1' }), declinedBy('ses_1')])
      expect(owed.after(outcome).state(isKnown).pending).to.equal(null);
  });

  it('of a charge is not asked for again by its key, and its double click shares it', () => {
    const { attemptId } = attempted('tok_pending').data;
    const owed = placed.after(card('tok_pending'), {
      type: 'AwaitOutcome',
      attemptId,
      transactionId: 'tx_1',
    });
    expect(owed.state(isKnown).openAttempt).to.equal(null);
    const pending = { kind: 'pending', transactionId: 'tx_1' };
    expect(outcomeOf(owed.state(isKnown), attemptId)).to.deep.equal(pending);
    owed.when(card('tok_pending')).thenNothing();
    const paid = owed.after(paidBy('tx_1')).state(isKnown);
    expect(outcomeOf(paid, attemptId).kind).to.equal('completed');
    const declined = owed.after(declinedBy('tx_1'));
    const no = { kind: 'declined', message: 'The bank said no.' };
    expect(outcomeOf(declined.state(isKnown), attemptId)).to.include(no);
    expect(attempted('tok_pending', declined).data.attemptId).to.not.equal(attemptId);
  });

  it('ends with a no, also where the shop started nothing of it, or had closed its session before', () => {
    const untold = placed.after(owedBy('tx_1'), declinedBy('tx_1'));
    untold.when(card('tok_1')).thenLike(['PaymentAttempted']);
    const givenUp = placed.after(session(), declinedBy('ses_1', true), owedBy('tx_1', 'ses_1'));
    givenUp.after(declinedBy('tx_1')).when(card('tok_1')).thenLike(['PaymentAttempted']);
    const stillOwed = givenUp.state(isKnown);
    const [closed] = stillOwed.sessions;
    expect(sessionOutcome(stillOwed, closed ?? expect.fail('no session')).kind).to.equal('pending');
    expect(untold.after(owedBy('tx_1'), declinedBy('tx_1')).state(isKnown).pending).to.equal(null);
  });

  it('keeps the invoice for a day, and for an hour once it has come to nothing', () => {
    const inFiveHours = at('2026-03-01T14:10:00.000Z');
    const opened = placed.after(session());
    const owed = opened.after(owedBy('tx_1', 'ses_1'));
    owed.now(inFiveHours).when(card('tok_1')).thenRefused('payment-unknown');
    opened.now(inFiveHours).when(card('tok_1')).thenRefused('invoice-cancelled');
    owed.after(declinedBy('ses_1')).now(inFiveHours).when(card('tok_1')).thenRefused('invoice-cancelled');
  });
});

describe("a charge for which the payer's bank wants to see them", () => {
  const { attemptId } = attempted('tok_3ds').data;
  const sendOn = {
    type: 'SendPayerOn',
    attemptId,
    sessionId: 'ses_3d',
    redirectUrl: '/bank',
    clientSecret: null,
  } as const;
  const sent = placed.after(card('tok_3ds'), sendOn);

  it('becomes a session, which the same card shares and another card may pass by', () => {
    expect(sent.state(isKnown).openAttempt).to.equal(null);
    expect(outcomeOf(sent.state(isKnown), attemptId)).to.have.nested.property('session.redirectUrl', '/bank');
    sent.when(card('tok_3ds')).thenNothing();
    sent.when(card('tok_1')).thenLike(['PaymentAttempted']);
  });

  it('ends with the session', () => {
    expect(outcomeOf(sent.after(paidBy('ses_3d')).state(isKnown), attemptId).kind).to.equal('completed');
    const declined = sent.after(declinedBy('ses_3d'));
    expect(outcomeOf(declined.state(isKnown), attemptId)).to.include({ kind: 'declined' });
    expect(attempted('tok_3ds', declined).data.attemptId).to.not.equal(attemptId);
  });
});

describe("a charge that goes on at the payer's bank too late", () => {
  const { attemptId } = attempted('tok_3ds').data;
  const sendOn = {
    type: 'SendPayerOn',
    attemptId,
    sessionId: 'ses_3d',
    redirectUrl: '/bank',
    clientSecret: null,
  } as const;

  it('is voided where the invoice was paid or closed meanwhile', () => {
    const toVoid = [{ sessionId: 'ses_3d', provider: 'sandbox' }];
    const paid = placed.after(session(), card('tok_3ds'), paidBy('tx_1', { sessionId: 'ses_1' }), sendOn);
    expect(paid.state(isKnown).sessionsToVoid).to.deep.equal(toVoid);
    const closed = placed.after(card('tok_3ds')).happened(cancelled).after(sendOn);
    expect(closed.state(isKnown).sessionsToVoid).to.deep.equal(toVoid);
  });

  it('makes room among the sessions that the invoice remembers', () => {
    const twenty = placed.after(...Array.from({ length: 20 }, (_, index) => session(`ses_${index}`)));
    const attempt = attempted('tok_3ds', twenty);
    const { sessionsToVoid } = twenty
      .happened(attempt)
      .after({ ...sendOn, attemptId: attempt.data.attemptId })
      .state(isKnown);
    expect(sessionsToVoid).to.deep.equal([{ sessionId: 'ses_0', provider: 'sandbox' }]);
  });
});

describe('a payment that a provider tells of', () => {
  it('too late is on record, owed back, and sells nothing', () => {
    placed
      .happened(cancelled)
      .when(paidBy('tx_1'))
      .thenLike(['PaymentCaptured', { isLate: true, amount: 2640 }]);
    const replaced = InvoiceSuperseded({ ...mugs.invoiceName, supersededBy: idNamed('newer') });
    const [payment] = placed.happened(replaced).after(paidBy('tx_1')).state(isKnown).payments;
    expect(payment).to.include({ isOverpayment: true });
  });

  it('a second time is on record, and owed back', () => {
    placed
      .after(byHand)
      .when(paidBy('tx_1'))
      .thenLike(['PaymentCaptured', { isSurplus: true }]);
    const [rest] = placed
      .after(paidBy('tx_1', { amount: 640 }))
      .when(paidBy('tx_2'))
      .events();
    expect(rest?.type).to.equal('PaymentCaptured');
    expect(rest?.data).to.not.have.property('isSurplus');
  });

  it('in another currency is not recorded', () => {
    placed.when(paidBy('tx_1', { currency: 'EUR' })).thenRefused('other-currency');
  });

  it('is recorded before an attempt has its answer: that one ends without money of its own', () => {
    const { attemptId } = attempted('tok_1').data;
    const capture = { type: 'CapturePayment', attemptId, transactionId: 'tx_1' } as const;
    const paid = placed.after(card('tok_1'), paidBy('tx_1'));
    expect(paid.state(isKnown).openAttempt).to.not.equal(null);
    paid.when(capture).thenLike(['PaymentAttemptMatched']);
    const ended = paid.after(capture).state(isKnown);
    expect(ended).to.deep.include({ openAttempt: null });
    expect(ended.payments).to.have.length(1);
  });

  it('learns its risk from the answer that comes after it was recorded', () => {
    const { attemptId } = attempted('tok_1').data;
    const risk = { score: 68, source: 'radar' };
    const capture = { type: 'CapturePayment', attemptId, transactionId: 'tx_1', risk } as const;
    const answered = placed.after(card('tok_1'), paidBy('tx_1'), capture);
    expect(answered.state(isKnown).payments[0]?.risk).to.deep.equal(risk);
    const asFirst = placed.after(card('tok_1'), capture);
    expect(asFirst.state(isKnown).payments[0]?.risk).to.deep.equal(risk);
    answered.when(capture).thenNothing();
  });

  it('as failed is noted once, and says nothing against one that is complete', () => {
    placed.when(declinedBy('tx_1')).thenLike(['PaymentDeclined']);
    const declined = placed.after(declinedBy('tx_1'));
    declined.when(declinedBy('tx_1')).thenNothing();
    declined.when(paidBy('tx_1')).thenLike(['PaymentCaptured']);
    declined.after(paidBy('tx_1')).when(declinedBy('tx_1')).thenNothing();
    // An attempt of somebody else goes on.
    expect(placed.after(card('tok_1'), declinedBy('tx_1')).state(isKnown).openAttempt).to.not.equal(null);
  });

  it('as failed is listed under an id of its own, unless an attempt of the shop stands for it', () => {
    const failed = (amount: number, name: string) => ({
      paymentId: derivedId('failed-payment', mugs.id, 'sandbox', name),
      amount,
      currency: 'GBP',
    });
    const lastOf = (invoiceNow: typeof placed) => invoiceNow.history.at(-1)?.data;
    const none = placed.after({ ...declinedBy('tx_1'), amount: 500 });
    expect(lastOf(none)).to.deep.include({ failed: failed(500, 'tx_1') });
    expect(lastOf(placed.after(declinedBy('tx_1')))).to.deep.include({ failed: failed(2640, 'tx_1') });
    const page = placed.after(session('ses_1', { amount: 700 }), declinedBy('ses_1'));
    expect(lastOf(page)).to.deep.include({ failed: failed(700, 'ses_1') });
    const leftAlone = placed.after(session(), declinedBy('ses_1', true));
    expect(lastOf(leftAlone)).to.not.have.property('failed');
    const { attemptId } = attempted('tok_3ds').data;
    const sendOn = {
      type: 'SendPayerOn',
      attemptId,
      sessionId: 'ses_3d',
      redirectUrl: '/bank',
      clientSecret: null,
    } as const;
    const bank = placed.after(card('tok_3ds'), sendOn, declinedBy('ses_3d'));
    expect(lastOf(bank)).to.include({ attemptId }).and.not.have.property('failed');
  });

  it('keeps what the provider said of it', () => {
    const said = {
      webhookEventId: 'evt_1',
      risk: { score: 12, source: 'radar' },
      settlement: { currency: 'USD', amountMinor: 3000, exchangeRate: '1.136' },
    };
    const [event] = placed.when(paidBy('tx_1', said)).events();
    expect(event?.data).to.deep.include(said);
  });

  it('is refused for an invoice that nobody knows', () => {
    const nowhere = given(at(now), []);
    nowhere.when(paidBy('tx_1')).thenRefused('invoice-not-found');
    nowhere.when(declinedBy('tx_1')).thenRefused('invoice-not-found');
  });

  it('leaves an attempt of the past as it was', () => {
    const { askId: _, ...data } = attempted('tok_1').data;
    const old = placed.happened(PaymentAttempted(data)).after(paidBy('tx_9')).state(isKnown);
    expect(old.openAttempt?.attemptId).to.equal(data.attemptId);
  });
});
