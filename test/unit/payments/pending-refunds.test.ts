import { expect } from 'chai';
import { createPendingRefunds } from '#command/contexts/payments/refunds/pending-refunds.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { givenStream } from '#test/support/given.ts';
import { restarted } from '#test/support/restart-part.ts';

const { RefundDeclined, RefundPending } = invoiceEvents.create;
const mugs = invoice('mugs');
const since = Date.UTC(2026, 2, 1, 9);
const SECOND = 1000;

const pendingSince = new Date(since).toISOString();
const onItsWay = (name: string) => {
  const of = { refundId: idNamed(name), provider: 'sandbox', transactionId: name };
  return RefundPending({ ...of, pendingSince, openRefunds: 0 });
};
const failed = RefundDeclined({
  refundId: idNamed('one'),
  paymentId: idNamed('payment'),
  ...{ provider: 'sandbox', amount: 640, currency: 'GBP', by: 'mary' },
  ...{ code: 'failed', message: 'No.', declinedAt: pendingSince, openRefunds: 0 },
});

const after = (...events: readonly DomainEvent[]) =>
  givenStream(mugs.stream, ...events).foldInto(createPendingRefunds);

describe('refunds that a provider still has to make (docs/rules/refunds.md#on-its-way)', () => {
  it('are looked up at the start, every ten seconds at first, and less often later', () => {
    const pending = after(mugs.placed, onItsWay('one'));
    const isDueAfter = (seconds: number) => pending.takeDue(since + seconds * SECOND, 10).length > 0;
    expect([0, 5, 10, 20, 25].map(isDueAfter)).to.deep.equal([true, false, true, true, false]);
    expect([3600, 4000, 4500].map(isDueAfter)).to.deep.equal([true, false, true]);
    const next = restarted(createPendingRefunds(), pending);
    expect(next.takeDue(since + 4501 * SECOND, 10)).to.deep.equal([`${mugs.id} ${idNamed('one')}`]);
  });

  it('are looked up one by one until their outcome is known', () => {
    const two = [mugs.placed, onItsWay('one'), onItsWay('two')];
    expect(after(...two).count()).to.equal(2);
    expect(after(...two, failed).takeDue(since, 10)).to.deep.equal([`${mugs.id} ${idNamed('two')}`]);
  });
});
