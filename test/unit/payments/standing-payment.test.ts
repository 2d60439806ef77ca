import { expect } from 'chai';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { standingOf } from '#command/contexts/payments/agents/standing-payment.ts';
import { isLate } from '#command/contexts/payments/charging/charging.ts';
import { outcomeOf, type KnownOutcome } from '#command/contexts/payments/charging/payment-outcome.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { cardOf, pageOf, reportedPayment } from '#test/support/builders/payment.ts';
import { given, inContext } from '#test/support/given.ts';

const mugs = invoice('mugs');
const now = '2026-03-01T09:05:00.000Z';
const placed = given(inContext(invoiceDecider, decidedAt(now, { invoiceId: mugs.id })), [mugs.placed]);
const charge = { ...cardOf('sandbox', 'tok_1'), askId: idNamed('ask') };
const standing = (of: typeof placed, since: string) => standingOf(mugs.id, of.state(isKnown), since);

// docs/rules/agent-sessions.md#completing
describe('What is under way for an agent', () => {
  it('is the page that was opened for this payment, and none that an earlier one left open', () => {
    const atPage = placed.after(pageOf());
    expect(standing(atPage, now)).to.include({ kind: 'awaited', from: 'buyer' });
    expect(standing(atPage, '2026-03-01T09:05:00.001Z')).to.equal(null);
    const asked = atPage.after(charge);
    expect(standing(asked, '2026-03-01T09:06:00.000Z')).to.include({ kind: 'awaited', from: 'provider' });
  });

  it('is nothing once the order was given up: what its buyer pays then came late', () => {
    const charged = placed.after(charge);
    const { attemptId = '' } = charged.state(isKnown).openAttempt ?? {};
    const bank = { sessionId: 'bank_1', redirectUrl: 'https://bank.example', clientSecret: null };
    const atBank = charged.after({ type: 'SendPayerOn', attemptId, ...bank });
    expect(standing(atBank, now)).to.include({ from: 'buyer', continueUrl: bank.redirectUrl });

    const givenUp = atBank.after({ type: 'GiveUpInvoice' });
    expect(standing(givenUp, now)).to.equal(null);
    for (const [before, late] of [
      [atBank, false],
      [givenUp, true],
    ] as const) {
      const paid = before.after(reportedPayment('bank_1')).state(isKnown);
      const outcome = outcomeOf(paid, attemptId) as KnownOutcome;
      expect(outcome.kind).to.equal('completed');
      const of = { invoiceId: mugs.id, invoice: paid, nextBasketId: null, position: 0 };
      expect(isLate({ outcome, paid: of })).to.equal(late);
    }
  });
});
