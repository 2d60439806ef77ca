import { expect } from 'chai';
import { createPendingPayments } from '#command/contexts/payments/sessions/pending-payments.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { givenStream } from '#test/support/given.ts';
import { restarted } from '#test/support/restart-part.ts';

const { PaymentCaptured, PaymentDeclined, PaymentPending, PaymentSessionClosed } = invoiceEvents.create;
const mugs = invoice('mugs');
const since = Date.UTC(2026, 2, 1, 9);
const MINUTE = 60_000;

const owed = PaymentPending({
  provider: 'sandbox',
  method: 'card',
  transactionId: 'tx',
  attemptId: idNamed('attempt'),
  sessionId: null,
  amount: 2640,
  currency: 'GBP',
  pendingSince: new Date(since).toISOString(),
});
const of = { provider: 'sandbox', method: 'card' };

const after = (...events: readonly DomainEvent[]) =>
  givenStream(mugs.stream, ...events).foldInto(createPendingPayments);

describe('payments for which a provider owes the outcome', () => {
  it('are looked up at the start, every minute at first, and less often later', () => {
    const pending = after(mugs.placed, owed);
    const isDueAfter = (minutes: number) => pending.takeDue(since + minutes * MINUTE, 10).length > 0;
    expect([0, 0.5, 1, 2, 2.5].map(isDueAfter)).to.deep.equal([true, false, true, true, false]);
    expect([60, 70, 75].map(isDueAfter)).to.deep.equal([true, false, true]);
    expect(restarted(createPendingPayments(), pending).takeDue(since + 76 * MINUTE, 10)).to.deep.equal([
      mugs.id,
    ]);
  });

  it('are no longer looked up once the outcome is known', () => {
    const no = PaymentDeclined({ ...of, attemptId: idNamed('attempt'), code: 'declined', message: 'No.' });
    const closed = {
      ...of,
      sessionId: 'ses',
      reason: 'declined',
      closedAt: 'now',
      endsPending: true,
    } as const;
    const { data } = mugs.captured();
    const paid = PaymentCaptured({ ...data, provider: 'sandbox', transactionId: 'tx' });
    const charged = PaymentCaptured({ ...data, attemptId: idNamed('attempt') });
    for (const end of [no, PaymentSessionClosed(closed), paid, charged])
      expect(after(mugs.placed, owed, end).count()).to.equal(0);
    const other = PaymentDeclined({ ...of, attemptId: null, code: 'declined', message: 'No.' });
    expect(after(mugs.placed, owed, other).count()).to.equal(1);
  });

  it('are still looked up after a payment by other means: the provider still owes the outcome', () => {
    expect(after(mugs.placed, owed, mugs.captured(640)).count()).to.equal(1);
  });

  it('are returned a few at a time', () =>
    expect(after(mugs.placed, owed).takeDue(since, 0)).to.deep.equal([]));
});
