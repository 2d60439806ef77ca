import { expect } from 'chai';
import {
  createHeldAuthorizations,
  expiringCheck,
} from '#command/contexts/payments/authorizations/held-authorizations.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { inStream, recordedEvents } from '#test/support/given.ts';

const invoiceId = idNamed('mugs');
const paymentId = idNamed('payment');

const heldUntil = (expiresAt: string | null) => {
  const part = createHeldAuthorizations();
  const authorized = invoiceEvents.create.PaymentAuthorized({
    ...{ invoiceNumber: 'INV-1', attemptId: null, paymentId, provider: 'stripe', method: 'card' },
    ...{ transactionId: 'pi_1', amount: 2640, currency: 'GBP' },
    ...{ authorizedAt: '2026-03-01T09:00:00.000Z', expiresAt },
  } as never);
  for (const event of recordedEvents(inStream(`invoice-${invoiceId}`, authorized))) applyEvent(part, event);
  return part;
};

const instant = (text: string): number => Date.parse(text);

// docs/rules/authorizations.md#time-runs-out
describe('money that a provider holds', () => {
  it('is looked up when it should have expired, and then once an hour', () => {
    const part = heldUntil('2026-03-05T09:00:00.000Z');
    const takenAt = (text: string) => part.takeExpired(instant(text), 10);
    expect(takenAt('2026-03-05T08:59:59.999Z')).to.deep.equal([]);
    expect(takenAt('2026-03-05T09:00:00.000Z')).to.deep.equal([`${invoiceId} ${paymentId}`]);
    expect(takenAt('2026-03-05T09:59:59.999Z')).to.deep.equal([]);
    expect(takenAt('2026-03-05T10:00:00.000Z')).to.have.length(1);
  });

  it('is looked up after a week where its provider does not say when it expires, and warned of by no check', async () => {
    const part = heldUntil(null);
    expect(part.takeExpired(instant('2026-03-08T08:59:59.999Z'), 10)).to.deep.equal([]);
    expect(part.takeExpired(instant('2026-03-08T09:00:00.000Z'), 10)).to.have.length(1);
    const check = expiringCheck(part, { now: () => instant('2026-04-08T09:00:00.000Z') });
    const found = [];
    for await (const finding of check.look()) found.push(finding);
    expect(found).to.deep.equal([]);
  });
});
