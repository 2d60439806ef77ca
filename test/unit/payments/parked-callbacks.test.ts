import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createParkedCallbacks } from '#command/contexts/payments/callbacks/parked-callbacks.ts';
import { plainTexts } from '#test/support/plain-cipher.ts';
import type { PaymentCallback } from '#ports/payment-callback.ts';

const DAY = 24 * 60 * 60 * 1000;
const meta = { correlationId: 'c', causationId: 'c', actor: { kind: 'system', id: 'sandbox' } } as const;

const refund = (eventId: string): PaymentCallback => ({
  ...{ eventId, type: 'RefundCompleted', transactionId: 'tx', sessionId: null, invoiceId: null },
  ...{ amountMinor: 100, currency: 'GBP', reason: null, refundId: eventId, risk: null, settlement: null },
  ...{ disputeId: null, disputeOutcome: null },
});

describe('an event that came before its payment and cannot be applied', () => {
  let now: number;
  let applied: string[];
  let warnings: number;
  let overdue: string[];
  const parking = () =>
    createParkedCallbacks({
      stateStore: createMemoryDocumentStore(),
      clock: { now: () => now },
      personalTexts: plainTexts,
      log: { warn: () => void warnings++ },
      overdue: (_, { eventId }) => Promise.resolve(void overdue.push(eventId)),
      apply: (_, { eventId }) => {
        if (eventId === 'poisoned') return Promise.reject(new Error('it cannot be applied'));
        applied.push(eventId);
        return Promise.resolve(true);
      },
    });
  beforeEach(() => {
    now = Date.UTC(2026, 2, 1);
    applied = [];
    warnings = 0;
    overdue = [];
  });

  it('keeps neither the others nor the payment from being recorded', async () => {
    const parked = await parking();
    for (const eventId of ['poisoned', 'sound']) await parked.park('sandbox', refund(eventId), 'tx');
    await parked.applyFor('sandbox', 'tx', meta);
    expect(applied).to.deep.equal(['sound']);
    expect(warnings).to.equal(1);
  });

  it('is retried by the job, and dropped after thirty days', async () => {
    const parked = await parking();
    await parked.park('sandbox', refund('poisoned'), 'tx');
    const warningsAfter = async (days: number): Promise<number> => {
      now += days * DAY;
      warnings = 0;
      await parked.applyDue.runOnce(now);
      return warnings;
    };
    expect(await warningsAfter(1)).to.equal(1);
    expect(await warningsAfter(30)).to.equal(2);
    expect(await warningsAfter(1)).to.equal(0);
  });

  it('is told of to staff once it is an hour old, and waits on', async () => {
    const parked = await parking();
    await parked.park('sandbox', refund('poisoned'), 'tx');
    const overdueAfter = async (minutes: number): Promise<readonly string[]> => {
      now += minutes * 60_000;
      await parked.applyDue.runOnce(now);
      return overdue;
    };
    expect(await overdueAfter(59)).to.deep.equal([]);
    expect(await overdueAfter(61)).to.deep.equal(['poisoned']);
  });
});
