import { expect } from 'chai';
import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import { chargeAndTake, settledPayment } from '#command/contexts/payments/providers/ask-provider.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { CaptureOutcome } from '#ports/payment-requests.ts';
import { chargeOf } from '#test/support/builders/payment.ts';

/** A provider that authorises first, and captures so. */
const authorising = (captured: CaptureOutcome) => {
  const asked: string[] = [];
  const provider: PaymentProvider = {
    ...manualProvider(),
    charge: () => Promise.resolve({ kind: 'authorized', transactionId: 'tx' }),
    capture: ({ idempotencyKey, transactionId }) => {
      asked.push(`capture ${transactionId} ${idempotencyKey}`);
      return Promise.resolve(captured);
    },
    void: ({ idempotencyKey, transactionId }) => {
      asked.push(`void ${transactionId} ${idempotencyKey}`);
      return Promise.resolve({ kind: 'completed' });
    },
  };
  const set = { status: 'authorized', transactionId: 'tx', invoiceId: null, basketId: null } as const;
  const payment = { ...set, amountMinor: 2640, currency: 'GBP', message: null };
  const found = { kind: 'found', payment } as const;
  return {
    asked,
    charge: () => chargeAndTake(provider, chargeOf('tok'), 1000),
    settle: async () => {
      const settled = await settledPayment(provider, found);
      return settled.kind === 'found' ? settled.payment.status : expect.fail(settled.kind);
    },
  };
};

const refused = { kind: 'refused', code: 'expired', message: 'Too late.' } as const;

describe('money that a provider has only set aside (docs/rules/payment-providers.md#authorising-first)', () => {
  it('is captured at once, under a key that follows from the charge or from its transaction', async () => {
    const { asked, charge, settle } = authorising({ kind: 'completed', transactionId: 'tx' });
    expect(await charge()).to.deep.equal({ kind: 'completed', transactionId: 'tx' });
    expect(await charge()).to.deep.equal({ kind: 'completed', transactionId: 'tx' });
    expect([await settle(), await settle()]).to.deep.equal(['completed', 'completed']);
    expect(asked[0]).to.equal(asked[1]);
    expect(asked[2]).to.equal(asked[3]);
  });

  it('is let go where it cannot be captured, under a key of its own', async () => {
    for (const way of ['charge', 'settle'] as const) {
      const till = authorising(refused);
      const outcome = await till[way]();
      expect(outcome).to.deep.equal(way === 'charge' ? refused : 'failed');
      await till[way]();
      expect(till.asked.map((one) => one.split(' ')[0])).to.deep.equal([
        'capture',
        'void',
        'capture',
        'void',
      ]);
      expect(new Set(till.asked).size).to.equal(2);
    }
  });

  for (const kind of ['unavailable', 'unknownOutcome'] as const) {
    it(`is no failure while its capture is ${kind}`, async () => {
      const { asked, charge, settle } = authorising({ kind });
      expect([await charge(), await settle()]).to.deep.equal([{ kind: 'unknownOutcome' }, 'pending']);
      expect(asked.join()).to.not.include('void');
    });
  }
});
